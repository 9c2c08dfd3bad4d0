"""spec-first, before a prompt is acted on: the documents that govern it, once a session, when the floor is sure."""

import math
import re

from adlc import lifecycle, project
from adlc.corpus import load
from adlc.hooks import remark, session
from adlc.ranking.search import search

NAME, EVENT = "spec-first", "UserPromptSubmit"
MAX_PROMPT = 4000
_FEWEST_TERMS = 4
# The best score must be SURE times ln(number of documents): rare words weigh that much in a larger corpus. Above
# USUAL terms it must grow with them, because every word of a long text adds something somewhere.
# bench/hooks.py measures this.
SURE, USUAL, GROWTH = 5.0, 12, 0.8
# A further document is named with this share of the best score.
SHARE, NAMED = 0.5, 3
# Housekeeping is no question about behaviour, whatever documents use its words.
_CHORE = re.compile(
    r"(?:please |now |can you |could you |ok(?:ay)?,? |yes,? |and )*"
    r"(?:commit|push|pull|fetch|revert|undo|rebase|squash|stash|merge|cherry-pick|checkout|resolve (?:the|this|all|my) (?:merge )?conflict"
    r"|delete (?:the|all|my|old) (?:\w+ ){0,2}branch|translate|install|format|lint|run|re-?run|show me the (?:last|diff|log)"
    r"|continue|go on|go ahead|thanks?|thank you)\b", re.I,
)


def text(call: dict, root: str) -> str | None:
    prompt = call.get("prompt")
    # A command of the client brings its own instructions.
    if not isinstance(prompt, str) or prompt.lstrip()[:1] in ("/", "!", "#", "") or _CHORE.match(prompt.lstrip()):
        return None
    if session.said(call["session_id"], NAME):
        return None
    documents = load.answer(root, lambda corpus: governing(corpus, prompt))
    return remark.compose(
        EVENT, "Before you act, read what seems to govern this: ", [remark.named(d) for d in documents], "; {} more: adlc search",
    )


def governing(corpus, prompt: str) -> list:
    """The documents that govern the prompt, best first; none unless the first is a confident hit."""
    found = search(corpus, prompt[:MAX_PROMPT], NAMED * 2, ("spec",))
    terms = len(found.terms)
    if not found.hits or terms < _FEWEST_TERMS or found.hits[0].score < sure(found.searched, terms):
        return []
    excluded = lifecycle.spec_exclusions()
    least = found.hits[0].score * SHARE
    kept = [hit.document for hit in found.hits if hit.score >= least and hit.document.status.strip().casefold() not in excluded]
    return kept[:NAMED]


def sure(documents: int, terms: int) -> float:
    """The score from which on a hit is sure, for that many documents and terms of the question."""
    # In a handful of documents every word is rare or everywhere: count them as a dozen.
    return SURE * math.log(max(documents, 12)) * max(1.0, terms / USUAL) ** GROWTH


def root_of(call: dict) -> str | None:
    return project.find_root(call["cwd"])
