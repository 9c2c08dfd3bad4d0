"""Meaning as a signal: how near a document's best part lies to the question in the space of an embedding model."""

from adlc.index.store import DIGEST, Index


class Nearness:
    """best: document path -> cosine of its nearest row. rows: document path -> [(cosine, row)] of its parts, nearest first."""

    __slots__ = ("best", "_index", "_cosines", "_ranges")

    def __init__(self, index: Index, cosines, wanted: set[str]):
        """cosines: float32 [rows of the index]."""
        self._index, self._cosines = index, cosines
        owners = index.chunk_document
        self._ranges: dict[str, list[int]] = {}
        start = 0
        for row in range(1, len(owners) + 1):
            if row == len(owners) or owners[row] != owners[start]:
                path = index.paths[owners[start]]
                if path in wanted:
                    self._ranges[path] = [start, row]
                start = row
        self.best = {path: float(cosines[a:b].max()) for path, (a, b) in self._ranges.items()}

    def parts(self, path: str, kinds: tuple[int, ...], limit: int) -> list[tuple[float, str, str]]:
        """[(cosine, ref, title)] of the nearest parts of one document, of the given kinds."""
        start, end = self._ranges.get(path, (0, 0))
        rows = [row for row in range(start, end) if self._index.kinds[row] in kinds]
        rows.sort(key=lambda row: (-float(self._cosines[row]), row))
        return [(float(self._cosines[row]), self._index.chunk_ref[row], self._index.chunk_title[row]) for row in rows[:limit]]


def nearness(index: Index, vector, wanted: set[str]) -> Nearness:
    """Compare a unit vector with every row of the index. wanted: paths of the documents that take part.

    Raises AdlcError index_corrupted when rows are no unit vectors.
    """
    return Nearness(index, index.similarities(vector), wanted)


__all__ = ["DIGEST", "Nearness", "nearness"]
