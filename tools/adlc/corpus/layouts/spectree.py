"""A spec tree: `.spec/**/spec.md`, one node a directory, as deep as people like.

A node's id is its directory's name, with as many parents before it (joined by `_`) as make it unique.
"""

from adlc.corpus import frontmatter, markdown
from adlc.corpus.model import Chunk, Document
from adlc.corpus.page import fill
from adlc.files import Unreadable

NAME = "spectree"


def read(path: str, corpus: str, id: str, text: str) -> Document:
    lines = text.split("\n")
    head = frontmatter.parse(lines)
    if head.state == "unclosed":
        raise Unreadable(head.problems[0])
    document = Document(path, NAME, corpus, id)
    fill(document, head)
    document.scope = [entry.split("#", 1)[0] for entry in (*document.code, *document.related) if _is_path(entry)]
    shown = [""] * head.body + markdown.visible(lines[head.body:])
    sections = markdown.sections(shown)
    document.title = document.title or next((s.title for s in sections if s.level == 1), "") or id
    document.purpose = head.scalar("desc") or markdown.paragraph(shown, head.body)
    document.searchable = [[head.body + 1, len(lines)]] if head.body < len(lines) else []
    document.headings = [s.title for s in sections]
    document.chunks = [
        Chunk(section.title, "section", section.title, body, section.line + 1)
        for section in sections
        if (body := markdown.block(lines, section.start, section.own_end))
    ]
    document.requirements = len(document.chunks)
    document.body = "\n".join(lines[head.body:])
    return document


def _is_path(entry: str) -> bool:
    return not entry.startswith("[[")
