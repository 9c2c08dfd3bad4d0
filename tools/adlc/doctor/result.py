"""What a check says: Result, and commands that can be pasted as they are printed."""

import shlex
import unicodedata

OK, WARN, FAIL, NOT_RUN = "ok", "warn", "fail", "not_run"


class Result:
    """status: OK, WARN (it works, but not as well as it could), FAIL or NOT_RUN. message: one line.

    fix: a command line for a POSIX shell that turns the result into OK, or shows more where only a person
    can decide; "" when there is nothing to do, or no command that does it: then the message says what. argv: the same command as words when it may be run without
    asking, because all it changes is derived, or adlc's own; else ().
    """

    __slots__ = ("status", "message", "fix", "argv")

    def __init__(self, status: str, message: str, fix: str = "", argv: tuple = ()):
        self.status, self.message, self.argv = status, message, argv
        self.fix = fix or (command(*argv) if argv else "")


def ok(message: str, fix: str = "") -> Result:
    return Result(OK, message, fix)


def warn(message: str, fix: str = "", argv: tuple = ()) -> Result:
    return Result(WARN, message, fix, argv)


def fail(message: str, fix: str = "", argv: tuple = ()) -> Result:
    return Result(FAIL, message, fix, argv)


def not_run(message: str, fix: str = "") -> Result:
    return Result(NOT_RUN, message, fix)


def command(*words: str) -> str:
    """The words as one line to paste; "" when one of them cannot be shown on a terminal as it is."""
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for word in words for char in word):
        return ""
    return shlex.join(words)


def commands(*lines: str) -> str:
    """Several of them as one line, each run when the one before succeeded; "" when one of them is ""."""
    return " && ".join(lines) if all(lines) else ""
