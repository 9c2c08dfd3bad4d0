"""What a path in the history of a root is: part of a document, part of a change folder, or any other file.

A document that has a directory to itself is known by that directory, so that its companions (a plan, a list
of tasks) stand for it, too, and a main file of another name is still the same document.
"""

import os
import re

from adlc.corpus.layouts.places import DECISIONS

_DOCUMENT = re.compile(
    r"(?P<folder>(?:.*/)?(?:\.adlc/specs/[^/]+|\.kiro/specs/[^/]+|\.specify/specs/[^/]+|specs/\d{3,}-[^/]+))/.+"
    r"|(?P<nested>(?:.*/)?(?:openspec|llmanspec)/specs/.+)/(?:spec\.(?:md|toon)|[^/]+\.feature)"
    r"|(?P<feature>(?:.*/)?llmanspec/specs/[^/]+)\.feature"
    r"|(?P<node>(?:.*/)?\.spec(?:/.+)?)/[^/]+"
    rf"|(?P<file>(?:.*/)?(?:\.adlc/(?:bugs|knowledge/lessons)|{'|'.join(DECISIONS)})/[^/]+\.md)"
)
_NAMED = re.compile(r"(specs/[^/]+)/.+")
_CHANGE = re.compile(
    r"(?P<base>(?:.*/)?(?:openspec|llmanspec))/changes/(?:archive/)?(?P<name>[^/]+)/"
    r"(?:specs/(?P<spec>.+)/(?:spec\.(?:md|toon)|[^/]+\.feature)|.+)"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d-(?=.)")
_MAIN = frozenset(("requirement.md", "spec.md", "spec.toon", "requirements.md"))
_MARKS = ("spec", "adr", "adlc", "decisions")


class Place:
    """document: its key, "" for none. change: name of the change folder without its date, "" for none.

    Both are set for the part of a change folder that says how a document is to change.
    """

    __slots__ = ("document", "change")

    def __init__(self, document: str = "", change: str = ""):
        self.document, self.change = document, change

    @property
    def file(self) -> bool:
        return not self.document and not self.change


_FILE = Place()


class Places:
    """Tells the paths of one root apart. plain: directories that the configuration names. identity: changes with the answers."""

    __slots__ = ("plain", "named", "identity", "_known")

    def __init__(self, root: str, plain: list[str]):
        self.plain, self.named = tuple(plain), os.path.isdir(f"{root}/.specify")
        self.identity = "\n".join((*self.plain, f"named {self.named}"))
        self._known: dict[str, Place] = {}

    def of(self, path: str) -> Place:
        """path: relative to the root."""
        place = self._known.get(path)
        if place is None:
            place = self._known[path] = self._of(path)
        return place

    def key(self, path: str) -> str:
        """The key of the document at `path`; of one that no rule knows, the path itself."""
        folder, _, name = path.rpartition("/")
        # In short for the usual case: there may be very many documents.
        if name in _MAIN and folder and not self.plain:
            return folder
        return self.of(path).document or path

    def _of(self, path: str) -> Place:
        if any(mark in path for mark in _MARKS):
            if match := _CHANGE.fullmatch(path):
                spec = f"{match['base']}/specs/{match['spec']}" if match["spec"] else ""
                return Place(spec, _DATE.sub("", match["name"], count=1))
            if match := _DOCUMENT.fullmatch(path) or (_NAMED.fullmatch(path) if self.named else None):
                return Place(match[match.lastindex])
            if "/changes/" in path and re.search(r"(?:openspec|llmanspec)/changes/", path):
                return Place("", path.rpartition("/")[2])
        if path.endswith(".md") and any(folder == "." or path.startswith(f"{folder}/") for folder in self.plain):
            return Place(path)
        return _FILE
