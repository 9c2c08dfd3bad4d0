"""A shell block means the same in every shell: it is run by the user's own, bash or zsh, or by /bin/sh.

A block that says bash or zsh may use what that has; no block assigns a variable that zsh keeps for itself.
"""

import re

_COMMANDS = {
    "local": "POSIX has no local", "source": "POSIX has no source; write `.`", "declare": "POSIX has no declare", "typeset": "POSIX has no typeset",
    "let": "POSIX has no let; write $((…))", "shopt": "shopt is bash's own", "mapfile": "mapfile is bash's own", "readarray": "readarray is bash's own",
    "pushd": "POSIX has no pushd", "popd": "POSIX has no popd",
}
_OPERATORS = re.compile(r"(?P<replace>//?)|(?P<case>\^|,)|(?P<cut>:(?: +-|\(| *[\d$]))|(?P<array>\[)|(?P<change>@)")
_BRACES = re.compile(r"(?<!\$)\{(?:[A-Za-z0-9]+\.\.[A-Za-z0-9]+(?:\.\.\d+)?|[^{}\s,]*,[^{}\s]*)\}")
_ZSH = frozenset(("status", "path", "pipestatus", "argv", "fpath", "cdpath", "manpath"))


def check(page, tree):
    for fence in page.shells:
        for line, message in _found(fence):
            yield fence.first + line + 1, message


def _found(fence):
    shell = fence.shell
    if not fence.script and fence.dialect != "ksh":
        for name, line, _ in shell.assigned:
            if name in _ZSH:
                yield line, f"zsh keeps the variable '{name}' for itself; take another name"
    if fence.dialect != "posix":
        return
    for line, what in shell.odd:
        yield line, f"POSIX has no {what}"
    for command in shell.commands:
        if command.name in _COMMANDS and command.words[0].bare:
            yield command.line, _COMMANDS[command.name]
        elif command.name in ("[", "test") and any(word.value == "==" and word.bare for word in command.words):
            yield command.line, "POSIX has no == in [; write ="
        elif command.name == "set" and any(word.value == "pipefail" for word in command.words):
            yield command.line, "not every /bin/sh has pipefail"
        elif command.name == "printf" and len(command.words) > 1 and command.words[1].value == "-v":
            yield command.line, "POSIX has no printf -v"
        elif command.name == "read" and any(re.fullmatch(r"-r*[^r\W]\w*", word.value) for word in command.words[1:]):
            yield command.line, "POSIX read has -r only"
        elif command.name == "echo" and len(command.words) > 1 and re.fullmatch(r"-[neE]+", command.words[1].text):
            yield command.line, f"some shells print echo's {command.words[1].text}; write printf"
    for word in (*shell.loose, *(word for command in shell.commands for word in command.words[1:])):
        if word.bare and (match := _BRACES.search(word.value)):
            yield word.line, f"POSIX has no {match[0][:30]}"
    for name, line, _ in shell.functions:
        if not re.fullmatch(r"\w+", name):
            yield line, f"POSIX has no function called {name}"
    for read in shell.reads:
        if read.name == "RANDOM":
            yield read.line, "POSIX has no $RANDOM"
        if _OPERATORS.match(read.operator):
            yield read.line, f"POSIX has no ${{{read.name}{read.operator[:12]}}}"
