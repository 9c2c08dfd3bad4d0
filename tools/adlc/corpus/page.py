"""A Markdown document whose frontmatter is optional, and what the layouts that keep such have in common.

Decides which text counts as a purpose (not what a template left behind), what a requirement's heading
looks like, and how the parts of a document get refs that are unique in it.
"""

import re

from adlc.corpus import frontmatter, markdown
from adlc.corpus.model import Chunk, Document

# What templates and tools write where a person has not written yet.
_PLACEHOLDER = re.compile(
    r"[\W_]*(?:"
    # Upper case only: `todo` and `na` are words in Spanish and Portuguese.
    r"(?:(?i:TBD|TBC|FIXME|NEEDS CLARIFICATION|to be (?:defined|determined|decided|written))|TODO|待定|待补充|未定)(?!\w)"
    r"|N/A[\W_]*$"
    r"|[\[{<][^\]}>]*[\]}>][\W_]*$"
    r"|\$ARGUMENTS"
    r"|$)")
_KEY = re.compile(r"[\w\"'][\w .\"'-]*:(?:\s|$)")
_LABEL = re.compile(r"\s*(?:[-*+]\s+)?\**(?P<key>[A-Za-z][A-Za-z ]{1,20}?)\**\s*:\**\s*(?P<value>\S.*)$")
REQUIREMENT = re.compile(
    r"(?:(?i:Requirement|Req|Requisito|Exigence|Anforderung|需求|要求|要件|요구사항)\s*"
    r"(?:(?P<number>\d[\w.-]*)\s*(?:[:：—–]|-\s|\s|$)|[:：—–]|-\s)\s*"
    r"|(?P<ref>[A-Z][A-Z0-9]{0,11}(?:-[A-Z][A-Z0-9]{0,11})?-\d{1,6}[a-z]?)\s*[:：.—–-]\s*)(?P<title>.*)")
_COUNT = re.compile(r"[\d.]+[.)\s]\s*(?=\S)")
_NOT_WORD = re.compile(r"\W+")
_SENTENCE = re.compile(r"[.!?](?:\s|$)|[。！？]")


class Page:
    """document: with the fields of its frontmatter. lines; shown: with fences and comments blanked; start: first body line."""

    __slots__ = ("document", "lines", "shown", "sections", "start", "_hidden", "_names")

    def __init__(self, path: str, layout: str, corpus: str, id: str, text: str):
        self.lines = text.split("\n")
        head = _head(self.lines)
        self.document = document = Document(path, layout, corpus, id)
        fill(document, head)
        document.created = document.created or head.scalar("date")
        document.scope = document.scope or head.list("valid_scope")
        self.start = head.body
        self.shown = [""] * head.body + markdown.visible(self.lines[head.body:])
        self.sections = markdown.sections(self.shown)
        self._hidden: list[tuple[int, int]] = []
        self._names: dict | None = None

    def title(self) -> str:
        """The first H1, or ""."""
        return next((s.title for s in self.sections if s.level == 1 and not placeholder(s.title)), "")

    def lead(self) -> tuple[int, int]:
        """The lines between the title and the next heading."""
        first = next((s for s in self.sections if s.level == 1), None)
        start = first.start if first else self.start
        return start, next((s.line for s in self.sections if s.line >= start), len(self.shown))

    def named(self, *names: str):
        """The first section with one of these titles (casefolded; a number before it does not matter), or None."""
        if self._names is None:
            self._names = {plain_title(s.title): s for s in reversed(self.sections)}
        return next((self._names[name] for name in names if name in self._names), None)

    def purpose(self, start: int, end: int) -> str:
        """The first paragraph of the range that a person wrote; what a template left there is no longer searched."""
        for first, last in self.paragraphs(start, end):
            text = " ".join(line.strip() for line in self.shown[first:last])
            if placeholder(text):
                self.hide(first, last)
            elif not _only_labels(self.shown[first:last]):
                return text
        return ""

    def paragraphs(self, start: int, end: int):
        """(first, end) of the runs of non-blank lines without a heading, 0-based and half-open."""
        first = None
        for number in range(start, end):
            text = self.shown[number].strip()
            if text and text[0] != "#":
                first = number if first is None else first
            elif first is not None:
                yield first, number
                first = None
        if first is not None:
            yield first, end

    def labels(self, start: int, end: int) -> dict[str, str]:
        """`**Status**: Draft`, `- Date: 2025-01-01` and the like -> {"status": "Draft", …}; the first of a key counts."""
        found: dict[str, str] = {}
        for line in self.shown[start:end]:
            if ":" in line and (match := _LABEL.match(line[:400])):
                value = match["value"].strip().strip("*").strip()
                if not placeholder(value):
                    found.setdefault(match["key"].casefold().strip(), value)
        return found

    def hide(self, start: int, end: int) -> None:
        """Leave these lines out of what is searched."""
        self._hidden.append((start, end))

    def section(self, section, end: int | None = None) -> Chunk | None:
        """A section as a chunk of its own, or None when it holds nothing."""
        text = markdown.block(self.lines, section.start, section.own_end if end is None else end)
        if not text.strip() or (self._hidden and all(self._is_hidden(n) for n in range(section.start, section.own_end))):
            return None
        return Chunk(section.title, "section", section.title, text, section.line + 1)

    def _is_hidden(self, number: int) -> bool:
        return not self.lines[number].strip() or any(a <= number < b for a, b in self._hidden)

    def close(self, chunks: list[Chunk], headings: list[str] | None = None) -> Document:
        """Fill in what is searched and return the document."""
        document = self.document
        document.searchable = without(self.start, len(self.lines), self._hidden)
        document.body = "\n".join("\n".join(self.lines[a - 1:b]) for a, b in document.searchable)
        document.headings = [s.title for s in self.sections] if headings is None else headings
        document.chunks = unique(chunks)
        if not document.requirements:
            document.requirements = sum(c.kind == "requirement" for c in chunks)
        return document


