"""The past as a signal: which documents changed together with the given files, and in changes like this one.

Together: positive pointwise mutual information of document and file over the past changes, with the share of
the changes to the file that have the document shrunk towards the document's share of all changes, as by PRIOR
more changes (a Dirichlet prior; Church and Hanks, "Word association norms, mutual information, and
lexicography" (1990), for the measure). Votes: past changes scored with BM25 by name, subjects and paths; each
of the best gives its share to the documents it touched.
"""

import itertools
import math

from adlc import lifecycle
from adlc.corpus import settings
from adlc.corpus.changes import Places
from adlc.corpus.load import Corpus
from adlc.corpus.model import Document
from adlc.ranking import fuse, paths, tiers, weights
from adlc.signals import past_store
from adlc.signals.past_store import Past

# Given files that are looked up; from FULL files with a past on, their evidence is a mean.
MAX_PATHS, FULL = 20, 3
# A term in more changes than these tells little and costs the most.
COMMON = 500
# What "usually" takes: so many changes together, and this share of all changes to the file.
USUAL, USUAL_SHARE, USUAL_SHOWN = 2, 0.5, 3


class Bond:
    """How a document is tied to a path. value: PMI in nats, > 0. both: changes to the two; every: changes to the path."""

    __slots__ = ("value", "path", "both", "every")

    def __init__(self, value: float, path: str, both: int, every: int):
        self.value, self.path, self.both, self.every = value, path, both, every

    def words(self) -> str:
        where = "in" if self.path.endswith("/") else "to"
        if self.every == 1:
            return f"changed together in the only change {where} {self.path}"
        return f"changed together in {self.both} of {self.every} changes {where} {self.path}"

    @property
    def usual(self) -> bool:
        return not self.path.endswith("/") and self.both >= USUAL and self.both >= USUAL_SHARE * self.every


class History:
    """What the past says of a question; documents by their key in corpus.changes.

    together: key -> nats. bonds: key -> its Bonds, strongest first. votes: key -> share, where the most similar change
    has 1 to give. similar: key -> title of the most similar change that touched it. known: documents that ever changed.
    """

    __slots__ = ("together", "bonds", "votes", "similar", "known")

    def __init__(self, past: Past, files: list[str], terms: dict[str, float]):
        """files: relative to the root, or the keys of documents. terms: of the task, with weights."""
        self.known = set(past.documents)
        self.together, self.bonds = _together(past, files)
        self.votes, self.similar = _votes(past, files, terms) if terms else ({}, {})

    def lift(self, key: str) -> float:
        return weights.TOGETHER * self.together.get(key, 0.0) + weights.VOTES * self.votes.get(key, 0.0)

    def because(self, key: str) -> str:
        """The strongest evidence for a document, "" without any."""
        if key in self.bonds:
            return self.bonds[key][0].words()
        return f"similar past change {self.similar[key]} touched this" if key in self.similar else ""


def places(corpus: Corpus) -> Places:
    return Places(corpus.root, settings.of(corpus.root, corpus.store).plain)


def bonds(past: Past, path: str) -> dict[str, Bond]:
    """Documents that changed together with a file, a directory or another document more often than chance would have
    it, by key."""
    touching = past.touching(path)
    both: dict[str, int] = {}
    for change in touching:
        for key in past.owned(change):
            both[key] = both.get(key, 0) + 1
    found = {}
    both.pop(path, None)
    for key, count in both.items():
        share = past.documents[key] / past.count
        value = math.log((count + weights.PRIOR * share) / (len(touching) + weights.PRIOR) / share)
        if value > 0:
            found[key] = Bond(value, path, count, len(touching))
    return found


def usual(past: Past, path: str) -> list[tuple[str, Bond]]:
    """The documents that usually change with a file, by key, strongest first."""
    found = [(key, bond) for key, bond in bonds(past, path).items() if bond.usual]
    return sorted(found, key=lambda pair: (-round(pair[1].value, 6), pair[0]))


def companions(corpus: Corpus, path: str, build: bool = True) -> tuple[list[tuple[Document, Bond]], str]:
    """-> (documents that usually change with a file, strongest first, ""), or ([], why that is not known).

    They claim nothing. Specs that are no prior art are left out. build: whether history may be read from git for it;
    otherwise only what is kept for the commit that is checked out is used.
    """
    where, file = places(corpus), paths.clean(corpus.root, path)
    if not where.of(file).file:
        return [], "it is a document itself"
    if build:
        found, why = past_store.answer(corpus.root, where, lambda past: usual(past, file))
    else:
        found, why = past_store.existing(corpus.root, where, lambda past: usual(past, file)), "nothing is kept for this commit"
    if found is None:
        return [], why
    if not found:
        return [], ""
    excluded = lifecycle.spec_exclusions()
    by_key = {
        where.key(document.path): document for document in corpus.documents()
        if document.corpus != "spec" or document.status.strip().casefold() not in excluded
    }
    return [(by_key[key], bond) for key, bond in found if key in by_key][:USUAL_SHOWN], ""


