"""Which documents must be read, which may matter, and which may be ignored.

A z-score alone always calls something direct, for something always stands out. So `direct` also needs a
share of the best score and evidence that the question is about this corpus, and about this document. It may
be empty; so may `related`, which asks for far less of the same evidence. The constants are chosen by
`bench/tiers.py`, which prints how they do.
"""

import itertools
import math

DIRECT_Z, DIRECT_SHARE, DIRECT_CAP = 0.60, 0.75, 3
RELATED_Z, RELATED_CAP = -0.20, 6

# Evidence by meaning is a sum of log odds (a logistic regression): how much the question is about anything here;
# of one document the lexical score for each term of the question, the phrases' part of it, the score of its name,
# each up to a bound; and how far down words and meaning rank it.
ABOUT, EACH, PHRASE, NAME, RANKS = 25.0, 1.2, 3.5, 1.8, 0.6
EACH_MOST, PHRASE_MOST, NAME_MOST = 2.0, 0.6, 8.0
SURE = 5.0
# What has less evidence than this is no lead: it takes next to nothing from governed questions, half the rows of others.
# Evidence is looked at for so many documents only, best first: of 100,000 many have an average score.
LEAD, LOOKED_AT = -3.0, 50
# Where there is no meaning to ask: what the words of one document say, each as above.
EACH_ALONE, PHRASE_ALONE, NAME_ALONE = 1.0, 2.0, 1.5
SURE_ALONE = 1.25

# A document that has nearly every word of a question, most of which the corpus knows, is what the question was taken
# from. It says nothing about how far behind it the others are.
SOURCE_TERMS, SOURCE_KNOWN, SOURCE_HELD = 6, 0.80, 0.95


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


def by_meaning(words: Words, about: float, ranks: tuple[int, int]) -> float:
    """How sure it is that a document is about the question; from 0.0 on it is sure.

    about: Nearness.about. ranks: how many documents are before it by words, and by meaning.
    """
    return ABOUT * about + _said(words, EACH, PHRASE, NAME) - RANKS * math.log((1 + ranks[0]) * (1 + ranks[1])) - SURE


def by_words(words: Words) -> float:
    """The same where there is no meaning to ask."""
    return _said(words, EACH_ALONE, PHRASE_ALONE, NAME_ALONE) - SURE_ALONE


def _said(words: Words, each: float, phrase: float, name: float) -> float:
    return each * min(words.each, EACH_MOST) + phrase * min(words.phrase, PHRASE_MOST) + name * min(words.name, NAME_MOST) / NAME_MOST


def tiers(
    ranked: list[str], z: dict[str, float], sure, barred: set[str], lifted: set[str], told, source: str, top: int | None
) -> Tiers:
    """ranked: paths that some signal speaks for, best first. z: their fused z-scores, all equal when nothing sets the
    documents apart. sure: function, path -> evidence by words and meaning. barred: may not be direct (they claim other
    files precisely). lifted: direct in any case (they claim the given files precisely). told: function, path -> whether
    something else speaks for it, so that it is related without that evidence. source: what the question was taken from, or "". top: at
    most so many documents in all."""
    best = max((z[path] for path in ranked if path != source), default=0.0)
    apart = any(z[path] > 0 for path in ranked)

    def stands_out(path: str) -> bool:
        return path == source or not apart or z[path] > DIRECT_Z and z[path] >= DIRECT_SHARE * best

    direct = [path for path in ranked if path in lifted or path not in barred and stands_out(path) and sure(path) >= 0]
    direct.sort(key=lambda path: path not in lifted)
    direct = direct[:DIRECT_CAP]
    chosen = set(direct)
    leads = (
        path for place, path in enumerate(ranked)
        if path not in chosen and z[path] > RELATED_Z and (told(path) or place < LOOKED_AT and sure(path) >= LEAD)
    )
    related = list(itertools.islice(leads, RELATED_CAP))
    if top is not None:
        direct, related = direct[:top], related[:max(top - len(direct), 0)]
    return Tiers(direct, related)
