"""The three kinds of id, how their numbers are written, and where their artifacts lie."""

import re

from adlc.errors import AdlcError

# An id is cited as PREFIX-NNN with three to six digits, so no larger number may be handed out.
MAX_NUMBER = 999_999
MIN_DIGITS, MAX_DIGITS = 3, 6


class Kind:
    """name: req, bug or lesson. prefix: as in the id. folder: below `.adlc/`, holds the artifacts."""

    __slots__ = ("name", "prefix", "folder", "corpus", "_token")

    def __init__(self, name: str, folder: str, corpus: str):
        self.name, self.prefix, self.folder, self.corpus = name, name.upper(), folder, corpus
        self._token = None

    def id(self, number: int) -> str:
        return f"{self.prefix}-{number:0{MIN_DIGITS}d}"

    def of_artifact(self, name: str) -> int | None:
        """The number in the name of a spec directory, bug file or lesson file; None when it has none."""
        start = len(self.prefix) + 1
        if name[:start].upper() != f"{self.prefix}-":
            return None
        rest = name[start:].lstrip("0123456789")
        digits = name[start:len(name) - len(rest)]
        return _value(digits) if digits else None

    def in_text(self, text: str) -> list[int]:
        """The numbers of this kind that a branch name mentions."""
        if self._token is None:
            # Spelled out: ignoring case costs the start of the program a table of all of Unicode.
            either = "".join(f"[{c}{c.lower()}]" for c in self.prefix)
            self._token = re.compile(rf"(?<![A-Za-z0-9]){either}-([0-9]+)")
        return [_value(digits) for digits in self._token.findall(text)]


KINDS = {kind.name: kind for kind in (Kind("req", "specs", "spec"), Kind("bug", "bugs", "bug"), Kind("lesson", "knowledge/lessons", "lesson"))}


def kind_of(name: str) -> Kind:
    """The kind called `name`, in either case. Raises AdlcError usage."""
    kind = KINDS.get(name.lower())
    if kind is None:
        raise AdlcError("usage", f"there is no kind of id '{name[:40]}'", "use one of: " + ", ".join(KINDS))
    return kind


def parse(text: str) -> tuple[Kind, int]:
    """`REQ-042` -> (kind, 42). Raises AdlcError usage for anything that is not exactly an id."""
    prefix, _, digits = text.partition("-")
    right = prefix.isupper() and prefix.lower() in KINDS and digits.isascii() and digits.isdigit()
    if not right or not MIN_DIGITS <= len(digits) <= MAX_DIGITS or not int(digits):
        raise AdlcError(
            "usage", f"'{text[:40]}' is not an id: REQ, BUG or LESSON, a dash and {MIN_DIGITS} to {MAX_DIGITS} digits",
            "for example REQ-042",
        )
    return KINDS[prefix.lower()], int(digits)


def _value(digits: str) -> int:
    # int() refuses very long digit strings; past the largest number only "too large" matters.
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= MAX_DIGITS else MAX_NUMBER + 1
