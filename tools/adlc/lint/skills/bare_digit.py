r"""No `$` and digit that the client replaces by a word of the user's, or that the shell replaces by nothing.

Claude Code writes the arguments of a skill over every `$0`, `$1`, … in its text, code and prices included; `\$1` and
`${1}` stay. A skill that declares arguments means them, except where shell or awk have the same notation.
"""

import re

_BARE = re.compile(r"(?<!\\)\$(\d{1,2})(?!\d)")
_MONEY = re.compile(r"(?<!\\)\$\d{1,2}(?:[.,]\d|[KkMmBb]\b|/)")
_AWK = re.compile(r"\bawk\b")


def check(page, tree):
    if page.kind == "skill":
        yield from _replaced(page)
    for fence in page.shells:
        if page.kind in ("skill", "page") and not fence.script and not fence.shell.functions:
            yield from _empty(page, fence)


def _replaced(page):
    declared = bool({"argument-hint", "arguments"} & set(page.fields))
    code = {n for fence in page.shells if fence.shell.functions or fence.script for n in range(fence.start, fence.end)}
    for number in range(page.body, len(page.lines)):
        line = page.lines[number]
        match = _BARE.search(line)
        if match and (not declared or number in code or _foreign(line, match.start()) or _MONEY.search(line)):
            yield number + 1, (
                f"${match[1]} is replaced by an argument of the skill; write \\${match[1]}, or ${{{match[1]}}} for the shell's own; "
                "if an argument is meant, declare it by argument-hint"
            )


def _foreign(line: str, at: int) -> bool:
    """Whether awk or single quotes say that the sign is not the skill's."""
    return bool(_AWK.search(line)) or line.count("'", 0, at) % 2 == 1 and "'" in line[at:]


def _empty(page, fence):
    if page.kind == "skill":
        return  # said already
    for digit, line, _ in fence.shell.positional:
        yield fence.first + line + 1, f"${digit} is empty here: a block is run without arguments"
