"""The three kinds of id, how their numbers are written, and where their artifacts lie."""

import re

from adlc.errors import AdlcError

# An id is cited as PREFIX-NNN with three to six digits, so no larger number may be handed out.
MAX_NUMBER = 999_999
MIN_DIGITS, MAX_DIGITS = 3, 6


class Kind:
    """name: req, bug or lesson. prefix: as in the id. folder: below `.adlc/`, holds the artifacts."""

    __slots__ = ("name", "prefix", "folder", "corpus", "_token", "_artifact")

    def __init__(self, name: str, folder: str, corpus: str):
        self.name, self.prefix, self.folder, self.corpus = name, name.upper(), folder, corpus
        self._token = re.compile(rf"(?<![A-Za-z0-9]){self.prefix}-([0-9]+)", re.IGNORECASE)
        self._artifact = re.compile(rf"{self.prefix}-([0-9]+)", re.IGNORECASE)

    def id(self, number: int) -> str:
        return f"{self.prefix}-{number:0{MIN_DIGITS}d}"

    def of_artifact(self, name: str) -> int | None:
        """The number in the name of a spec directory, bug file or lesson file; None when it has none."""
        match = self._artifact.match(name)
        return _value(match[1]) if match else None

    def in_text(self, text: str) -> list[int]:
        """The numbers of this kind that a branch name mentions."""
        return [_value(digits) for digits in self._token.findall(text)]


KINDS = {kind.name: kind for kind in (Kind("req", "specs", "spec"), Kind("bug", "bugs", "bug"), Kind("lesson", "knowledge/lessons", "lesson"))}
_ID = re.compile(rf"(REQ|BUG|LESSON)-([0-9]{{{MIN_DIGITS},{MAX_DIGITS}}})")


def kind_of(name: str) -> Kind:
    """The kind called `name`, in either case. Raises AdlcError usage."""
    kind = KINDS.get(name.lower())
    if kind is None:
        raise AdlcError("usage", f"there is no kind of id '{name[:40]}'", "use one of: " + ", ".join(KINDS))
    return kind


def parse(text: str) -> tuple[Kind, int]:
    """`REQ-042` -> (kind, 42). Raises AdlcError usage for anything that is not exactly an id."""
    match = _ID.fullmatch(text)
    if match is None or not int(match[2]):
        raise AdlcError(
            "usage", f"'{text[:40]}' is not an id: REQ, BUG or LESSON, a dash and {MIN_DIGITS} to {MAX_DIGITS} digits",
            "for example REQ-042",
        )
    return KINDS[match[1].lower()], int(match[2])


def _value(digits: str) -> int:
    # int() refuses very long digit strings; past the largest number only "too large" matters.
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= MAX_DIGITS else MAX_NUMBER + 1
