"""Meaning as a signal: how near a document's parts lie to the question in the space of an embedding model.

A long question is compared sentence by sentence, for the mean of many thoughts is near to nothing: each
sentence takes the document's nearest part, and the first one, which names the subject, counts twice.
"""

from adlc.index.embed import numpy_one_thread
from adlc.index.store import Index
from adlc.ranking.query import sentences

# Sentences that are looked at, beside the question as a whole.
SENTENCES = 8
_FIRST = 2.0


class Nearness:
    """score: document path -> the signal, mean cosine over the sentences. about: mean, over the documents, of the
    cosine of the whole question with the document's nearest part: how much the question is about anything here; None for
    a model whose cosines the constants of the tiers were not chosen on."""

    __slots__ = ("score", "about", "_index", "_whole", "_ranges")

    def __init__(self, index: Index, cosines, wanted):
        """cosines: float32 [1 + sentences, rows of the index]; the first line is the whole question."""
        from adlc.index import embed_local

        numpy = numpy_one_thread()
        self._index, self._whole, self._ranges = index, cosines[0], {}
        self.score, self.about = {}, None
        if not len(index.chunk_document):
            return
        owners = numpy.frombuffer(index.chunk_document, "<u4")
        starts = numpy.flatnonzero(numpy.concatenate(([True], owners[1:] != owners[:-1])))
        nearest = numpy.maximum.reduceat(cosines, starts, axis=1)
        parts = nearest[1:] if len(nearest) > 1 else nearest
        weights = numpy.ones(len(parts), "f4")
        weights[0] = _FIRST if len(parts) > 1 else 1.0
        score = weights @ parts / weights.sum()
        paths = [index.paths[owner] for owner in owners[starts].tolist()]
        self.score = dict(zip(paths, score.tolist()))
        self._ranges = dict(zip(paths, zip(starts.tolist(), [*starts[1:].tolist(), len(owners)])))
        best = nearest[0]
        if not self.score.keys() <= wanted:
            best = best[[place for place, path in enumerate(paths) if path in wanted]]
            self.score = {path: value for path, value in self.score.items() if path in wanted}
        if len(best) and index.metadata.model_fingerprint == embed_local.FINGERPRINT:
            self.about = float(best.mean())

    def parts(self, path: str, kinds: tuple[int, ...], limit: int) -> list[tuple[float, str, str]]:
        """[(cosine, ref, title)] of the parts of one document nearest to the whole question, of the given kinds."""
        start, end = self._ranges.get(path, (0, 0))
        rows = [row for row in range(start, end) if self._index.kinds[row] in kinds]
        rows.sort(key=lambda row: (-float(self._whole[row]), row))
        return [(float(self._whole[row]), self._index.chunk_ref[row], self._index.chunk_title[row]) for row in rows[:limit]]


def nearness(index: Index, embedder, question: str, wanted) -> Nearness:
    """Embed the question and compare it with every row of the index. wanted: set of the paths that take part.

    Raises AdlcError embed_error, index_mismatch, and index_corrupted when rows are no unit vectors.
    """
    texts = [question]
    split = sentences(question)
    if len(split) > 1:
        texts += split[:SENTENCES]
    return Nearness(index, index.similarities(embedder.embed(texts)), wanted)
