"""`## Provenance`, which only an intake leaves: source, date, the gap table, and each gap where the pipeline looks."""

import re

from adlc.intake.kinds import KINDS
from adlc.ranking.tags import parse_date

HEADER = ("Section", "Severity", "Gap", "Disposition")
NO_GAPS = "_No gaps identified._"
SEVERITIES, DISPOSITIONS = ("blocking", "assumption"), ("answered", "assumed", "open")
_SOURCE = re.compile(rf"[-*] Source: `(?P<name>[^`]+)` \(kind: (?:{'|'.join(KINDS)})\)")
_DATE = re.compile(r"[-*] Intake date: (?P<date>\d{4}-\d{2}-\d{2})")
_CELL = re.compile(r"(?<!\\)\|")
_MIRRORED = "(intake gap:"


def check(page, corpus):
    if page.corpus != "spec":
        return
    section = page.section("Provenance")
    if section is None:
        for number, line in enumerate(page.prose):
            if _MIRRORED in line:
                yield number + 1, "names an intake gap, and there is no '## Provenance'"
        return
    at = section.line + 1
    lines = [(n + 1, page.shown[n].strip()) for n in range(section.start, section.end) if page.shown[n].strip()]
    yield from _head(lines, at)
    table = [(number, line) for number, line in lines if line.startswith("|")]
    if not table:
        yield at, f"has no table | {' | '.join(HEADER)} |"
        return
    if _cells(table[0][1]) != list(HEADER):
        yield table[0][0], f"the table's header is not | {' | '.join(HEADER)} |"
    rows = table[2:]
    none = any(line == NO_GAPS for _, line in lines) or any(NO_GAPS in line for _, line in rows)
    rows = [row for row in rows if NO_GAPS not in row[1]]
    if none and rows:
        yield at, f"says {NO_GAPS} and lists gaps"
    elif not none and not rows:
        yield at, f"lists no gap: write {NO_GAPS}"
    for number, line in rows:
        yield from _row(page, number, _cells(line))


def _head(lines: list, at: int):
    source = next(((n, line) for n, line in lines if "Source:" in line), None)
    date = next(((n, line) for n, line in lines if "Intake date:" in line), None)
    match = _SOURCE.fullmatch(source[1]) if source else None
    if match is None:
        yield (source[0] if source else at), f"has no line - Source: `name` (kind: {'|'.join(KINDS)})"
    elif "/" in match["name"] or "\\" in match["name"]:
        yield source[0], "the source is its base name only, never a path"
    match = _DATE.fullmatch(date[1]) if date else None
    if match is None or parse_date(match["date"]) is None:
        yield (date[0] if date else at), "has no line - Intake date: YYYY-MM-DD"


def _cells(line: str) -> list[str]:
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(line)]
    return cells[1:-1] if line.rstrip().endswith("|") else cells[1:]


def _row(page, number: int, cells: list[str]):
    if len(cells) != len(HEADER):
        yield number, f"a row has {len(HEADER)} cells; this one has {len(cells)}"
        return
    title, severity, gap, disposition = cells
    if page.section(title) is None:
        yield number, f"there is no section '## {title}'"
    if severity not in SEVERITIES:
        yield number, f"severity '{severity}' is not {' or '.join(SEVERITIES)}"
    if disposition not in DISPOSITIONS:
        yield number, f"disposition '{disposition}' is not one of {', '.join(DISPOSITIONS)}"
        return
    if not gap:
        yield number, "the gap is empty"
        return
    if severity == "assumption" and disposition == "open":
        yield number, "only a blocking gap stays open; an assumption is assumed"
    for where, belongs in (("Assumptions", disposition == "assumed"), ("Open Questions", disposition == "open")):
        there = _mirrored(page, where, gap)
        if belongs and there is None:
            yield number, f"this gap is {disposition}, and '## {where}' does not have it word for word"
        elif belongs and where == "Open Questions" and not re.match(r" *[-*+] \[[ xX]\] ", page.shown[there]):
            yield there + 1, "an open gap is a checkbox: - [ ] …"
        elif not belongs and there is not None:
            yield there + 1, f"has a gap that is {disposition}: it does not belong here"


def _mirrored(page, title: str, gap: str) -> int | None:
    """The 0-based line of the item that has the gap's very words, or None."""
    section = page.section(title)
    words = " ".join(gap.split())
    return next((line for line, text in page.items(section) if words in " ".join(text.split())), None) if section else None
