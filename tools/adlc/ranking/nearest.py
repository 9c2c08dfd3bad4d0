"""What to say when nothing matches, or hardly anything: the titles that come nearest, the scripts the documents
are written in, the words of the question that the best document lacks.

All of it is bounded, so that a question without an answer costs no more than one with an answer.
"""

import math
import re

from adlc.corpus.load import Corpus
from adlc.corpus.model import Document
from adlc.corpus.segments import CORPORA, FIELDS
from adlc.ranking.search import Answer
from adlc.ranking.tokens import tokens

# A document that has less than this share of the question's words, weighed by their rarity, is a weak match.
WEAK = 0.25
_FEWEST_WORDS, _MISSING = 3, 6
_MAX_WORDS = 5
# How many edits make another word: one in four characters.
_ALIKE = 0.75
_SHORTEST_PREFIX = 4
_NAME = FIELDS.index("name")
# In a larger corpus only terms with the same first letter are compared.
_WHOLE_VOCABULARY = 500
_SAMPLE, _PURPOSE = 300, 300
# Less than this share of the letters is a foreign word or a formula, not what the documents are written in.
_LEAST_SHARE = 0.01
_QUERY_SHARE = 0.25


class Hint:
    """nearest: Documents whose names are like words of the question that no document has, the most alike first. scripts:
    what the documents are written in, the commonest first. missing: words that the best document lacks, or without one
    all of them; the first _MISSING. foreign: scripts that much of the question is in and the documents are not."""

    __slots__ = ("nearest", "scripts", "missing", "foreign")

    def __init__(self, nearest: list[Document], scripts: list[str], missing: list[str], foreign: list[str]):
        self.nearest, self.scripts, self.missing, self.foreign = nearest, scripts, missing, foreign


def hint(corpus: Corpus, query: str, found: Answer, corpora: tuple[str, ...] = CORPORA) -> Hint | None:
    """What helps on when nothing matches, the best match is weak, or the question is in another script; else None."""
    if found.hits:
        lacking = missing(corpus, query, found.terms, found.searched, found.hits[0].document)
        if not lacking and all_latin(query):
            return None
        unknown = [word for word in lacking if not any(found.terms.get(term) for term in tokens(word))]
    else:
        lacking = unknown = query.split()
    known = scripts(corpus, corpora)
    other = foreign(query, known)
    if found.hits and not lacking and not other:
        return None
    return Hint(titles(corpus, unknown, corpora), known, lacking[:_MISSING], other)


def titles(corpus: Corpus, words: list[str], corpora: tuple[str, ...] = CORPORA, limit: int = 3) -> list[Document]:
    """Documents whose id or title has terms like those of `words`, by edit distance, the most alike first."""
    alike: dict[int, float] = {}
    every = list(dict.fromkeys(tokens(" ".join(words)[:400])))[:_MAX_WORDS]
    known = _vocabulary(corpus, every)
    for asked in every:
        best: dict[int, float] = {}
        for value, term in _alike(known, asked):
            for docid in _named(corpus, term, corpora):
                best.setdefault(docid, value)
        for docid, value in best.items():
            alike[docid] = round(alike.get(docid, 0.0) + value, 6)
    if not alike:
        return []
    least = sorted(alike.values(), reverse=True)[min(limit, len(alike)) - 1]
    documents = corpus.store.documents([docid for docid, value in alike.items() if value >= least])
    ranked = sorted(documents, key=lambda docid: (-alike[docid], documents[docid].id, documents[docid].path))
    return [documents[docid] for docid in ranked[:limit]]


