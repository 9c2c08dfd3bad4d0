"""spec-kit: `spec.md` of a numbered feature with user stories, acceptance scenarios and FR-n.

What the template wrote and nobody replaced (`[FEATURE NAME]`, `$ARGUMENTS`, the status Draft, which no
step of the tool ever changes) says nothing about the feature and is left out.
"""

import re

from adlc.corpus import markdown
from adlc.corpus.model import Chunk, Document
from adlc.corpus.page import Page, first_sentence, placeholder, plain_title

NAME = "speckit"
_HEAD = re.compile(r"(?:feature\s+)?spec(?:ification)?\s*[:：—–-]\s*|功能规[范格](?:说明)?\s*[:：]\s*|機能仕様書?\s*[:：]\s*", re.I)
_STORY = re.compile(r"(?:User Story|用户故事|ユーザーストーリー)\s*(?P<number>\d+[a-z]?)?\s*[-–—:：.]*\s*(?P<title>.*)", re.I)
_PRIORITY = re.compile(r"\s*[(（]\s*(?:Priority|优先级|優先度)\s*[:：]\s*(P?\d)\s*[)）]", re.I)
_NUMBERED = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+|\|[ \t]*|#{2,6}[ \t]+)?(?:\[[ xX]\][ \t]+)?[*_~`]{0,3}"
    r"(?P<ref>(?:[A-Z]{1,6}-)?(?:FR|NFR|SC|TR|UR|DR|PR|SR|IR|CR)-?\d{1,4}[a-z]?)[*_~`]{0,3}[ \t]*[:：.|)—–-]?[*_~`]{0,3}[ \t]*", re.M)
_STOP = re.compile(r"\n(?:[ \t]*\n|[ \t]*#{1,6}[ \t])")
_SCENARIOS = re.compile(r"\W*(?:Acceptance Scenarios?|验收场景|受け入れシナリオ)\W*$", re.I)
_INPUT = re.compile(r"^\**(?:input|输入|入力)\**\s*:\s*\**\s*(?:user description\s*[:：]\s*)?", re.I)
_QUOTES = " \"'“”„«»「」"


def read(path: str, corpus: str, id: str, text: str) -> Document:
    page = Page(path, NAME, corpus, id, text)
    document = page.document
    title = _HEAD.sub("", page.title(), count=1).strip()
    document.title = document.title or ("" if placeholder(title) else title) or id
    labels = page.labels(*page.lead())
    document.status = document.status or labels.get("status", "")
    if document.status.casefold() == "draft":
        document.status = ""
    document.created = document.created or labels.get("created", "") or labels.get("date", "")
    document.updated = document.updated or labels.get("updated", "") or labels.get("last updated", "")
    document.purpose = _purpose(page)
    chunks = _chunks(page)
    document.requirements = sum(c.kind == "requirement" for c in chunks) or sum(c.kind == "story" for c in chunks)
    headings = [_PRIORITY.sub("", s.title) for s in page.sections if not placeholder(s.title)]
    return page.close(chunks, headings)


def _purpose(page: Page) -> str:
    for name in ("overview", "summary", "feature overview", "概述", "概要", "purpose", "description", "primary user story"):
        section = page.named(name)
        if section and (found := page.purpose(section.start, section.own_end)):
            return found
    start, end = page.lead()
    for number in range(start, end):
        match = _INPUT.match(page.shown[number].strip())
        if match:
            last = next((n for n in range(number + 1, end) if not page.shown[n].strip()), end)
            words = " ".join([page.shown[number].strip()[match.end():], *(line.strip() for line in page.shown[number + 1:last])])
            words = words.strip(_QUOTES)
            return "" if placeholder(words) else words
    return page.purpose(start, end)


def _chunks(page: Page) -> list[Chunk]:
    chunks, covered, stories = [], 0, 0
    for section in page.sections:
        if section.level < 2 or section.line < covered:
            continue
        story = _STORY.fullmatch(section.title)
        title = plain_title(section.title)
        if story:
            stories += 1
            ref = f"US{story['number'] or stories}"
            name = _PRIORITY.sub("", story["title"]).strip()
            name = "" if placeholder(name) else name
            priority = _PRIORITY.search(section.title)
            text = markdown.block(page.lines, section.start, section.end)
            name = name or first_sentence(markdown.paragraph(page.shown, section.start, section.own_end))
            chunks.append(Chunk(ref, "story", f"{name} ({priority[1]})" if priority else name, text, section.line + 1))
            chunks += _scenarios(page, section, f"{ref}-")
            covered = section.end
        elif _SCENARIOS.match(title):
            chunks += _scenarios(page, section, "", section.start)
        elif chunk := page.section(section):
            chunks.append(chunk)
    numbered = _numbered(page)
    listed = {chunk.line for chunk in numbered}
    # A section that is a list of numbered requirements is told by them.
    chunks = [c for c in chunks if c.kind != "section" or listed.isdisjoint(range(c.line + 1, c.line + 3 + c.text.count("\n")))]
    return sorted([*chunks, *numbered], key=lambda chunk: chunk.line)


def _scenarios(page: Page, section, prefix: str, start: int | None = None) -> list[Chunk]:
    if start is None:
        start = next((n + 1 for n in range(section.start, section.end) if _SCENARIOS.match(page.shown[n][:80])), None)
    if start is None:
        return []
    end = next((n for n in range(start, section.end) if page.shown[n].lstrip().startswith(("#", "**Functional", "---"))), section.end)
    return [
        Chunk(f"{prefix}AS{count}", "scenario", first_sentence(text.replace("**", "")), text, line + 1)
        for count, (line, text) in enumerate(markdown.items(page.shown, start, end), 1)
    ]


def _numbered(page: Page) -> list[Chunk]:
    """FR-1 and its like, as list items, table rows, headings or paragraphs; success criteria (SC-1) are criteria."""
    text = "\n".join(page.shown)
    matches = list(_NUMBERED.finditer(text))
    chunks, line, position = [], 1, 0
    for index, match in enumerate(matches):
        line += text.count("\n", position, match.start())
        position = match.start()
        end = matches[index + 1].start() if index + 1 < len(matches) else len(text)
        stop = _STOP.search(text, match.end(), end)
        words = " ".join(text[match.end():stop.start() if stop else end].split()).strip(" |")
        if words:
            kind = "criterion" if "SC" in match["ref"] else "requirement"
            chunks.append(Chunk(match["ref"], kind, first_sentence(words.replace("**", "")), words, line))
    return chunks
