"""`.adlc/`: requirement specs, bug reports and lessons.

    .adlc/specs/<dir>/requirement.md   .adlc/bugs/*.md   .adlc/knowledge/lessons/*.md
"""

import re

from adlc.corpus import frontmatter, markdown
from adlc.corpus.model import Chunk, Document
from adlc.corpus.page import fill, first_sentence, without
from adlc.files import Unreadable

NAME = "adlc"
_IDS = {"spec": re.compile(r"REQ-\d+"), "bug": re.compile(r"BUG-\d+"), "lesson": re.compile(r"LESSON-\d+")}
_RULE = re.compile(r"\*{0,2}(?P<ref>(?:BR|AC)-\d+[a-z]?)\*{0,2}[:.)]?\*{0,2}[:.]?\s*(?P<text>.*)", re.S)
# It quotes the titles of other documents: counting it as this one's own words makes every spec match them.
_QUOTED = "retrieved context"


def read(path: str, corpus: str, id: str, text: str) -> Document:
    lines = text.split("\n")
    head = frontmatter.parse(lines)
    if head.state == "unclosed":
        raise Unreadable(head.problems[0])
    document = Document(path, NAME, corpus, head.scalar("id") or _id_from(path, corpus))
    fill(document, head)
    shown = [""] * head.body + markdown.visible(lines[head.body:])
    sections = markdown.sections(shown)
    if not document.title:
        document.title = next((s.title for s in sections if s.level == 1), "") or document.id
    by_title = {s.title.casefold(): s for s in reversed(sections)}
    lead = by_title.get("description") or by_title.get("summary") or by_title.get("what happened")
    document.purpose = markdown.paragraph(shown, lead.start, lead.own_end) if lead else markdown.paragraph(shown, head.body)

    quoted = [s for s in sections if s.title.casefold() == _QUOTED]
    document.searchable = without(head.body, len(lines), [(s.line, s.end) for s in quoted])
    kept = [s for s in sections if not any(q.line <= s.line < q.end for q in quoted)]
    document.headings = [s.title for s in kept]
    document.chunks = _chunks(lines, shown, kept)
    document.requirements = sum(c.kind == "rule" for c in document.chunks)
    document.body = "\n".join("\n".join(lines[a - 1:b]) for a, b in document.searchable)
    return document


def _id_from(path: str, corpus: str) -> str:
    name = path.split("/")[-2] if corpus == "spec" else path.split("/")[-1].removesuffix(".md")
    match = _IDS[corpus].match(name)
    return match[0] if match else name


def _chunks(lines: list[str], shown: list[str], sections: list) -> list[Chunk]:
    chunks = []
    for section in sections:
        title = section.title.casefold()
        listed = "business rules" in title or "acceptance criteria" in title
        numbered = 0
        if listed:
            kind = "rule" if "rules" in title else "criterion"
            for number, text in markdown.items(shown, section.start, section.end):
                match = _RULE.match(text)
                numbered += 1
                prefix = "BR" if kind == "rule" else "AC"
                ref, rest = (match["ref"], match["text"]) if match else (f"{prefix}-{numbered}", text)
                chunks.append(Chunk(ref, kind, first_sentence(rest), rest, number + 1))
        if not numbered and section.level > 1:
            body = markdown.block(lines, section.start, section.own_end)
            if body:
                chunks.append(Chunk(section.title, "section", section.title, body, section.line + 1))
    return chunks
