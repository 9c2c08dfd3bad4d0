"""What a check says: Finding."""


class Finding:
    """path: root-relative. line: 1-based. check: the name of the module that found it. message: one line."""

    __slots__ = ("path", "line", "check", "message")

    def __init__(self, path: str, line: int, check: str, message: str):
        self.path, self.line, self.check, self.message = path, line, check, message

    def key(self) -> tuple:
        return (self.path, self.line, self.check, self.message)

    def as_json(self) -> dict:
        return {"path": self.path, "line": self.line, "check": self.check, "message": self.message}

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.check}: {self.message}"
