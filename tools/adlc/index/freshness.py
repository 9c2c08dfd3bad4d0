"""Whether the index tells of the documents as they are now.

Compared are hashes of contents, which the corpus' cache keeps: a touched file is not a changed one, and
clones agree. Specs and the other corpora are compared apart, so that a new bug report does not make an
answer about specs stale.
"""

from adlc.corpus import load
from adlc.errors import AdlcError
from adlc.index import store
from adlc.index.chunks import CHUNKER
from adlc.index.metadata import Metadata


class State:
    """state: fresh | stale | missing, and of `look` corrupted | mismatched. added, changed, removed: documents, None when not known. why: one line, "" when fresh."""

    __slots__ = ("state", "added", "changed", "removed", "why")

    def __init__(self, state: str, why: str = "", added: int | None = None, changed: int | None = None, removed: int | None = None):
        self.state, self.why, self.added, self.changed, self.removed = state, why, added, changed, removed

    @property
    def fresh(self) -> bool:
        return self.state == "fresh"


def state(root: str, corpus, metadata: Metadata | None, corpora: tuple[str, ...] = ("spec",)) -> State:
    """How the index with `metadata` stands to the documents of `corpora` in `corpus`, a load.Corpus."""
    if metadata is None:
        return State("missing", "there is no index")
    if metadata.chunker != CHUNKER:
        return State("stale", "it was built by another version of adlc")
    specs, others = corpus.store.content_hashes()
    same = "spec" not in corpora or specs == metadata.spec_hash
    if same and (set(corpora) <= {"spec"} or others == metadata.other_hash):
        return State("fresh")
    try:
        indexed = {path: hash for path, (hash, corpus_of) in store.read_specs(root).items() if corpus_of in corpora}
    except AdlcError:
        return State("stale", "documents changed")
    now = {path: hash for path, hash, corpus_of in corpus.store.hashes() if corpus_of in corpora}
    added, removed = len(now.keys() - indexed.keys()), len(indexed.keys() - now.keys())
    changed = sum(1 for path in indexed.keys() & now.keys() if indexed[path] != now[path])
    parts = [f"{count} {word}" for count, word in ((added, "added"), (changed, "changed"), (removed, "removed")) if count]
    return State("stale", ", ".join(parts) or "documents changed", added, changed, removed)


def look(root: str) -> tuple[State, Metadata | None, bool | None]:
    """-> (state of the index of `root`, its metadata, whether lessons and bugs are as they were).

    The state can also be corrupted or mismatched here; there is no metadata then. Raises AdlcError.
    """
    try:
        with store.load(root) as index:
            metadata = index.metadata
        found, others = load.answer(root, lambda corpus: (
            state(root, corpus, metadata), corpus.store.content_hashes()[1] == metadata.other_hash,
        ))
        return found, metadata, others
    except AdlcError as exc:
        states = {"index_missing": "missing", "index_corrupted": "corrupted", "index_mismatch": "mismatched"}
        if exc.kind not in states:
            raise
        return State(states[exc.kind], exc.message), None, None
