"""Variables that the client writes into a skill have the one form that it knows.

`${CLAUDE_PLUGIN_ROOT}` is replaced in the text; with `:-` it is not, nor without braces, and in the shell of a skill
there is no such variable: the default is taken, which exists on the author's machine only.
"""

import re

_NAMES = r"CLAUDE_(?:PLUGIN_ROOT|PLUGIN_DATA|SKILL_DIR)"
_OPERATOR = re.compile(rf"\$\{{({_NAMES})[:\-+?=%#/^,]")
_BARE = re.compile(rf"(?<!\\)\$({_NAMES})\b")


def check(page, tree):
    for number in range(page.body, len(page.lines)):
        if match := _OPERATOR.search(page.lines[number]):
            yield number + 1, f"${{{match[1]}…}} is never replaced with an operator in it; write ${{{match[1]}}}"
    if page.kind != "skill":
        return
    for fence in page.shells:
        if fence.script:
            continue
        for number, line in enumerate(fence.code.split("\n")):
            if match := _BARE.search(line):
                yield fence.first + number + 1, f"${match[1]} is not replaced without braces, and the shell has no such variable; write ${{{match[1]}}}"
