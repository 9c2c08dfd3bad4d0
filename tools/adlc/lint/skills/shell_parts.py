"""What the reader of shell code finds, and the bound on how deep it goes."""

import functools

_DEEPEST = 60


class Word:
    """text: as written. value: without quotes, expansions left as written. bare: not quoted in any part."""

    __slots__ = ("text", "value", "bare", "line", "at")

    def __init__(self, text: str, value: str, bare: bool, line: int, at: int):
        self.text, self.value, self.bare, self.line, self.at = text, value, bare, line, at

    @property
    def end(self) -> int:
        return self.at + len(self.text)


class Command:
    """A simple command. prefix: its assignments (name, Word). words: the command and its arguments. line: 0-based."""

    __slots__ = ("prefix", "words", "line", "at")

    def __init__(self, line: int, at: int):
        self.prefix, self.words, self.line, self.at = [], [], line, at

    @property
    def name(self) -> str:
        return self.words[0].value if self.words else ""


class Read:
    """A parameter expansion. name; operator: what follows the name in braces (":-x"), else "". at: offset in the code."""

    __slots__ = ("name", "operator", "line", "at")

    def __init__(self, name: str, operator: str, line: int, at: int):
        self.name, self.operator, self.line, self.at = name, operator, line, at


class TooDeep(Exception):
    """More nesting than anybody writes; args: the offset."""


def nesting(read):
    """Bounds how deep the methods that read a construct call each other."""

    @functools.wraps(read)
    def bounded(self, at, *arguments):
        if self._depth >= _DEEPEST:
            raise TooDeep(at)
        self._depth += 1
        try:
            return read(self, at, *arguments)
        finally:
            self._depth -= 1

    return bounded
