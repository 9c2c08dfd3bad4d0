"""The lexical floor: a sum of independent BM25 scores, one for each field of a document.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
eq. 3.15, with the idf of Lucene, ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative. Each
field has its own document frequencies and lengths, and scores are added, not term frequencies (as
BM25F does): measured better on spec trees.
"""

import math

from adlc.corpus.store import CORPORA, FIELDS, Store

K1, B = 1.2, 0.75
WEIGHTS = {"name": 1.0, "purpose": 1.0, "body": 1.0}


class Scores:
    """docid -> score > 0, and for the asked documents the contribution of each field."""

    __slots__ = ("total", "fields", "terms", "searched")

    def __init__(self, total: dict[int, float], fields: dict[str, dict[int, float]], terms: dict[str, int], searched: int):
        self.total, self.fields, self.terms, self.searched = total, fields, terms, searched


def score(statistics: Store, terms: list[str], corpora: tuple[str, ...] = CORPORA) -> Scores:
    """BM25 of every document of `corpora` that has a term.

    terms: distinct tokens. Scores.terms: term -> documents that have it, in any field. Scores.searched:
    documents looked at. The sum runs over the terms in code point order, so equal input gives equal floats.
    """
    segments = statistics.segments()
    masks = [_mask(segment, corpora) for segment in segments]
    counts = [segment.size if mask is None else sum(mask) for segment, mask in zip(segments, masks)]
    searched = sum(counts)
    norms = _norms(segments, masks, searched)
    by_field = {name: [[0.0] * segment.size for segment in segments] for name in FIELDS}
    known: dict[str, int] = {}
    for term in sorted(set(terms)):
        postings = statistics.postings(term)
        touched: list[set] = []
        for number, name in enumerate(FIELDS):
            lists, frequency = [], 0
            for place, segment in enumerate(segments):
                found = postings.get(segment.base)
                if found is None or not found.places[number]:
                    continue
                places, frequencies = found.places[number], found.frequencies[number]
                mask = masks[place]
                if mask is not None:
                    pairs = [(p, f) for p, f in zip(places, frequencies) if mask[p]]
                    frequency += len(pairs)
                else:
                    pairs = zip(places, frequencies)
                    frequency += len(places)
                lists.append((place, pairs))
            if not frequency:
                continue
            known[term] = max(known.get(term, 0), frequency)
            weight = WEIGHTS[name] * math.log(1 + (searched - frequency + 0.5) / (frequency + 0.5)) * (K1 + 1)
            for place, pairs in lists:
                sums, norm = by_field[name][place], norms[number][place]
                for p, f in pairs:
                    sums[p] += weight * f / (f + norm[p])
    total: dict[int, float] = {}
    fields: dict[str, dict[int, float]] = {name: {} for name in FIELDS}
    for place, segment in enumerate(segments):
        for p, values in enumerate(zip(*(by_field[name][place] for name in FIELDS))):
            value = sum(values)
            if value > 0:
                docid = segment.base + p
                total[docid] = value
                for name, part in zip(FIELDS, values):
                    fields[name][docid] = part
    return Scores(total, fields, known, searched)


def _mask(segment, corpora: tuple[str, ...]) -> bytes | None:
    """One byte a document: whether it takes part; None when all do."""
    wanted = {CORPORA.index(name) for name in corpora}
    if all(segment.live) and (len(wanted) == len(CORPORA) or wanted.issuperset(segment.corpora)):
        return None
    return bytes(live and corpus in wanted for live, corpus in zip(segment.live, segment.corpora))


def _norms(segments: list, masks: list, searched: int) -> list[list[list[float]]]:
    """[field][segment][place] -> K1 * (1 - B + B * length / average length)."""
    norms = []
    for number in range(len(FIELDS)):
        total = sum(
            sum(segment.lengths[number]) if mask is None else sum(n for n, m in zip(segment.lengths[number], mask) if m)
            for segment, mask in zip(segments, masks)
        )
        average = total / searched if total else 1.0
        norms.append([[K1 * (1 - B + B * length / average) for length in s.lengths[number]] for s in segments])
    return norms
