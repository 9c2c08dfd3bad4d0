"""Reads one document and counts its terms. Imported only when the cache does not have it."""

import hashlib
import os
import zlib

from adlc import files
from adlc.corpus import layouts, soundness
from adlc.corpus.model import Document
from adlc.ranking.tokens import tokens


def one(
    root: str, layout: str, corpus: str, id: str, path: str, beside: tuple = ()
) -> tuple[Document, str, os.stat_result, tuple]:
    """-> (Document, sha256 of its text, stat of the file that was read, (path, stat) of what lies beside it).

    Raises files.Unreadable. A file beside that cannot be read is the reader's to report.
    """
    found, stat = text(root, path)
    near, texts = [], []
    for other, other_stat in beside:
        try:
            content, other_stat = text(root, other)
        except files.Unreadable as exc:
            content = exc
        near.append((other, other_stat))
        texts.append((other, content))
    read = layouts.module(layout).read
    document = read(path, corpus, id, found, texts) if layout in layouts.BESIDE else read(path, corpus, id, found)
    document.mtime = int(max([stat.st_mtime, *(s.st_mtime for _, s in near if not isinstance(s, OSError))]))
    document.findings = soundness.findings(document)
    digest = hashlib.sha256(found.encode("utf-8"))
    for other, content in texts:
        digest.update(f"\0{other}\0{content}".encode("utf-8", "replace"))
    return document, digest.hexdigest(), stat, tuple(near)


def text(root: str, path: str) -> tuple[str, os.stat_result]:
    """-> (text of root/path, stat of the file that was read); a link is followed inside the root. Raises files.Unreadable."""
    target = os.path.join(root, path)
    if os.path.islink(target):
        target = files.inside(root, target)
        if target is None:
            raise files.Unreadable("a symbolic link that leaves the root")
    return files.read_document(target)


class Terms:
    """counts: term frequencies of the fields, in the order of segments.FIELDS. stream: see store.streams, compressed."""

    __slots__ = ("counts", "stream")

    def __init__(self, document: Document):
        tags = (document.component, document.domain, *document.stack, *document.concerns, *document.tags)
        body = tokens(document.body)
        self.counts = [
            _count(tokens(f"{document.id}\n{document.title}")),
            _count(tokens("\n".join((document.purpose, *document.headings, *tags)))),
            _count(body),
        ]
        stream = f" {'  '.join(body)} "
        self.stream = zlib.compress(stream.encode("utf-8", "replace"), 1)


def _count(terms: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return counts
