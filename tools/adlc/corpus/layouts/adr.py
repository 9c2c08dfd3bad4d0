"""Architecture decision records, in Nygard's form, MADR's, or close to either.

The purpose is the context, with the decision in one sentence when there is one. A status is its word
alone ("Superseded by ADR-7" -> Superseded); the records it names are related.
"""

import re

from adlc.corpus import markdown
from adlc.corpus.model import Document
from adlc.corpus.page import Page, first_sentence, placeholder

NAME = "adr"
_NUMBER = re.compile(r"(?:adr[-_ ]?)?(\d{1,5})(?!\d)(?![-_]\d\d[-_]\d\d\D)", re.I)
_TITLE = re.compile(r"(?:(?:adr|decision)[-_ ]?)?#?\d{1,5}\s*(?:[.:：)—–]|-)\s*|(?:adr|decision)\s*[:：]\s*", re.I)
_WORD = re.compile(r"[^\W\d_][\w -]*?(?=\s*(?:$|[,;:.(\[—–*_]|\bby\b|\bon\b|\bwith\b|\bin\b|\d))", re.I)
_NAMED = re.compile(r"\bADR[-_ ]?(\d{1,5})\b|\]\((?:[^()\s]*/)?(?:adr[-_ ]?)?(\d{1,5})-[^()\s]*\.md[^()\s]*\)|\[(\d{1,5})\.\s", re.I)
_CONTEXT = ("context and problem statement", "context", "context and background", "problem statement", "problem", "background",
            "issue", "motivation", "背景", "上下文", "コンテキスト")
_DECISION = ("decision outcome", "decision", "proposed decision", "决策", "决定", "決定")
_LINKS = ("links", "related decisions", "related", "more information", "references", "supersedes")


def read(path: str, corpus: str, id: str, text: str) -> Document:
    page = Page(path, NAME, corpus, _id(path), text)
    document = page.document
    heading = _TITLE.sub("", page.title(), count=1).strip() if page.title() else ""
    document.title = document.title or heading or _stem(path)
    labels = page.labels(*page.lead())
    section = page.named("status", "状态", "ステータス")
    told = markdown.block(page.shown, section.start, section.own_end) if section else ""
    document.status = _status(document.status or labels.get("status", "") or told)
    document.created = document.created or labels.get("date", "") or labels.get("created", "")
    document.related = document.related or _related(page, document.id, told, labels.get("status", ""))
    document.purpose = _purpose(page)
    chunks = [chunk for s in page.sections if s.level > 1 and s is not section and (chunk := page.section(s))]
    decision = page.named(*_DECISION)
    for chunk in chunks:
        if decision is not None and chunk.line == decision.line + 1:
            chunk.kind = "requirement"
    return page.close(chunks)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _id(path: str) -> str:
    stem = _stem(path)
    match = _NUMBER.match(stem)
    return f"ADR-{match[1]}" if match else stem


def _status(written: str) -> str:
    """The first word or words of what is written; a list of choices is the template's, not a status."""
    line = next((line.strip(" \t*_~`>-+#") for line in written.split("\n") if line.strip()), "")
    line = line.lstrip("[{✅❌⚠️🟢🟡🔴 ").strip()
    if "|" in line or line.count("/") > 1 or placeholder(written):
        return ""
    match = _WORD.match(line[:200])
    return match[0].strip() if match else ""


def _purpose(page: Page) -> str:
    context = page.named(*_CONTEXT)
    found = page.purpose(context.start, context.own_end) if context else ""
    found = found or page.purpose(*page.lead())
    decision = page.named(*_DECISION)
    outcome = page.purpose(decision.start, decision.own_end) if decision else ""
    return " ".join(part for part in (found, first_sentence(outcome, 240)) if part)


def _related(page: Page, own: str, *told: str) -> list[str]:
    """Ids of the records that the status and the sections about links name, as ADR-NNNN of the width of this one's."""
    text = [*told, "\n".join(page.lines[:page.start])]
    for name in _LINKS:
        section = page.named(name)
        if section:
            text.append(markdown.block(page.shown, section.start, section.end))
    for line in page.shown:
        if "upersede" in line or "mends" in line or "mended" in line:
            text.append(line)
    width = len(own.partition("-")[2]) if own.startswith("ADR-") else 4
    found = []
    for match in _NAMED.finditer("\n".join(text)):
        number = next(group for group in match.groups() if group)
        name = f"ADR-{int(number):0{width}d}"
        if name != own and name not in found:
            found.append(name)
    return found
