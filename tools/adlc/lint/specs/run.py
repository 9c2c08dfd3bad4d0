"""Runs every check over the documents of a root, or over those below one path."""

from adlc import files
from adlc.corpus import load, read
from adlc.lint.finding import Finding
from adlc.lint.specs import (
    citations, dates, frontmatter, numbering, provenance, references, retrieved, sections, taxonomy,
)
from adlc.lint.specs.page import Page

CHECKS = (frontmatter, dates, taxonomy, sections, numbering, citations, references, retrieved, provenance)


class Corpus:
    """What a check may ask about the other documents. ids: id -> corpora that have it. root: absolute."""

    def __init__(self, root: str, documents: list):
        self.root = root
        self.ids: dict[str, set[str]] = {}
        for document in documents:
            self.ids.setdefault(document.id, set()).add(document.corpus)
        self.vocabulary = taxonomy.vocabulary(root)


def run(root: str, below: str = "") -> tuple[int, list[Finding]]:
    """-> (files examined, findings in order). below: root-relative file or directory, "" for all."""
    documents, skipped = load.answer(root, lambda corpus: (corpus.documents(), corpus.skipped()))
    documents = [d for d in documents if d.layout == "adlc"]
    corpus = Corpus(root, documents)
    examined, findings = 0, []
    for item in skipped:
        if ".adlc" in item.path.split("/") and _within(item.path, below):
            examined += 1
            findings.append(Finding(item.path, 1, "unreadable", item.reason))
    for document in documents:
        if not _within(document.path, below):
            continue
        examined += 1
        page = _page(root, document)
        if isinstance(page, Finding):
            findings.append(page)
            continue
        for check in CHECKS:
            name = check.__name__.rpartition(".")[2]
            findings += [Finding(document.path, line, name, message) for line, message in check.check(page, corpus)]
    return examined, sorted(findings, key=Finding.key)


def _page(root: str, document):
    try:
        text, _ = read.text(root, document.path)
    except files.Unreadable as exc:
        return Finding(document.path, 1, "unreadable", str(exc))
    return Page(document.path, document.corpus, document.id, text)


def _within(path: str, below: str) -> bool:
    return not below or path == below or path.startswith(below + "/")
