"""The code a document claims to govern: its `scope` globs and its `code` entries, and how precise each is.

A claim is broad when it names a whole tree (`src/`, `**/*.py`): every change touches it, so it tells
nothing about one. A file, a glob with a name of its own in it (`src/config*.rs`) and a directory below
the first level (`src/auth/`, `src/auth/**`) are precise.
"""

import os
import re

from adlc.corpus.model import Document

MAX_CLAIMS = 60
_WILD = re.compile(r"[*?\[]")
# A last part that only says which kind of file: `*`, `**`, `*.py`.
_ANY = re.compile(r"\*{1,2}|\*(?:\.\w+)+")


class Claim:
    """pattern: root-relative, with `/`; a directory ends in `/`. broad; literal: a name without wildcards."""

    __slots__ = ("pattern", "broad", "literal")

    def __init__(self, pattern: str, broad: bool):
        self.pattern, self.broad, self.literal = pattern, broad, not _WILD.search(pattern)

    def matcher(self) -> re.Pattern:
        """Full-matches the root-relative paths that the claim covers."""
        return re.compile(translate(self.pattern), re.S)


def of(root: str, document: Document) -> list[Claim]:
    """The claims of a document, as written first, without repeats and without what leaves the root."""
    found: dict[str, Claim] = {}
    for entry in (*document.scope, *document.code):
        pattern = normalised(root, entry)
        if pattern and pattern not in found:
            found[pattern] = Claim(pattern, broad(pattern))
            if len(found) == MAX_CLAIMS:
                break
    return list(found.values())


def normalised(root: str, entry: str) -> str:
    """`./src/a.py#main` -> `src/a.py`; an existing directory gets its `/`; "" for what is no path inside the root."""
    path = entry.split("#", 1)[0].strip().replace("\\", "/")
    if not path or len(path) > 300 or path.startswith(("/", "[[", "~")) or "://" in path or not path.isprintable():
        return ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        return ""
    path = "/".join(parts)
    if entry.rstrip().endswith("/") or (not _WILD.search(path) and os.path.isdir(f"{root}/{path}")):
        path += "/"
    return path


def broad(pattern: str) -> bool:
    """Whether a normalised pattern names a whole tree."""
    parts = pattern.rstrip("/").split("/")
    while parts and _ANY.fullmatch(parts[-1]):
        parts.pop()
    if len(parts) == len(pattern.rstrip("/").split("/")) and not pattern.endswith("/"):
        return False
    return sum(not _WILD.search(part) for part in parts) < 2


def translate(pattern: str) -> str:
    """A regular expression for a glob: `**` crosses directories, `*`, `?` and `[…]` do not; a directory covers what is in it."""
    if pattern.endswith("/"):
        pattern += "**"
    out, at = [], 0
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out.append("(?:[^/]+/)*")
            at += 3
        elif pattern.startswith("**", at):
            out.append(".*")
            at += 2
        elif char == "*":
            out.append("[^/]*")
            at += 1
        elif char == "?":
            out.append("[^/]")
            at += 1
        elif char == "[" and (end := pattern.find("]", at + 2)) > 0:
            inner = pattern[at + 1:end].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^").replace("&&", "&").replace("||", "|")
            out.append(f"[^/{inner[1:]}]" if inner[0] == "!" else f"(?!/)[{inner}]")
            at = end + 1
        else:
            out.append(re.escape(char))
            at += 1
    return "".join(out)
