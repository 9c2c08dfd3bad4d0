"""The lexical floor: a sum of independent BM25 scores, one for each field, and of phrases in the body.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
eq. 3.15, with the idf of Lucene, ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative. Each
field has its own document frequencies and lengths, and scores are added, not term frequencies (as
BM25F does): measured better on spec trees. Pairs of neighbouring query words that also stand side by
side in a body add a saturated count weighted by the mean idf of the two, in the way of the ordered
window of Metzler and Croft, "A Markov Random Field Model for Term Dependencies" (2005).
"""

import heapq
import math

from adlc.corpus.model import Document
from adlc.corpus.segments import CORPORA, FIELDS
from adlc.corpus.store import Store
from adlc.ranking import weights
from adlc.ranking.query import Query
from adlc.ranking.tokens import tokens

PHRASE = "phrase"
PARTS = (*FIELDS, PHRASE)
_BODY = FIELDS.index("body")


class Scores:
    """parts: part -> docid -> unweighted contribution, for documents that have a term.

    terms: term -> how many documents have it (in the field where it is most common). searched: documents
    looked at. docids: those with any contribution.
    """

    __slots__ = ("parts", "terms", "searched", "docids")

    def __init__(self, parts: dict[str, dict[int, float]], terms: dict[str, int], searched: int, docids: list[int]):
        self.parts, self.terms, self.searched, self.docids = parts, terms, searched, docids

    def total(self, docid: int) -> float:
        """The weighted sum of the parts."""
        value = weights.PHRASE * self.parts[PHRASE].get(docid, 0.0)
        for name in FIELDS:
            value += weights.FIELDS[name] * self.parts[name].get(docid, 0.0)
        return value

    def totals(self) -> dict[int, float]:
        """docid -> the weighted sum of the parts, for `docids`."""
        fields = [(self.parts[name], weights.FIELDS[name]) for name in FIELDS]
        (a, wa), (b, wb), (c, wc) = fields
        found = {docid: wa * a[docid] + wb * b[docid] + wc * c[docid] for docid in self.docids}
        for docid, value in self.parts[PHRASE].items():
            found[docid] += weights.PHRASE * value
        return found

    def shares(self, query: Query) -> dict[str, float]:
        """term -> its share of what the question asks for, by weight and rarity; terms that no document has included."""
        rarity = {term: weight * _idf(self.searched, self.terms.get(term, 0)) for term, weight in sorted(query.weights.items())}
        total = sum(rarity.values()) or 1.0
        return {term: value / total for term, value in rarity.items()}


def score(statistics: Store, query: Query, corpora: tuple[str, ...] = CORPORA, candidates: int = weights.CANDIDATES) -> Scores:
    """Score every document of `corpora` that has a term of the query.

    The sums run over the terms in code point order, so that equal input gives equal floats.
    """
    segments = statistics.segments()
    masks = [_mask(segment, corpora) for segment in segments]
    searched = sum(segment.size if mask is None else sum(mask) for segment, mask in zip(segments, masks))
    norms = _norms(segments, masks, searched)
    sums = {name: [[0.0] * segment.size for segment in segments] for name in FIELDS}
    known: dict[str, int] = {}
    rarity: dict[str, float] = {}
    for term in sorted(query.weights):
        postings = statistics.postings(term)
        for number, name in enumerate(FIELDS):
            lists, frequency = _occurrences(postings, segments, masks, number)
            if not frequency:
                continue
            known[term] = max(known.get(term, 0), frequency)
            idf = _idf(searched, frequency)
            if number == _BODY:
                rarity[term] = idf
            weight = query.weights[term] * idf * (weights.K1 + 1)
            for place, pairs in lists:
                total, norm = sums[name][place], norms[number][place]
                for p, f in pairs:
                    total[p] += weight * f / (f + norm[p])
    parts: dict[str, dict[int, float]] = {name: {} for name in PARTS}
    docids = []
    for place, segment in enumerate(segments):
        for p, values in enumerate(zip(*(sums[name][place] for name in FIELDS))):
            if any(values):
                docid = segment.base + p
                docids.append(docid)
                for name, value in zip(FIELDS, values):
                    parts[name][docid] = value
    scores = Scores(parts, known, searched, docids)
    pairs = [(a, b, (rarity[a] + rarity[b]) / 2) for a, b in query.pairs if a in rarity and b in rarity]
    if pairs:
        best = heapq.nsmallest(candidates, docids, key=lambda d: (-scores.total(d), d))
        parts[PHRASE] = _phrases(statistics, best, pairs, dict(_body_norms(segments, norms, best)))
    return scores


