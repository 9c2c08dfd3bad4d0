"""What to say when nothing matches: the titles that come nearest, and the scripts the documents are written in."""

import re

from adlc.corpus.model import Document

_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 8
_LEAST = 0.75


def titles(documents: list[Document], query: str, limit: int = 3) -> list[Document]:
    """Documents whose id or title has words like those of `query`, by edit distance, the most alike first."""
    import difflib

    words = [set(_words(f"{d.id} {d.title}")) for d in documents]
    known = sorted(set().union(*words))
    alike: dict[int, float] = {}
    for asked in list(dict.fromkeys(_words(query[:400])))[:_MAX_WORDS]:
        near = {
            word: difflib.SequenceMatcher(None, word, asked).ratio()
            for word in difflib.get_close_matches(asked, known, 5, _LEAST)
        }
        for place, has in enumerate(words):
            best = max((near[word] for word in has if word in near), default=0.0)
            if best:
                alike[place] = alike.get(place, 0.0) + best
    ranked = sorted(alike, key=lambda place: (-round(alike[place], 6), documents[place].id, documents[place].path))
    return [documents[place] for place in ranked[:limit]]


def scripts(documents: list[Document]) -> list[str]:
    """The scripts of titles and purposes, the commonest first, in the words of the Unicode character names."""
    import unicodedata

    counts: dict[str, int] = {}
    for document in documents:
        for char in f"{document.title} {document.purpose}":
            if char.isalpha():
                name = "LATIN" if char.isascii() else unicodedata.name(char, "UNKNOWN").split(" ")[0]
                counts[name] = counts.get(name, 0) + 1
    return [name.capitalize() if name != "CJK" else "Han" for name in sorted(counts, key=lambda n: (-counts[n], n))]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
