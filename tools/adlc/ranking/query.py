"""What a question asks for: its terms with weights, and the pairs of words that stand side by side."""

import math
import re

from adlc.ranking.tokens import tokens
from adlc.ranking.weights import SUBJECT

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text that are more than a mark."""
    return [part.strip() for part in _SENTENCE.split(text) if len(part.strip()) > 2]


class Query:
    """weights: term -> weight > 0. pairs: distinct (term, next term), in order. Both empty without any word."""

    __slots__ = ("text", "weights", "pairs")

    def __init__(self, text: str, subject: float = SUBJECT):
        """A term counts 1 + ln(occurrences); in the first of several sentences, which names what it is
        about, (1 + subject) times that."""
        self.text = text
        first, *rest = [part for part in _SENTENCE.split(text) if part.strip()] or [""]
        head, tail = tokens(first), tokens("\n".join(rest))
        counts: dict[str, int] = {}
        for term in (*head, *tail):
            counts[term] = counts.get(term, 0) + 1
        boosted = set(head) if tail else set()
        self.weights = {
            term: (1 + math.log(count)) * (1 + subject if term in boosted else 1.0) for term, count in counts.items()
        }
        run = [*head, *tail]
        self.pairs = list(dict.fromkeys((a, b) for a, b in zip(run, run[1:]) if a != b))
