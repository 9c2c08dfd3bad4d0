"""Meaning as a signal: how near a document's parts lie to the question in the space of an embedding model.

A long question is compared sentence by sentence, for the mean of many thoughts is near to nothing: each
sentence takes the document's nearest part, and the first one, which names the subject, counts twice.
"""

from adlc.index.store import Index
from adlc.ranking.query import sentences

# Sentences that are looked at, beside the question as a whole.
SENTENCES = 8
_FIRST = 2.0


class Nearness:
    """By document path. score: the signal, mean cosine over the sentences. cosine: of the whole question with the
    nearest part. digest: of the whole question with title and purpose. best: the highest cosine of all."""

    __slots__ = ("score", "cosine", "digest", "best", "_index", "_whole", "_ranges")

    def __init__(self, index: Index, cosines, wanted: set[str]):
        """cosines: float32 [1 + sentences, rows of the index]; the first line is the whole question."""
        from adlc.index.embed import numpy_one_thread

        numpy = numpy_one_thread()
        self._index, self._whole = index, cosines[0]
        owners = numpy.frombuffer(index.chunk_document, "<u4") if len(index.chunk_document) else numpy.zeros(0, "<u4")
        starts = numpy.flatnonzero(numpy.concatenate(([True], owners[1:] != owners[:-1]))) if len(owners) else owners
        ends = [*starts[1:], len(owners)]
        nearest = numpy.maximum.reduceat(cosines, starts, axis=1) if len(owners) else cosines
        parts = nearest[1:] if len(nearest) > 1 else nearest
        weights = numpy.ones(len(parts), "f4")
        weights[0] = _FIRST if len(parts) > 1 else 1.0
        score = weights @ parts / weights.sum()
        self.score, self.cosine, self.digest, self._ranges = {}, {}, {}, {}
        for place, (start, end) in enumerate(zip(starts, ends)):
            path = index.paths[owners[start]]
            if path in wanted:
                self._ranges[path] = (int(start), int(end))
                self.score[path] = float(score[place])
                self.cosine[path] = float(nearest[0, place])
                # The digest is a document's first row.
                self.digest[path] = float(cosines[0, start])
        self.best = max(self.cosine.values(), default=0.0)

    def parts(self, path: str, kinds: tuple[int, ...], limit: int) -> list[tuple[float, str, str]]:
        """[(cosine, ref, title)] of the parts of one document nearest to the whole question, of the given kinds."""
        start, end = self._ranges.get(path, (0, 0))
        rows = [row for row in range(start, end) if self._index.kinds[row] in kinds]
        rows.sort(key=lambda row: (-float(self._whole[row]), row))
        return [(float(self._whole[row]), self._index.chunk_ref[row], self._index.chunk_title[row]) for row in rows[:limit]]


def nearness(index: Index, embedder, question: str, wanted: set[str]) -> Nearness:
    """Embed the question and compare it with every row of the index. wanted: paths of the documents that take part.

    Raises AdlcError embed_error, index_mismatch, and index_corrupted when rows are no unit vectors.
    """
    from adlc.index.embed import numpy_one_thread

    numpy = numpy_one_thread()
    texts = [question]
    split = sentences(question)
    if len(split) > 1:
        texts += split[:SENTENCES]
    return Nearness(index, numpy.stack([index.similarities(vector) for vector in embedder.embed(texts)]), wanted)
