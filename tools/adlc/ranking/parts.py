"""Which parts of one document fit a question best, by words, and which headings say nothing of what is below them."""

from adlc.corpus.model import Document
from adlc.corpus.store import Store
from adlc.ranking import lexical, weights
from adlc.ranking.query import Query
from adlc.ranking.tokens import tokens

# What the templates of spec tools call a section in every document, folded for case and without a number before it.
_SHARED = frozenset((
    "description", "purpose", "overview", "summary", "introduction", "abstract", "context", "background", "motivation", "why",
    "goal", "goals", "scope", "problem", "problem statement", "context and problem statement", "raw source", "expanded spec",
    "decision", "decision outcome", "proposed decision", "consequences", "considered options", "decision drivers", "status",
    "requirements", "functional requirements", "business rules", "acceptance criteria", "success criteria", "user stories",
    "system model", "entities", "events", "permissions", "external dependencies", "dependencies", "assumptions", "constraints",
    "open questions", "out of scope", "non-goals", "retrieved context", "notes", "related", "related specs", "references", "links",
    "what happened", "lesson", "why it matters", "how to apply", "applies when", "steps to reproduce", "reproduction steps",
    "expected behaviour", "expected behavior", "actual behaviour", "actual behavior", "environment", "root cause", "resolution",
    "files", "files changed",
    "目的", "用途", "概述", "概要", "简介", "介绍", "背景", "摘要", "需求", "要件", "上下文", "决策", "决定", "決定", "はじめに", "コンテキスト",
))


def own(title: str) -> bool:
    """Whether a heading names what is below it, as none does that a template gives to every document."""
    return title.strip(" \t*_:：.0123456789").casefold() not in _SHARED


def by_words(statistics: Store, document: Document, query: Query, kinds: tuple[str, ...], limit: int) -> list[tuple[float, str, str]]:
    """[(score > 0, ref, title)] of the parts of these kinds that fit best, at most `limit`; the first one on a tie.

    document: read with its chunks. BM25 (see `lexical`) with the parts as the documents, but the rarity of a term
    is that in the whole corpus: the few parts of one document cannot tell a common word from a telling one.
    """
    parts = [(chunk, tokens(f"{chunk.title} {chunk.text}")) for chunk in document.chunks if chunk.kind in kinds]
    terms = sorted(query.weights.keys() & {term for _, found in parts for term in found})
    if not terms:
        return []
    rarity = lexical.rarity(statistics, terms)
    factor = weights.K1 * weights.B * len(parts) / sum(len(found) for _, found in parts)
    scored = []
    for place, (chunk, found) in enumerate(parts):
        norm, value = weights.K1 * (1 - weights.B) + factor * len(found), 0.0
        for term in terms:
            count = found.count(term)
            value += query.weights[term] * rarity[term] * count * (weights.K1 + 1) / (count + norm)
        if value > 0:
            scored.append((-value, place, chunk))
    return [(-value, chunk.ref, chunk.title) for value, _, chunk in sorted(scored, key=lambda item: item[:2])[:limit]]
