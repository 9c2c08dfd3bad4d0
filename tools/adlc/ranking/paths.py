"""Paths as a signal: which documents claim the files that are about to be touched."""

import os
import re

from adlc import lifecycle
from adlc.corpus import claims
from adlc.corpus.load import Corpus
from adlc.corpus.model import Document
from adlc.ranking import lexical
from adlc.ranking.query import Query
from adlc.ranking.tokens import tokens

_WILD = re.compile(r"[*?\[]")
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


def claiming(root: str, documents: list[Document], path: str) -> list[tuple[Document, Match]]:
    """The documents with a precise claim on one file, those that name it first; specs that are no prior art left out."""
    return _sorted_out(root, documents, path)[0]


def withdrawn(root: str, documents: list[Document], path: str) -> list[Document]:
    """The specs that `claiming` leaves out."""
    return [document for document, _ in _sorted_out(root, documents, path)[1]]


def _sorted_out(root: str, documents: list[Document], path: str) -> tuple[list, list]:
    """-> (the precise claims on one file that count, those of specs that are no prior art)."""
    relative = clean(root, path)
    candidates = [d for d in documents if any(_could_cover(entry, relative) for entry in (*d.scope, *d.code))]
    if not candidates:
        return [], []
    found, _ = match(root, candidates, [path])
    claimed = [(d, found[d.path]) for d in candidates if found[d.path].strength >= PRECISE]
    claimed.sort(key=lambda pair: (-pair[1].strength, pair[0].path))
    excluded = lifecycle.spec_exclusions() if claimed else []
    out = [pair for pair in claimed if pair[0].corpus == "spec" and pair[0].status.strip().casefold() in excluded]
    return [pair for pair in claimed if pair not in out], out


def words(corpus: Corpus, paths: list[str], corpora: tuple[str, ...]) -> dict[str, float]:
    """document path -> lexical score of its text for the words of the given paths."""
    query = Query("")
    query.weights = {term: 1.0 for path in paths for term in terms(clean(corpus.root, path))}
    if not query.weights:
        return {}
    scores = lexical.score(corpus.store, query, corpora)
    return {path: scores.total(docid) for docid, path in corpus.store.paths(scores.docids).items()}


def terms(path: str) -> list[str]:
    """The words of a path, without the ending that names a file's type."""
    stem, dot, ending = path.rpartition(".")
    return tokens(stem if dot and stem and "/" not in ending and len(ending) <= 5 else path)


def nearest_folder(path: str) -> str:
    """The directory of a file, or where that does not exist the nearest one above it."""
    folder = os.path.dirname(path)
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def _could_cover(entry: str, path: str) -> bool:
    """Whether the fixed beginning of an entry is that of the path: spares the others a look at the disk."""
    start = _WILD.split(entry.split("#", 1)[0].strip().replace("\\", "/"), maxsplit=1)[0]
    start = start.removeprefix("./")
    return "//" in start or "./" in start or path.startswith(start.rstrip("/"))


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
