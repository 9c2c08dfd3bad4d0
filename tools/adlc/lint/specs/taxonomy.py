"""Tags are words of `.adlc/context/taxonomy.md`, so that the same thing has one spelling.

Only a dimension that the taxonomy fills is checked. `tags` are free words: there, just a value that is
nearly a known one is named, which is how a second spelling begins.
"""

import difflib
import os
import re

from adlc import files
from adlc.corpus import markdown
from adlc.ranking.tags import DIMENSIONS, fold

FILE = ".adlc/context/taxonomy.md"
FREE = "tags"
_WORD = re.compile(r"`([^`\n]+)`")


def vocabulary(root: str) -> dict[str, dict[str, str]]:
    """dimension -> folded value -> value; {} without a taxonomy that can be read."""
    path = files.inside(root, os.path.join(root, FILE))
    try:
        lines = markdown.visible(files.read_document(path)[0].split("\n")) if path else []
    except files.Unreadable:
        return {}
    known: dict[str, dict[str, str]] = {}
    for section in markdown.sections(lines):
        dimension = section.title.casefold()
        if section.level == 2 and dimension in DIMENSIONS:
            words = _WORD.findall("\n".join(lines[section.start:section.end]))
            known[dimension] = {fold(word): word for word in words if not word.startswith("<")}
    return {dimension: words for dimension, words in known.items() if words}


def check(page, corpus):
    if page.head.state != "ok":
        return
    for dimension, known in corpus.vocabulary.items():
        for value in page.head.list(dimension):
            if fold(value) in known:
                continue
            near = difflib.get_close_matches(fold(value), sorted(known), 1, 0.8 if dimension == FREE else 0.6)
            if near:
                yield page.key_line(dimension), f"{dimension} '{value}' is not in {FILE}; nearest: {known[near[0]]}"
            elif dimension != FREE:
                others = [name for name, words in corpus.vocabulary.items() if fold(value) in words]
                there = f"; there it is a value of {' and '.join(others)}" if others else ""
                yield page.key_line(dimension), f"{dimension} '{value}' is not in {FILE}{there}"
