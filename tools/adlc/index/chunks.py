"""What of a document is embedded: one digest of its title and purpose, then one row a chunk.

Title and first sentence of each part, not its whole text: measured better, and a short text embeds fast.
"""

import hashlib
import re

from adlc import output
from adlc.corpus.model import Chunk, Document

# Raise with any change that makes other rows of the same document.
CHUNKER = 2
MAX_CHARS = 320
# Of one document; a file of list items only must not become the index.
MAX_CHUNKS = 300

# Characters of a paragraph, of which MAX_CHARS at the most are embedded.
_LOOKED_AT = 2000
_MARKS = re.compile(r"^[\s>*+#|-]+|[*_`|]{1,3}")


class Row:
    """One row of the index. ref: "" for the digest. text: what is embedded, one line, at most MAX_CHARS."""

    __slots__ = ("kind", "ref", "title", "text", "line", "path")

    def __init__(self, kind: str, ref: str, title: str, text: str, line: int, path: str):
        self.kind, self.ref, self.title, self.text, self.line, self.path = kind, ref, title, text, line, path

    def hash(self) -> bytes:
        """sha256 of the text: with a model's fingerprint it names the vector."""
        return hashlib.sha256(self.text.encode("utf-8", "replace")).digest()


def rows(document: Document) -> list[Row]:
    """The rows of a document that was read with its chunks; the digest is the first."""
    title = output.single_line(document.title, 200)
    digest = output.single_line(f"{title}{_join(title)}{document.purpose[:_LOOKED_AT]}" if document.purpose else title, MAX_CHARS)
    found = [Row("digest", "", title, digest, 1, document.path)]
    for chunk in document.chunks[:MAX_CHUNKS]:
        name = output.single_line(chunk.title, 200)
        found.append(Row(chunk.kind, output.single_line(chunk.ref, 200), name, _of(name, chunk), chunk.line, chunk.path or document.path))
    return found


def _of(title: str, chunk: Chunk) -> str:
    for line in _paragraphs(chunk.text):
        if line and not line.startswith(title):
            return _joined(title, line)
        if line:
            return _joined("", line)
    return _joined(title, "")


def _paragraphs(text: str):
    """The lines of prose, without the marks of Markdown; a heading is none."""
    for line in text[:4000].split("\n"):
        if line.lstrip()[:1] != "#" and line.strip():
            yield " ".join(_MARKS.sub(" ", line).split())


def _joined(title: str, rest: str) -> str:
    if not title:
        return output.single_line(rest[:_LOOKED_AT], MAX_CHARS)
    # Imported here: a question needs the rule's number of this module, and nothing that reads documents.
    from adlc.corpus.page import first_sentence

    sentence = first_sentence(rest, _LOOKED_AT)
    return output.single_line(f"{title}{_join(title)}{sentence}" if sentence else title, MAX_CHARS)


def _join(title: str) -> str:
    return " " if title[-1:] in ".!?。！？:：" else ". "