def held(statistics: Store, document: Document, docid: int, shares: dict[str, float]) -> float:
    """The sum of the shares of the terms that a document has in its body, title or purpose."""
    has = {*statistics.streams([docid])[docid].split(), *tokens(f"{document.title}\n{document.purpose}")}
    return sum(share for term, share in shares.items() if term in has)


def rarity(statistics: Store, terms: list[str]) -> dict[str, float]:
    """term -> its idf among the bodies of all documents."""
    segments = statistics.segments()
    documents = sum(sum(segment.live) for segment in segments)
    found = {}
    for term in terms:
        postings, frequency = statistics.postings(term), 0
        for segment in segments:
            if segment.base in postings:
                places = postings[segment.base].places[_BODY]
                frequency += len(places) if all(segment.live) else sum(segment.live[place] for place in places)
        found[term] = _idf(documents, frequency)
    return found


def _idf(documents: int, frequency: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def _occurrences(postings: dict, segments: list, masks: list, field: int) -> tuple[list, int]:
    """-> ([(segment's place, pairs of place and frequency)], document frequency)."""
    lists, frequency = [], 0
    for place, segment in enumerate(segments):
        found = postings.get(segment.base)
        if found is None or not found.places[field]:
            continue
        pairs = list(zip(found.places[field], found.frequencies[field]))
        if masks[place] is not None:
            pairs = [pair for pair in pairs if masks[place][pair[0]]]
        frequency += len(pairs)
        lists.append((place, pairs))
    return lists, frequency


def _phrases(statistics: Store, docids: list[int], pairs: list[tuple], norms: dict[int, float]) -> dict[int, float]:
    """docid -> sum over the pairs of idf * count * (K1 + 1) / (count + norm)."""
    out = {}
    patterns = [(f" {a}  {b} ", idf * (weights.K1 + 1)) for a, b, idf in pairs]
    for docid, stream in statistics.streams(docids).items():
        value = 0.0
        for pattern, weight in patterns:
            count = stream.count(pattern)
            if count:
                value += weight * count / (count + norms[docid])
        if value:
            out[docid] = value
    return out


def _body_norms(segments: list, norms: list, docids: list[int]):
    wanted = set(docids)
    for place, segment in enumerate(segments):
        for docid in wanted.intersection(range(segment.base, segment.base + segment.size)):
            yield docid, norms[_BODY][place][docid - segment.base]


def _mask(segment, corpora: tuple[str, ...]) -> bytes | None:
    """One byte a document: whether it takes part; None when all do."""
    wanted = {CORPORA.index(name) for name in corpora}
    if all(segment.live) and (len(wanted) == len(CORPORA) or wanted.issuperset(segment.corpora)):
        return None
    return bytes(live and corpus in wanted for live, corpus in zip(segment.live, segment.corpora))


def _norms(segments: list, masks: list, searched: int) -> list[list[list[float]]]:
    """[field][segment][place] -> K1 * (1 - B + B * length / average length)."""
    k1, b = weights.K1, weights.B
    norms = []
    for number in range(len(FIELDS)):
        total = sum(
            sum(segment.lengths[number]) if mask is None else sum(n for n, m in zip(segment.lengths[number], mask) if m)
            for segment, mask in zip(segments, masks)
        )
        factor = k1 * b * searched / total if total else 0.0
        norms.append([[k1 * (1 - b) + factor * length for length in segment.lengths[number]] for segment in segments])
    return norms