def _head(lines: list[str]) -> frontmatter.Frontmatter:
    """The frontmatter, where `---` can just as well be a line across the page."""
    if not any(line.startswith("---") for line in lines[:64]):
        return frontmatter.Frontmatter("absent")
    head = frontmatter.parse(lines)
    if head.state == "unclosed":
        return frontmatter.Frontmatter("absent")
    if head.state == "malformed" and not any(_KEY.match(line) for line in lines[:head.body]):
        return frontmatter.Frontmatter("absent")
    return head


def fill(document: Document, head: frontmatter.Frontmatter) -> None:
    """The frontmatter's state, and the fields that it has in every layout."""
    document.frontmatter, document.problems = head.state, head.problems
    if not head.fields:
        return
    for key in ("title", "status", "created", "updated", "reviewed", "component", "domain"):
        setattr(document, key, head.scalar(key))
    for key in ("stack", "concerns", "tags", "code", "related"):
        setattr(document, key, head.list(key))
    document.scope = head.list("scope") or head.list("paths")


def placeholder(text: str) -> bool:
    """Whether `text` says no more than that somebody should still write it."""
    return bool(_PLACEHOLDER.match(text))


def _only_labels(lines: list[str]) -> bool:
    """Whether a paragraph is made of `key: value` lines in bold, pictures, table rows and rules: no prose."""
    return all(
        line.lstrip().startswith(("---", "***", "|", "![", "[![")) or ("**" in line[:8] and _LABEL.match(line[:400]))
        for line in lines
    )


def plain_title(title: str) -> str:
    """A heading without numbering, emphasis and case: `1.2 Purpose:` -> `purpose`."""
    if title[:1].isdigit() and (match := _COUNT.match(title)):
        title = title[match.end():]
    return title.strip(" *_:：").casefold()


def slug(title: str) -> str:
    """Lower-case words joined by `-`, in any script; at most 80 characters."""
    return _NOT_WORD.sub("-", title.casefold()).strip("-_")[:80].rstrip("-") or "part"


def first_sentence(text: str, limit: int = 160) -> str:
    """The first sentence of a text on one line, or its first `limit` characters where it has none so short."""
    text = " ".join(text.split())
    match = _SENTENCE.search(text[:limit])
    return text[: match.end()].strip() if match else text[:limit].strip()


def unique(chunks: list[Chunk]) -> list[Chunk]:
    """The same chunks; a ref that an earlier one has gets the next free number after it."""
    taken: dict[str, int] = {}
    for chunk in chunks:
        ref = chunk.ref
        while chunk.ref in taken:
            taken[ref] += 1
            chunk.ref = f"{ref}-{taken[ref]}"
        taken[chunk.ref] = 1
    return chunks


def without(start: int, end: int, holes: list[tuple[int, int]]) -> list[list[int]]:
    """1-based inclusive ranges of the 0-based half-open [start, end) less the holes."""
    ranges = []
    for hole_start, hole_end in [*sorted(holes), (end, end)]:
        if hole_start > start:
            ranges.append([start + 1, hole_start])
        start = max(start, hole_end)
    return ranges
