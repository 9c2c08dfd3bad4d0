"""The sections of the template are there, filled, once, and in its order."""

import re

SPEC = (
    "Description", "System Model", "Business Rules", "Acceptance Criteria", "External Dependencies", "Assumptions",
    "Open Questions", "Out of Scope", "Provenance", "Retrieved Context",
)
OPTIONAL = {"System Model", "Provenance"}
LAST = "Retrieved Context"
# A bug needs its cause only once somebody claims to have found it.
BUG, SOLVED = ("Description",), ("Root Cause", "Resolution")
LESSON = ("Lesson",)
# A whole item, cell or line in angle brackets is the template's, not the author's.
_PLACEHOLDER = re.compile(r"^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|#+\s+)?(?:(?:BR|AC)-\d+:\s*)?(<[A-Za-z][^<>]*>)\s*(?::|\(|$)")


def check(page, corpus):
    yield from _missing(page)
    yield from _placeholders(page)
    if page.corpus == "spec":
        yield from _order(page)


def _missing(page):
    wanted = {"spec": SPEC, "lesson": LESSON, "bug": BUG}[page.corpus]
    if page.corpus == "bug" and page.head.scalar("status").casefold() in ("resolved", "closed"):
        wanted += SOLVED
    end = len(page.lines) - (1 if page.lines[-1] == "" else 0) or 1
    for title in wanted:
        section = page.section(title)
        if section is None:
            if title not in OPTIONAL:
                yield end, f"there is no section '## {title}'"
        elif not page.filled(section):
            yield section.line + 1, f"section '## {title}' is empty"


def _order(page):
    seen: dict[str, int] = {}
    highest = -1
    for section in page.sections:
        title = next((t for t in SPEC if section.level == 2 and t.casefold() == section.title.casefold()), None)
        if title is None:
            continue
        place = SPEC.index(title)
        if title in seen:
            yield section.line + 1, f"section '## {title}' was already at line {seen[title]}"
            continue
        seen[title] = section.line + 1
        if place < highest:
            yield section.line + 1, f"section '## {title}' stands after '## {SPEC[highest]}'"
        highest = max(highest, place)
    second = [s for s in page.sections if s.level <= 2]
    if LAST in seen and second[-1].title.casefold() != LAST.casefold():
        yield seen[LAST], f"'## {LAST}' is not the last section"


def _placeholders(page):
    # An HTML element such as <details> is the author's own.
    for number, line in enumerate(page.prose):
        match = _PLACEHOLDER.match(line)
        if match and (" " in match[1] or match[1] in ("<title>", "<Entity>", "<event>", "<action>", "<ID>", "<step>")):
            yield number + 1, f"the template's {match[1][:60]} is still here"
