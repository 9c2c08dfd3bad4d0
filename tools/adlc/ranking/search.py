"""Search: a question -> ranked documents with snippets. The one ranker of people, agents and panels."""

from adlc.corpus.load import Corpus
from adlc.corpus.model import Document
from adlc.corpus.segments import CORPORA
from adlc.errors import AdlcError
from adlc.ranking import lexical, snippet, weights
from adlc.ranking.query import Query

DIGITS = 4


class Hit:
    """document, score (rounded to DIGITS), parts: part -> contribution, snippet and its 1-based line (0: none)."""

    __slots__ = ("document", "score", "parts", "snippet", "line")

    def __init__(self, document: Document, score: float, parts: dict[str, float]):
        self.document, self.score, self.parts, self.snippet, self.line = document, score, parts, "", 0


class Answer:
    """hits, best first; matched: how many documents had a term; searched; terms: term -> document frequency."""

    __slots__ = ("hits", "matched", "searched", "terms")

    def __init__(self, hits: list[Hit], matched: int, searched: int, terms: dict[str, int]):
        self.hits, self.matched, self.searched, self.terms = hits, matched, searched, terms


def search(corpus: Corpus, query: str, limit: int, corpora: tuple[str, ...] = CORPORA) -> Answer:
    """The `limit` best documents for `query`. Raises AdlcError usage when the query has no word in it."""
    asked = Query(query)
    if not asked.weights:
        raise AdlcError("usage", "the query has no word or letter in it", 'say what you look for: adlc search "…"')
    scores = lexical.score(corpus.store, asked, corpora)
    ranked = _best(corpus, scores, limit)
    for hit in ranked:
        hit.snippet, hit.line = snippet.best(corpus, hit.document, scores.terms, scores.searched)
    terms = {term: scores.terms.get(term, 0) for term in asked.weights}
    return Answer(ranked, len(scores.docids), scores.searched, terms)


def _best(corpus: Corpus, scores: lexical.Scores, limit: int) -> list[Hit]:
    rounded = {docid: round(scores.total(docid), DIGITS) for docid in scores.docids}
    rounded = {docid: value for docid, value in rounded.items() if value > 0}
    if not rounded:
        return []
    values = sorted(rounded.values(), reverse=True)
    least = values[min(limit, len(values)) - 1]
    documents = corpus.store.documents([docid for docid, value in rounded.items() if value >= least])
    hits = [Hit(document, rounded[docid], _parts(scores, docid)) for docid, document in documents.items()]
    hits.sort(key=lambda h: (-h.score, h.document.id, h.document.path))
    return hits[:limit]


def _parts(scores: lexical.Scores, docid: int) -> dict[str, float]:
    weight = weights.FIELDS | {lexical.PHRASE: weights.PHRASE}
    return {name: round(weight[name] * scores.parts[name].get(docid, 0.0), DIGITS) for name in lexical.PARTS}
