"""OpenSpec: a capability's `spec.md` with a Purpose and Requirements, each with its Scenarios.

Purposes that archiving a change wrote ("TBD - created by …") are none. Requirements under a heading
that says they are removed do not count.
"""

import re

from adlc.corpus import markdown
from adlc.corpus.model import Chunk, Document
from adlc.corpus.page import REQUIREMENT, Page, plain_title, slug

NAME = "openspec"
_PURPOSE = ("purpose", "目的", "用途", "overview", "概述", "概要", "goal", "goals", "summary", "description")
_WORD = re.compile(r"(?:\bspec(?:ification)?\b|规格说明?|规范)\s*$", re.I)
_PREFIX = re.compile(r"(?:spec(?:ification)?|capability)\s*:\s*", re.I)
_SCENARIO = re.compile(r"(?:Scenario|场景|情景|シナリオ|시나리오)\s*[:：]\s*", re.I)
_GONE = re.compile(r"\b(?:removed|deprecated|obsolete|withdrawn)\b", re.I)


def read(path: str, corpus: str, id: str, text: str) -> Document:
    return from_page(Page(path, NAME, corpus, id, text))


def from_page(page: Page) -> Document:
    document = page.document
    heading = _WORD.sub("", _PREFIX.sub("", page.title(), count=1)).strip(" -—–:")
    document.title = document.title or heading or document.id
    section = page.named(*_PURPOSE)
    if section:
        document.purpose = page.purpose(section.start, section.own_end)
    document.purpose = document.purpose or page.purpose(*page.lead())
    chunks = _chunks(page)
    headings = [_SCENARIO.sub("", _requirement_title(s.title)) for s in page.sections]
    return page.close(chunks, headings)


def _requirement_title(title: str) -> str:
    match = REQUIREMENT.fullmatch(title)
    return match["title"] if match and match["title"] else title


def _chunks(page: Page) -> list[Chunk]:
    explicit = any(REQUIREMENT.fullmatch(s.title) for s in page.sections)
    chunks, covered, group, gone = [], 0, None, 0
    for section in page.sections:
        if section.line < covered:
            continue
        if section.level < 3 and not REQUIREMENT.fullmatch(section.title):
            group = section if plain_title(section.title).endswith(("requirements", "需求", "要件")) else None
        if _GONE.search(section.title) and "requirement" in section.title.casefold():
            gone = section.end
        match = REQUIREMENT.fullmatch(section.title)
        # Without a single marked requirement, the parts of the section of that name are the requirements.
        implied = not explicit and group is not None and section.level == group.level + 1 and section.line < group.end
        if (match or implied) and section.level > 1:
            title = (match["title"] if match else section.title).strip() or section.title
            ref = (match["ref"] or match["number"] if match else None) or slug(title)
            text = markdown.block(page.lines, section.start, section.end)
            kind = "section" if section.line < gone else "requirement"
            chunks.append(Chunk(ref, kind, title, text, section.line + 1))
            covered = section.end
        elif section.level > 1 and (chunk := page.section(section)):
            chunks.append(chunk)
    return chunks
