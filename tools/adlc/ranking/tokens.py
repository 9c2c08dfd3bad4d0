"""The tokenizer that documents and queries share.

Words are case-folded, stripped of accents and lightly stemmed (English suffixes). A compound such as
`camelCase`, `snake_case` or `kebab-case` gives its parts and also the whole. Scripts written without
spaces (Chinese, Japanese, Thai, …) and Korean give overlapping pairs of characters, and a run of one
character gives that character.
"""

import re

# Changing what this module returns makes stored term statistics wrong: raise the number.
VERSION = 1

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"  # kana, Hangul compatibility letters
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"  # Han, Hangul
)
# Vowel signs and accents are not \w for Python, yet part of a word in Indic, Arabic and Hebrew script.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff"
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])"
_ASCII_RUN = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")
_RUN = re.compile(rf"[{_UNSPACED}]+|{_LETTER}+(?:[-_]{_LETTER}+)*")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_JOINT = re.compile(r"[-_]")
# fooBar, HTTPServer; but APIs stays one word.
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")

_cache: dict[str, tuple[str, ...]] = {}


def tokens(text: str) -> list[str]:
    """The terms of `text` in order, repeats included."""
    if text.isascii():
        runs = _ASCII_RUN.findall(text)
    else:
        import unicodedata

        runs = _RUN.findall(unicodedata.normalize("NFKC", text))
    out: list[str] = []
    for run in runs:
        terms = _cache.get(run)
        if terms is None:
            terms = _cache[run] = _terms(run)
        out += terms
    return out


def _terms(run: str) -> tuple[str, ...]:
    if _IS_UNSPACED.match(run):
        return (run,) if len(run) == 1 else tuple(run[i:i + 2] for i in range(len(run) - 1))
    parts = [stem(_fold(part)) for piece in _JOINT.split(run) for part in _HUMP.split(piece)]
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
