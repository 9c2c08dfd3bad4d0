"""Plain Markdown below a directory that the configuration names: title, first paragraph, H2 and H3."""

from adlc.corpus import markdown
from adlc.corpus.model import Chunk, Document
from adlc.corpus.page import Page

NAME = "plain"


def read(path: str, corpus: str, id: str, text: str) -> Document:
    page = Page(path, NAME, corpus, id, text)
    document = page.document
    document.title = document.title or page.title() or next((s.title for s in page.sections if s.title), "") or id
    document.purpose = page.purpose(*page.lead()) or page.purpose(page.start, len(page.lines))
    return page.close(by_heading(page))


def by_heading(page: Page) -> list[Chunk]:
    """Each H2, and each H3 under the name of its H2; deeper headings belong to the one above them."""
    chunks, parent = [], ""
    marked = [s for s in page.sections if s.level <= 3]
    ends = [s.line for s in marked[1:]] + [len(page.lines)]
    for section, end in zip(marked, ends):
        if section.level < 3:
            parent = section.title if section.level == 2 else ""
        text = markdown.block(page.lines, section.start, end)
        if section.level > 1 and text.strip():
            ref = f"{parent} > {section.title}" if section.level == 3 and parent else section.title
            chunks.append(Chunk(ref, "section", section.title, text, section.line + 1))
    return chunks
