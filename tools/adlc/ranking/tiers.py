"""Which documents must be read, which may matter, and which may be ignored.

A z-score alone always calls something direct, for something always stands out. So `direct` also needs a
share of the best score and evidence that does not depend on the other documents: how near the document
lies to the question, and how much of what the question says it says. It may be empty.
The constants are chosen by `bench/tiers.py`, which prints how they do.
"""

DIRECT_Z, DIRECT_SHARE, DIRECT_CAP = 0.60, 0.75, 3
RELATED_Z, RELATED_SHARE, RELATED_CAP = -0.20, 0.10, 6
# Evidence by meaning is the cosine of the document and that of the best one, plus these shares.
PHRASE, NAME, DIGEST = 0.90, 0.35, 0.40
SURE = 0.68
# Evidence by words alone is the lexical score for each term of the question.
SURE_BY_WORDS = 1.0


class Words:
    """What the lexical floor says of one document. each: its score for each term of the question. phrase: the
    phrases' part of that. name: the score of id and title."""

    __slots__ = ("each", "phrase", "name")

    def __init__(self, each: float, phrase: float, name: float):
        self.each, self.phrase, self.name = each, phrase, name


NO_WORDS = Words(0.0, 0.0, 0.0)


class Tiers:
    """direct, related: paths, best first."""

    __slots__ = ("direct", "related")

    def __init__(self, direct: list[str], related: list[str]):
        self.direct, self.related = direct, related


def by_meaning(words: Words, cosine: float, digest: float, best: float) -> float:
    """How sure it is that a document is about the question; 1.0 is just sure.

    cosine: of its nearest part. digest: of its title and purpose. best: the highest cosine of any document.
    """
    shared = PHRASE * min(words.phrase, 0.6) + NAME * min(words.name, 8.0) / 8.0
    return (cosine + best + shared + DIGEST * min(digest, 0.6)) / SURE


def by_words(words: Words) -> float:
    """The same where there is no meaning to ask."""
    return words.each / SURE_BY_WORDS


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
