"""Paths as a signal: which documents claim the files that are about to be touched."""

import os

from adlc.corpus import claims
from adlc.corpus.model import Document

EXACT, PRECISE, BROAD = 3.0, 2.0, 1.0


class Match:
    """strength: EXACT (the file itself), PRECISE (a glob or directory of its own), BROAD or 0. precise: the document
    has a precise claim at all. patterns: the claims that matched, as normalised."""

    __slots__ = ("strength", "precise", "patterns")

    def __init__(self, strength: float, precise: bool, patterns: list[str]):
        self.strength, self.precise, self.patterns = strength, precise, patterns


def match(root: str, documents: list[Document], paths: list[str]) -> tuple[dict[str, Match], list[str]]:
    """-> (document path -> Match, for documents that claim anything; given paths that no document claims)."""
    wanted = [(path, clean(root, path)) for path in paths]
    found: dict[str, Match] = {}
    claimed: set[str] = set()
    for document in documents:
        if not (document.scope or document.code):
            continue
        own = claims.of(root, document)
        strength, patterns = 0.0, []
        for claim in own:
            matcher = None if claim.literal and not claim.pattern.endswith("/") else claim.matcher()
            hit = [path for path, relative in wanted if _covers(claim, matcher, relative)]
            if hit:
                claimed.update(hit)
                patterns.append(claim.pattern)
                strength = max(strength, BROAD if claim.broad else EXACT if matcher is None else PRECISE)
        found[document.path] = Match(strength, any(not claim.broad for claim in own), patterns)
    return found, [path for path, _ in wanted if path not in claimed]


def clean(root: str, path: str) -> str:
    """A path as given (absolute, from the working directory, or root-relative) relative to the root, with `/`."""
    text = path.strip().replace("\\", "/")
    if os.path.isabs(text):
        absolute = text
    elif os.path.lexists(os.path.join(root, text)):
        absolute = os.path.join(root, text)
    else:
        here = os.path.join(os.getcwd(), text)
        absolute = here if os.path.lexists(here) else os.path.join(root, text)
    folder = os.path.realpath(os.path.dirname(absolute))
    return os.path.relpath(os.path.join(folder, os.path.basename(absolute)), root).replace(os.sep, "/")


def _covers(claim, matcher, path: str) -> bool:
    if matcher is None:
        return path == claim.pattern
    # A directory that is about to be touched is covered by a claim on it as a whole.
    return bool(matcher.fullmatch(path) or matcher.fullmatch(path.rstrip("/") + "/"))