def scripts(corpus: Corpus, corpora: tuple[str, ...] = CORPORA) -> list[str]:
    """What titles and purposes are written in, the commonest first, in the words of the Unicode character names.

    Of a large corpus, documents evenly spread over the paths are looked at.
    """
    paths = sorted(path for path, _, kind, *_ in corpus.listed() if kind in corpora)
    step = -(-len(paths) // _SAMPLE) or 1
    counts = _letters(" ".join(f"{d.title} {d.purpose[:_PURPOSE]}" for d in _at(corpus, paths[::step])))
    least = sum(counts.values()) * _LEAST_SHARE
    return [name for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count >= least]


def foreign(query: str, known: list[str]) -> list[str]:
    """The scripts that much of `query` is written in and the documents are not."""
    counts = _letters(query)
    least = sum(counts.values()) * _QUERY_SHARE
    return sorted(name for name, count in counts.items() if count >= least and name not in known)


def all_latin(query: str) -> bool:
    return query.isascii() or not _letters(query).keys() - {"Latin"}


def missing(corpus: Corpus, query: str, terms: dict[str, int], searched: int, best: Document) -> list[str]:
    """The words of `query` that `best` lacks, if it is a weak match; else none.

    terms: term -> document frequency. Scripts without spaces are left out: most of their pairs of
    characters are no words.
    """
    asked = {term: math.log(1 + searched / max(df, 0.5)) for term, df in terms.items() if _is_word(term)}
    if len(asked) < _FEWEST_WORDS:
        return []
    has = set(tokens(f"{best.id} {best.title} {best.purpose}"))
    has.update(_stream(corpus, best).split())
    if sum(value for term, value in asked.items() if term in has) >= WEAK * sum(asked.values()):
        return []
    lacking = [word for word in re.findall(r"[\w-]+", query) if (of := tokens(word)) and has.isdisjoint(of) and _is_word(of[0])]
    return list(dict.fromkeys(lacking))


def _is_word(term: str) -> bool:
    # The tokenizer's scripts without spaces begin at Thai; what lies above it is not told apart here.
    return term < "\u0e00"


def _vocabulary(corpus: Corpus, asked: list[str]) -> set[str]:
    """The terms that those of `asked` are compared with."""
    segments = corpus.store.segments()
    if sum(segment.size for segment in segments) <= _WHOLE_VOCABULARY:
        return set(corpus.store.vocabulary())
    found: set[str] = set()
    for first in {term[0] for term in asked}:
        for segment in segments:
            rows = corpus.store.connection.execute(
                "SELECT term FROM postings WHERE base=? AND term>=? AND term<?", (segment.base, first, chr(ord(first) + 1))
            )
            found.update(term for term, in rows)
    return found


def _alike(vocabulary: set[str], asked: str) -> list[tuple[float, str]]:
    """(similarity, term) of the terms that can stand for `asked`, the most alike first."""
    letters, size = set(asked), len(asked)
    # Longer by more than a third is more than one edit in four characters.
    near = [term for term in vocabulary if size * 3 <= len(term) * 4 and len(term) * 3 <= size * 4]
    found = []
    for term in near:
        longest = len(term) if len(term) > size else size
        edits = int(longest * (1 - _ALIKE))
        if len(letters.symmetric_difference(term)) <= 2 * edits:
            distance = _distance(asked, term)
            if distance <= edits:
                found.append((1 - distance / longest, term))
    if size >= _SHORTEST_PREFIX or not asked.isascii():
        seen = {term for _, term in found}
        found += [(_ALIKE, term) for term in vocabulary if term.startswith(asked) and term not in seen]
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def _distance(a: str, b: str) -> int:
    """Edits that turn a into b: insert, delete, replace, swap neighbours."""
    before, last = [], list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            value = min(last[j] + 1, row[-1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                value = min(value, before[j - 2] + 1)
            row.append(value)
        before, last = last, row
    return last[-1]


def _named(corpus: Corpus, term: str, corpora: tuple[str, ...]) -> list[int]:
    """docids of the documents with `term` in id or title; none when so many have it that it leads nowhere."""
    segments, found, live = corpus.store.segments(), [], 0
    postings = corpus.store.postings(term)
    wanted = {CORPORA.index(name) for name in corpora}
    for segment in segments:
        live += sum(segment.live)
        if segment.base in postings:
            places = postings[segment.base].places[_NAME]
            found += [segment.base + p for p in places if segment.live[p] and segment.corpora[p] in wanted]
    return found if len(found) <= max(20, live // 20) else []


def _at(corpus: Corpus, paths: list[str]) -> list[Document]:
    docids = [
        docid for path in paths for docid, in corpus.store.connection.execute("SELECT docid FROM docs WHERE path=?", (path,))
    ]
    return list(corpus.store.documents(docids).values())


def _stream(corpus: Corpus, document: Document) -> str:
    row = corpus.store.connection.execute("SELECT docid FROM docs WHERE path=?", (document.path,)).fetchone()
    return corpus.store.streams([row[0]])[row[0]] if row else ""


def _letters(text: str) -> dict[str, int]:
    """script -> how many letters of `text` are of it."""
    import collections
    import unicodedata

    counts: dict[str, int] = {}
    for char, count in collections.Counter(unicodedata.normalize("NFKC", text)).items():
        if char.isalpha():
            name = "LATIN" if char.isascii() else unicodedata.name(char, "UNKNOWN").split(" ")[0]
            name = "Han" if name == "CJK" else name.capitalize()
            counts[name] = counts.get(name, 0) + count
    return counts
