"""What the rest of adlc knows of a file: Document, Chunk, Skipped."""


class Chunk:
    """One addressable part of a document: a business rule, a criterion, a requirement, a section.

    ref: short name unique enough to cite ("BR-3", "AC-1", a requirement's slug, a heading path).
    kind: rule | criterion | requirement | scenario | story | section. line: 1-based, in `path`:
    "" for the document's own file, another one where the document is made of several.
    """

    __slots__ = ("ref", "kind", "title", "text", "line", "path")

    def __init__(self, ref: str, kind: str, title: str, text: str, line: int, path: str = ""):
        self.ref, self.kind, self.title, self.text, self.line, self.path = ref, kind, title, text, line, path


class Skipped:
    """A file that is part of a corpus and could not be used, with the true reason."""

    __slots__ = ("path", "corpus", "reason")

    def __init__(self, path: str, corpus: str, reason: str):
        self.path, self.corpus, self.reason = path, corpus, reason


class Document:
    """A lesson, bug or spec.

    path: repository-relative with `/`, the key. corpus: lesson | bug | spec. status, created, updated:
    as written, trimmed, "" when absent. frontmatter: ok | absent | malformed. problems: one line each.
    findings: [kind, message], what soundness found in its text.
    headings and searchable: the text that ranking sees beside id, title and purpose; searchable is a
    list of (first line, last line), 1-based and inclusive, within the file.
    """

    # What the cache keeps of a document; the rest is read again from the file when it is shown.
    RECORD = (
        "id", "corpus", "layout", "title", "status", "created", "updated", "reviewed", "component", "domain",
        "stack", "concerns", "tags", "purpose", "scope", "code", "related", "requirements", "frontmatter",
        "problems", "findings", "searchable", "mtime",
    )
    __slots__ = ("path", *RECORD, "chunks", "headings", "body")

    def __init__(self, path: str, layout: str, corpus: str, id: str):
        self.path, self.layout, self.corpus, self.id = path, layout, corpus, id
        self.title = self.status = self.created = self.updated = self.reviewed = ""
        self.component = self.domain = self.purpose = self.body = ""
        self.frontmatter = "absent"
        self.requirements = self.mtime = 0
        for name in ("stack", "concerns", "tags", "scope", "code", "related", "problems", "findings", "searchable", "chunks", "headings"):
            setattr(self, name, [])

    def record(self) -> list:
        """The cached part, in the order of RECORD."""
        return [getattr(self, name) for name in self.RECORD]

    @classmethod
    def from_record(cls, path: str, record: list) -> "Document":
        document = cls.__new__(cls)
        document.path = path
        for name, value in zip(cls.RECORD, record, strict=True):
            setattr(document, name, value)
        document.chunks, document.headings, document.body = [], [], ""
        return document
