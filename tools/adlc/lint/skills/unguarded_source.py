"""A partial is sourced in the one form that survives every shell.

`. A || . B` ends dash and `bash --posix` when A is missing, whatever follows. So is any other spelling that names a
file without asking for it first.
"""

import re

_PARTIAL = re.compile(r"(?:^|[/\"])partials\)?\"?/([\w.-]+\.sh)")
_GUARDED = re.compile(
    r"if \[ -f \.adlc/partials/(?P<name>[\w-]+\.sh) \]; then \. \.adlc/partials/(?P=name); "
    r"(?:elif \[ -f ~/\.claude/skills/partials/(?P=name) \]; then \. ~/\.claude/skills/partials/(?P=name); "
    r"else \. \"\$\(adlc where partials\)/(?P=name)\"; fi|else \. ~/\.claude/skills/partials/(?P=name); fi)"
)
_RETIRED = re.compile(
    r"(?:^|[\s`;(])(?:\.|source)[ \t]++(?P<file>[^\s|]++)[ \t]*+(?:2>[ \t]*+[^\s|]++[ \t]*+)?\|\|[ \t]*+(?:\.|source)[ \t]"
)


def check(page, tree):
    said = set()
    for fence in page.shells:
        lines = fence.code.split("\n")
        for command in fence.shell.commands:
            if command.name not in (".", "source") or not any(_PARTIAL.search(word.text) for word in command.words[1:2]):
                continue
            number = fence.first + command.line
            if not _GUARDED.fullmatch(lines[command.line].strip()) and number not in said:
                said.add(number)
                yield number + 1, (
                    "a partial is sourced without the guard: a missing file ends some shells; copy the line of partials/README.md"
                )
    for number in range(page.body, len(page.lines)):
        if number not in said and any("partials/" in match["file"] for match in _RETIRED.finditer(page.lines[number])):
            yield number + 1, "`. A || . B` ends dash and bash --posix when A is missing; copy the line of partials/README.md"
