"""Which documents must be read, which may matter, and which may be ignored.

A z-score alone always calls something direct, for something always stands out. So `direct` also needs a
share of the best score and evidence that does not depend on the other documents: how near the document
lies to the question, and how much of what the question says it says. It may be empty.
The constants are chosen by `bench/tiers.py`, which prints how they do.
"""

DIRECT_Z, DIRECT_SHARE, DIRECT_CAP = 0.60, 0.80, 3
RELATED_Z, RELATED_SHARE, RELATED_CAP = -0.20, 0.10, 6
# Evidence = cosine + LEXICAL * lexical score for each term of the question (at most TERM_CAP each).
EVIDENCE, LEXICAL, TERM_CAP = 0.40, 0.08, 3.0
# Without meaning, lexical evidence alone.
KEYWORD_EVIDENCE = 1.0


class Tiers:
    """direct, related: paths, best first."""

    __slots__ = ("direct", "related")

    def __init__(self, direct: list[str], related: list[str]):
        self.direct, self.related = direct, related


def evidence(lexical: float, terms: int, cosine: float | None) -> float:
    """How sure it is that a document is about the question, in units of the threshold (1.0: just sure).

    lexical: its lexical score. terms: of the question. cosine: of its nearest part; None without meaning.
    """
    each = min(lexical / max(terms, 1), TERM_CAP)
    if cosine is None:
        return each / KEYWORD_EVIDENCE
    return (cosine + LEXICAL * each) / EVIDENCE


def tiers(ranked: list[str], z: dict[str, float], sure: dict[str, float], barred: set[str], lifted: set[str], top: int | None) -> Tiers:
    """ranked: paths, best first. z: their fused z-scores. sure: path -> evidence. barred: may not be direct (they
    claim other files precisely). lifted: direct in any case (they claim the given files precisely). top: at most
    so many documents in all."""
    best = max((z[path] for path in ranked), default=0.0)
    direct = [
        path for path in ranked
        if path in lifted or path not in barred and z[path] > DIRECT_Z and z[path] >= DIRECT_SHARE * best and sure[path] >= 1.0
    ]
    direct.sort(key=lambda path: path not in lifted)
    direct = direct[:DIRECT_CAP]
    chosen = set(direct)
    related = [
        path for path in ranked
        if path not in chosen and z[path] > RELATED_Z and z[path] >= RELATED_SHARE * best
    ][:RELATED_CAP]
    if top is not None:
        direct, related = direct[:top], related[:max(top - len(direct), 0)]
    return Tiers(direct, related)
