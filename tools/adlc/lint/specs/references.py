"""What a document points at within the repository is there: its own rules and criteria, `related:`, linked files.

A bare id in prose is not judged: numbers are shared by all repositories of a user, so it may be a neighbour's.
"""

import os
import re
import urllib.parse

from adlc import files

_REF = re.compile(r"(?<![\w-])(?P<ref>(?P<prefix>BR|AC)-\d+[a-z]?)(?![\w-])")
# "REQ-258 BR-7" is a rule of another document.
_FOREIGN = re.compile(r"(?:REQ|BUG|LESSON)-\d+(?:'s)?[\s,(]+(?:(?:BR|AC)-\d+[a-z]?(?:,| and| or|/)?\s*)*$")
_OWN_ID = re.compile(r"(?:REQ|BUG|LESSON)-[0-9]+$", re.A)
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|/")


def check(page, corpus):
    yield from _related(page, corpus)
    if page.corpus == "spec":
        yield from _rules(page)
    yield from _links(page, corpus)


def _related(page, corpus):
    for value in page.head.list("related"):
        if _OWN_ID.match(value) and value not in corpus.ids:
            yield page.key_line("related"), f"related names {value}, which does not exist"


def _rules(page):
    defined: dict[str, set[str]] = {"BR": set(), "AC": set()}
    for title in ("Business Rules", "Acceptance Criteria"):
        section = page.section(title)
        for _, text in page.items(section) if section else ():
            match = _REF.match(text.lstrip("*"))
            if match:
                defined[match["prefix"]].add(match["ref"])
    retrieved = page.section("Retrieved Context")
    for number, line in enumerate(page.prose):
        if retrieved and retrieved.start <= number < retrieved.end:
            continue
        for match in _REF.finditer(line):
            # Criteria without numbers cannot be referred to; then the word means something else.
            if defined[match["prefix"]] and match["ref"] not in defined[match["prefix"]] and not _FOREIGN.search(line[: match.start()]):
                yield number + 1, f"{match['ref']} is not defined in this document"


def _links(page, corpus):
    folder = os.path.dirname(page.path)
    for number, line in enumerate(page.prose):
        for match in _LINK.finditer(line):
            target = urllib.parse.unquote(match[1].partition("#")[0])
            if not target or _SCHEME.match(match[1]):
                continue
            path = os.path.join(corpus.root, folder, target)
            if not os.path.lexists(path) or files.inside(corpus.root, path) is None:
                yield number + 1, f"links to {match[1][:80]}, which is not in this repository"
