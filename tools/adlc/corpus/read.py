"""Reads one document and counts its terms. Imported only when the cache does not have it."""

import hashlib
import os
import zlib

from adlc import files
from adlc.corpus import layouts
from adlc.corpus.model import Document
from adlc.ranking.tokens import tokens


def one(root: str, layout: str, corpus: str, id: str, path: str) -> tuple[Document, str, os.stat_result]:
    """-> (Document, sha256 of its text, stat of the file that was read). Raises files.Unreadable."""
    target = os.path.join(root, path)
    if os.path.islink(target):
        target = files.inside(root, target)
        if target is None:
            raise files.Unreadable("a symbolic link that leaves the root")
    text, stat = files.read_document(target)
    document = layouts.module(layout).read(path, corpus, id, text)
    document.mtime = int(stat.st_mtime)
    return document, hashlib.sha256(text.encode("utf-8")).hexdigest(), stat


class Terms:
    """counts: term frequencies of the fields, in the order of store.FIELDS. stream: see store.streams, compressed."""

    __slots__ = ("counts", "stream")

    def __init__(self, document: Document):
        tags = (document.component, document.domain, *document.stack, *document.concerns, *document.tags)
        body = tokens(document.body)
        self.counts = [
            _count(tokens(f"{document.id}\n{document.title}")),
            _count(tokens("\n".join((document.purpose, *document.headings, *tags)))),
            _count(body),
        ]
        text = f" {'  '.join(body)} "
        self.stream = zlib.compress(text.encode("utf-8", "replace"), 1)


def _count(terms: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return counts
