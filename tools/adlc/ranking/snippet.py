"""The line of a document that best shows why it was found."""

import math
import os

from adlc import files
from adlc.corpus.load import Corpus
from adlc.corpus.model import Document
from adlc.output import single_line
from adlc.ranking.tokens import tokens

LENGTH = 240
_WORDS = 8
_MARKS = " #>*-+"
# Before the title of a decision record stands its number.
_NUMBERING = _MARKS + "0123456789."


def best(corpus: Corpus, document: Document, frequencies: dict[str, int], searched: int) -> tuple[str, int]:
    """-> (one line of at most LENGTH characters, its 1-based number), or the purpose and 0.

    The line whose distinct query terms are rarest together; the first one on a tie. One that only repeats the id and the
    title, which are shown beside it, counts when there is nothing else.
    """
    try:
        path = os.path.join(corpus.root, document.path)
        text, _ = files.read_document(files.inside(corpus.root, path) or path)
    except files.Unreadable:
        return single_line(document.purpose, LENGTH), 0
    weights = {t: math.log(1 + searched / df) for t, df in frequencies.items() if df}
    # The rare words decide which line it is; looking for the common ones only takes time.
    rare = sorted(weights, key=lambda t: (-weights[t], t))[:_WORDS]
    rare = [t for t in rare if weights[t] >= weights[rare[0]] / 2]
    starts = [term[:-1] if len(term) > 3 else term for term in rare]
    lines = text.split("\n")
    shown = set(tokens(f"{document.id} {document.title}"))
    top, found, repeated = 0.0, 0, 0
    for first, last in document.searchable:
        for number in range(first, min(last, len(lines)) + 1):
            line = lines[number - 1]
            folded = line.lower()
            if not any(start in folded for start in starts):
                continue
            terms = set(tokens(line[:2000]))
            value = sum(weights.get(t, 0.0) for t in terms)
            if value <= top:
                continue
            if terms <= shown or set(tokens(line[:2000].lstrip(_NUMBERING))) <= shown:
                repeated = repeated or number
            else:
                top, found = value, number
    if not found and (document.purpose or not repeated):
        return single_line(document.purpose, LENGTH), 0
    found = found or repeated
    return single_line(lines[found - 1].lstrip(_MARKS), LENGTH), found
