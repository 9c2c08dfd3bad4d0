"""The tokenizer that documents and queries share.

Words are case-folded, stripped of accents and lightly stemmed (English suffixes). A compound such as
`camelCase`, `snake_case` or `kebab-case` gives its parts and also the whole. Scripts written without
spaces (Chinese, Japanese, Thai, …) and Korean give overlapping pairs of characters, and a run of one
character gives that character.
"""

import re

# Changing what this module returns makes stored term statistics wrong: raise the number.
VERSION = 1

# Scripts written without spaces, and Korean. A regular expression class of this size would take 10 ms
# to compile at every start.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),  # Thai, Lao; Myanmar; Khmer
    (0x3005, 0x3007), (0x3040, 0x30FF), (0x3130, 0x318F), (0x31F0, 0x31FF),  # kana, Hangul letters
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),  # Han, Hangul
)
_ASCII_RUN = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")
_JOINT = re.compile(r"[-_]+")
# fooBar, HTTPServer; but APIs stays one word.
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")

_cache: dict[str, tuple[str, ...]] = {}


def tokens(text: str) -> list[str]:
    """The terms of `text` in order, repeats included."""
    if not text.isascii():
        return _tokens_of_any_script(text)
    out: list[str] = []
    for run in _ASCII_RUN.findall(text):
        terms = _cache.get(run)
        if terms is None:
            terms = _cache[run] = _terms(run)
        out += terms
    return out


def _tokens_of_any_script(text: str) -> list[str]:
    import unicodedata

    letters = {c for c in set(text) if c > "\x7f" and (c.isalnum() or unicodedata.category(c)[0] == "M")}
    if not letters:
        # Dashes, quotes and arrows in English prose.
        return tokens(text.encode("ascii", "replace").decode("ascii"))
    text = unicodedata.normalize("NFKC", text)
    kinds = {c: _kind(c, unicodedata) for c in set(text)}
    out: list[str] = []
    start, kind = 0, 0
    for place, char in enumerate(text):
        now = kinds[char]
        if now == kind:
            continue
        if now == _JOINER and kind == _WORD:
            # A joiner belongs to the word when a letter follows it.
            following = text[place + 1:place + 2]
            if following and kinds[following] == _WORD:
                continue
        if now == _WORD and kind == _WORD:
            continue
        if kind in (_WORD, _UNBROKEN):
            out += _known(text[start:place], kind)
        start, kind = place, now
        if now == _JOINER:
            kind = _OTHER
    if kind in (_WORD, _UNBROKEN):
        out += _known(text[start:], kind)
    return out


_OTHER, _WORD, _UNBROKEN, _JOINER = 0, 1, 2, 3


def _kind(char: str, unicodedata) -> int:
    if char in "-_":
        return _JOINER
    code = ord(char)
    if code >= 0x0E00 and (char.isalnum() or unicodedata.category(char)[0] == "M"):
        return _UNBROKEN if any(low <= code <= high for low, high in _UNSPACED) else _WORD
    # Vowel signs and accents are part of a word in Indic, Arabic and Hebrew script.
    return _WORD if char.isalnum() or code > 127 and unicodedata.category(char)[0] == "M" else _OTHER


def _known(run: str, kind: int) -> tuple[str, ...]:
    if kind == _UNBROKEN:
        return (run,) if len(run) == 1 else tuple(run[i:i + 2] for i in range(len(run) - 1))
    terms = _cache.get(run)
    if terms is None:
        terms = _cache[run] = _terms(run)
    return terms


def _terms(run: str) -> tuple[str, ...]:
    folded = [_fold(part) for piece in _JOINT.split(run) for part in _HUMP.split(piece)]
    # An accent without a letter folds to nothing.
    parts = [stem(part) for part in folded if part]
    return (*parts, _fold(_JOINT.sub("", run))) if len(parts) > 1 else tuple(parts)


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    import unicodedata

    bare = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFKC", bare)


_VOWELS = frozenset("aeiouy")


def stem(word: str) -> str:
    """Drop plural, -ed, -ing and a final e, so that the forms of one English word meet. ASCII words only."""
    size = len(word)
    if size < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "sis")):
        if word.endswith("ies") and size > 4:
            word = word[:-3] + "y"
        elif word.endswith(("sses", "xes", "ches", "shes", "zes")):
            word = word[:-2]
        else:
            word = word[:-1]
    for suffix in ("ing", "ed"):
        base = word[: -len(suffix)]
        if word.endswith(suffix) and len(base) > 2 and not _VOWELS.isdisjoint(base):
            word = base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    if len(word) > 4 and word[-1] == "e":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" and word[-2] not in _VOWELS else word
