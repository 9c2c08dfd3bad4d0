"""`## Retrieved Context` holds the lines that retrieval prints: a snapshot, of which the form is checked.

That the documents exist is checked too, but never whether retrieval would name them today.
"""

import re

from adlc.ranking import tags
from adlc.ranking.context_lines import COLD_START, SUPPRESSED, UNREADABLE

_LINE = re.compile(r"[-*] (?P<id>\S+) \((?P<corpus>lesson|bug|spec), score (?P<score>[1-9][0-9]*)\): (?P<title>\S.*)")
_SENTENCES = (COLD_START, SUPPRESSED, UNREADABLE)


def check(page, corpus):
    section = page.section("Retrieved Context") if page.corpus == "spec" else None
    if section is None:
        return
    sentences, rows, seen = [], 0, set()
    for number in range(section.start, section.end):
        line = page.shown[number].rstrip()
        if not line.strip():
            continue
        if line in _SENTENCES:
            if rows or sentences:
                yield number + 1, "this sentence stands alone, before any document"
            sentences.append(line)
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            yield number + 1, _why(line)
            continue
        rows += 1
        if match["id"] in seen:
            yield number + 1, f"{match['id']} is listed twice"
        seen.add(match["id"])
        if match["id"] == page.id:
            yield number + 1, "lists the document itself"
        elif match["id"] not in corpus.ids:
            yield number + 1, f"lists {match['id']}, which does not exist"
        elif match["corpus"] not in corpus.ids[match["id"]]:
            yield number + 1, f"{match['id']} is no {match['corpus']}"
    if COLD_START in sentences and rows:
        yield section.line + 1, "says that nothing was retrieved, and lists documents"
    if rows > tags.TOP:
        yield section.line + 1, f"lists {rows} documents; retrieval gives at most {tags.TOP}"


def _why(line: str) -> str:
    near = next((s for s in _SENTENCES if line.strip(" .-*_").casefold() == s.strip(".").casefold()), None)
    if near:
        return f"write exactly: {near}"
    return "is neither '- ID (lesson|bug|spec, score N): title' nor one of the three sentences"
