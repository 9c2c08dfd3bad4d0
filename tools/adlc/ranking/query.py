"""What a question asks for: its terms with weights, and the pairs of words that stand side by side."""

import math
import re

from adlc.ranking.tokens import stem, tokens
from adlc.ranking.weights import FUNCTION, SUBJECT

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")

# The closed classes of English: determiners, pronouns, question words, conjunctions, prepositions, auxiliaries, and the
# commonest adverbs. Questions are full of them, specifications have some of them seldom ("I", "nothing", "can"): there,
# being rare says little of what a question is about.
_FUNCTION_WORDS = frozenset(map(stem, """
    a an the this that these those each every some any no all both either neither another such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves somebody someone something anybody anyone anything nobody
    none nothing everybody everyone everything one
    who whom whose which what when where why how whether
    and or but nor so yet if because although though unless until while than as
    about above across after against along among around at before behind below beneath beside between beyond by
    despite down during except for from in inside into of off on onto out outside over per since through to toward
    towards under up upon via with within without
    am is are was were be been being do does did done doing have has had having can could may might must shall should
    will would ought cannot
    not only just also too very then there here now again still already ever never always often else
""".split()))


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text that are more than a mark."""
    return [part.strip() for part in _SENTENCE.split(text) if len(part.strip()) > 2]


class Query:
    """weights: term -> weight > 0. pairs: distinct (term, next term), in order. Both empty without any word."""

    __slots__ = ("text", "weights", "pairs")

    def __init__(self, text: str, subject: float = SUBJECT, function: float = FUNCTION):
        """A term counts 1 + ln(occurrences); in the first of several sentences, which names what it is
        about, (1 + subject) times that; an English function word `function` times that."""
        self.text = text
        first, *rest = [part for part in _SENTENCE.split(text) if part.strip()] or [""]
        head, tail = tokens(first), tokens("\n".join(rest))
        counts: dict[str, int] = {}
        for term in (*head, *tail):
            counts[term] = counts.get(term, 0) + 1
        boosted = set(head) if tail else set()
        self.weights = {
            term: (1 + math.log(count)) * (1 + subject if term in boosted else 1.0) * (function if term in _FUNCTION_WORDS else 1.0)
            for term, count in counts.items()
        }
        run = [*head, *tail]
        self.pairs = list(dict.fromkeys((a, b) for a, b in zip(run, run[1:]) if a != b))
