"""Kiro: `requirements.md` with an Introduction and numbered requirements, each a user story and EARS criteria.

Refs are the numbers that Kiro's own tasks cite: requirement `2`, criterion `2.1`.
"""

import re

from adlc.corpus import markdown
from adlc.corpus.model import Chunk, Document
from adlc.corpus.page import REQUIREMENT, Page, first_sentence

NAME = "kiro"
_GENERIC = re.compile(r"(?:feature\s+)?requirements?(?:\s+(?:document|specification))?|需求(?:文档)?|要件(?:定義書?)?", re.I)
_AROUND = re.compile(r"^\s*[:：—–-]+\s*|\s*[:：—–-]+\s*$")
_NUMBER = re.compile(r"(\d+(?:\.\d+)*)[.)、]?\s+(?P<title>.*)")
_STORY = re.compile(r"\s*[-*]?\s*\**(?:User Story|用户故事|ユーザーストーリー)\**\s*[:：]\s*\**\s*(.*)", re.I)
_CRITERIA = re.compile(r"\W*(?:\d+(?:\.\d+)*\W+)?(?:Acceptance Criteria|验收标准|验收准则|受け入れ基準|受入基準)\W*$", re.I)
_INTRODUCTION = ("introduction", "overview", "summary", "purpose", "简介", "介绍", "概述", "概要", "はじめに")


def read(path: str, corpus: str, id: str, text: str) -> Document:
    page = Page(path, NAME, corpus, id, text)
    document = page.document
    document.title = document.title or _AROUND.sub("", _GENERIC.sub("", page.title(), count=1)).strip() or id
    section = page.named(*_INTRODUCTION)
    if section:
        document.purpose = page.purpose(section.start, section.own_end)
    document.purpose = document.purpose or page.purpose(*page.lead())
    return page.close(_chunks(page))


def _chunks(page: Page) -> list[Chunk]:
    group = page.named("requirements", "functional requirements", "需求", "要件")
    chunks, covered, count = [], 0, 0
    for section in page.sections:
        if section.line < covered or section.level < 2:
            continue
        match = REQUIREMENT.fullmatch(section.title)
        listed = group is not None and section.level == group.level + 1 and group.line < section.line < group.end
        if section is group or not (match or listed):
            if chunk := page.section(section):
                chunks.append(chunk)
            continue
        count += 1
        number = None if match else _NUMBER.fullmatch(section.title)
        ref = (match["number"] or match["ref"] if match else number[1] if number else None) or str(count)
        title = (match["title"] if match else number["title"] if number else section.title).strip()
        title = title or first_sentence(_story(page, section)) or section.title
        text = markdown.block(page.lines, section.start, section.end)
        chunks.append(Chunk(ref, "requirement", title, text, section.line + 1))
        chunks += _criteria(page, section, ref)
        covered = section.end
    return chunks


def _story(page: Page, section) -> str:
    for number in range(section.start, section.end):
        if match := _STORY.match(page.shown[number]):
            return match[1]
    return markdown.paragraph(page.shown, section.start, section.own_end)


def _criteria(page: Page, section, ref: str) -> list[Chunk]:
    start = next((n for n in range(section.start, section.end) if _CRITERIA.match(page.shown[n][:80].lstrip("# "))), None)
    if start is None:
        return []
    below = next((s for s in page.sections if s.line == start), None)
    end = below.end if below else section.end
    return [
        Chunk(f"{ref}.{count}", "criterion", first_sentence(text), text, line + 1)
        for count, (line, text) in enumerate(markdown.items(page.shown, start + 1, end), 1)
    ]
