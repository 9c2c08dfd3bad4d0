"""The user's words never become part of a command: `$ARGUMENTS` in a shell block is replaced before the shell reads it."""

import re

_ARGUMENTS = re.compile(r"(?<!\\)\$\{?ARGUMENTS\b")


def check(page, tree):
    if page.kind != "skill":
        return
    for fence in page.shells:
        for number, line in enumerate(fence.code.split("\n")):
            if _ARGUMENTS.search(line):
                yield fence.first + number + 1, "$ARGUMENTS becomes part of the command, so the shell runs what the user's text contains; hand it over in a file"