def _together(past: Past, files: list[str]) -> tuple[dict[str, float], dict[str, list[Bond]]]:
    """-> (key -> nats summed over the files, key -> Bonds, strongest first). A file's directory counts for less than the file."""
    total: dict[str, float] = {}
    tied: dict[str, list[Bond]] = {}
    seen: set[str] = set()
    answered = 0
    for file in files[:MAX_PATHS]:
        folder = f"{file.rpartition('/')[0]}/" if "/" in file.rstrip("/") else ""
        found = False
        for path, weight in ((file, 1.0), (folder, weights.FOLDER)):
            if not path or path in seen:
                continue
            seen.add(path)
            for key, bond in bonds(past, path).items():
                found = True
                total[key] = total.get(key, 0.0) + weight * bond.value
                bond.value *= weight
                tied.setdefault(key, []).append(bond)
        answered += found
    scale = min(1.0, FULL / answered) if answered else 1.0
    for own in tied.values():
        own.sort(key=lambda bond: (-round(bond.value, 6), bond.path))
    return {key: scale * value for key, value in total.items()}, tied


def _votes(past: Past, files: list[str], terms: dict[str, float]) -> tuple[dict[str, float], dict[str, str]]:
    """-> (key -> share of the votes, key -> title of the most similar change that touched it)."""
    terms = dict(terms)
    for file in files[:MAX_PATHS]:
        for term in paths.terms(file):
            terms[term] = max(terms.get(term, 0.0), 1.0)
    least, slope = weights.K1 * (1 - weights.B), weights.K1 * weights.B * past.count / (sum(past.lengths) or 1)
    lengths = past.lengths
    scores: dict[int, float] = {}
    for term in sorted(terms):
        found = past.occurrences(term, COMMON)
        weight = terms[term] * math.log(1 + (past.count - len(found) + 0.5) / (len(found) + 0.5)) * (weights.K1 + 1)
        for change, count in found:
            scores[change] = scores.get(change, 0.0) + weight * count / (count + least + slope * lengths[change])
    best = sorted(scores, key=lambda change: (-round(scores[change], 6), change))[:weights.VOTERS]
    votes: dict[str, float] = {}
    similar: dict[str, str] = {}
    for change in best:
        keys = past.owned(change)
        for key in keys:
            votes[key] = votes.get(key, 0.0) + scores[change] / scores[best[0]] / math.sqrt(len(keys))
            if key not in similar:
                similar[key] = past.title(change)
    return votes, similar


class Part:
    """What history does in one answer of `context`. name: ["history"] when it takes part. off: {"history": why} when not."""

    def __init__(self, corpus: Corpus, documents, files: list[str], terms: dict[str, float]):
        """documents: their paths. files: relative to the root. terms: of the task, with weights."""
        where = places(corpus)
        files = [where.of(file).document or file for file in files]
        self._found, why = past_store.answer(corpus.root, where, lambda past: History(past, files, terms))
        self.name = ["history"] if self._found else []
        self.off = {} if self._found else {"history": why}
        self._keys = {path: where.key(path) for path in documents} if self._found else {}
        self._files, self._task, self._filled = bool(files), bool(terms), set()

    def raised(self, z: dict[str, float], each: dict[str, dict[str, float]]) -> dict[str, float]:
        """Given files: the fused z-scores with what the past adds, which is also put into `each`; else as they are.

        A document that never changed has no past to speak for it: it is given a mean share.
        """
        if not (self._found and self._files and self._task):
            return z
        lift = {path: self._found.lift(key) for path, key in self._keys.items()}
        changed = [lift[path] for path, key in self._keys.items() if key in self._found.known]
        if not any(changed):
            return z
        share = weights.UNCHANGED * sum(changed) / len(changed)
        lift = {path: value if self._keys[path] in self._found.known else share for path, value in lift.items()}
        each["history"] = lift
        return fuse.standard({path: z[path] + lift[path] for path in z}, list(z))

    def fill(self, chosen: tiers.Tiers, ranked: list[str], top: int | None, may) -> None:
        """Append to `related`, as far as there is room, documents that the past speaks for. may: function, path -> bool."""
        taken = {*chosen.direct, *chosen.related}
        room = tiers.RELATED_CAP - len(chosen.related)
        if top is not None:
            room = min(room, top - len(taken))
        fitting = (path for path in ranked if path not in taken and self.speaks(path) and may(path))
        added = list(itertools.islice(fitting, max(room, 0)))
        chosen.related.extend(added)
        self._filled.update(added)

    def because(self, path: str) -> str:
        """What the past says for a document that it raised or added, "" when it did neither."""
        if not self._found or not (self._files or path in self._filled):
            return ""
        return self._found.because(self._keys[path])

    def speaks(self, path: str) -> bool:
        """Whether there is anything in the past for a document."""
        if not self._found:
            return False
        if not self._task:
            # By scope alone nothing else says that the document matters.
            return any(bond.usual for bond in self._found.bonds.get(self._keys[path], ()))
        return self._found.lift(self._keys[path]) > 0
