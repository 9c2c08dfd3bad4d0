"""Business rules are BR-1, BR-2, …; acceptance criteria are checkboxes, numbered all or not at all."""

import re

_NUMBER = re.compile(r"\*{0,2}(?P<prefix>[A-Z]+)-(?P<number>\d+)(?P<letter>[a-z]?)\*{0,2}[:.)]?\*{0,2}(?=[:.\s]|$)")
_BOX = re.compile(r" *[-*+][ \t]+\[[ xX]\][ \t]+\S")


def check(page, corpus):
    if page.corpus != "spec":
        return
    rules, criteria = page.section("Business Rules"), page.section("Acceptance Criteria")
    if rules:
        yield from _numbered(page.items(rules), "BR", True)
    if criteria:
        items = page.items(criteria)
        for line, text in items:
            if not _BOX.match(page.shown[line]):
                yield line + 1, "an acceptance criterion is a checkbox: - [ ] …"
        yield from _numbered(items, "AC", any(_match(text, "AC") for _, text in items))


def _match(text: str, prefix: str):
    match = _NUMBER.match(text)
    return match if match and match["prefix"] == prefix else None


def _numbered(items: list, prefix: str, required: bool):
    if not items and prefix == "BR" or not required:
        return
    seen: dict[str, int] = {}
    last = 0
    for line, text in items:
        match = _match(text, prefix)
        if match is None:
            yield line + 1, f"has no number: {prefix}-{last + 1}: …"
            continue
        number, ref = int(match["number"]), f"{prefix}-{match['number']}{match['letter']}"
        if ref in seen:
            yield line + 1, f"{ref} was already at line {seen[ref]}"
        elif number < last:
            yield line + 1, f"{ref} stands after {prefix}-{last}"
        elif number > last + 1:
            yield line + 1, f"{ref} follows " + (f"{prefix}-{last}" if last else "nothing") + f"; {prefix}-{last + 1} is missing"
        seen.setdefault(ref, line + 1)
        last = max(last, number)
