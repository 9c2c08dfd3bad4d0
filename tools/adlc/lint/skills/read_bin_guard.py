"""The delegate reader is called as the gate found it: absolute, checked before anything is marked, quoted, through `command`."""

import re

NAME = "ADLC_READ_BIN"
_USE = re.compile(rf"\$(?:\{{{NAME}\b|{NAME}\b)")
_QUOTED = re.compile(rf"\"\$(?:{NAME}|\{{{NAME}\}})\"")
_GUARD = re.compile(rf"\bcase[ \t]+\"\$(?:{NAME}|\{{{NAME}\}})\"[ \t]+in[ \t\n]*\(?/\*\)")
_WRAPPERS = frozenset(("command", "exec", "env", "nohup", "timeout", "nice", "builtin"))


def check(page, tree):
    for fence in page.shells:
        shell = fence.shell
        if NAME not in fence.code or any(name == NAME for name, _, _ in shell.assigned):
            continue  # what assigns it is the gate itself
        guard = _GUARD.search(fence.code)
        for line, message in _found(shell):
            yield fence.first + line + 1, message
        calls = [command for command in shell.commands if _called(command)]
        marks = [command for command in shell.commands if [word.value for word in command.words[-2:]] == ["invoked", "1"]]
        for command in sorted([*calls, *(marks if calls else ())], key=lambda command: command.at):
            if guard is None or guard.start() > command.at:
                what = "called" if command in calls else "marked as invoked"
                yield fence.first + command.line + 1, f"{NAME} is {what} before `case \"${NAME}\" in /*)` has found it absolute"
                break


def _found(shell):
    for read in shell.reads:
        if read.name == NAME and re.match(r":?[-=+]", read.operator):
            yield read.line, f"{NAME} has no default: empty means that there is no reader"
    for command in shell.commands:
        for name, word in command.prefix:
            if _USE.search(word.text):
                yield word.line, f"{NAME} is copied to {name}, where no guard watches it"
        if not command.words:
            continue
        uses = [word for word in command.words if _USE.search(word.text)]
        if uses and command.name == "eval":
            yield command.line, f"{NAME} is evaluated; call it through `command`"
        elif uses and command.name in ("export", "local", "readonly", "declare", "typeset") and any("=" in word.text for word in uses):
            yield command.line, f"{NAME} is copied, where no guard watches it"
        elif _called(command):
            word = uses[0]
            if command.words[0] is word:
                yield command.line, f"{NAME} is not called through `command`, so a function or alias can answer"
            if not _QUOTED.fullmatch(word.text) and not re.match(rf"\"?\$\{{{NAME}:?[-=+]", word.text):
                yield word.line, f"{NAME} is not quoted; write command \"${NAME}\""


def _called(command) -> bool:
    """Whether the command runs what the variable names, by itself or through one of the wrappers."""
    for word in command.words:
        if _USE.search(word.text):
            return True
        if word.value not in _WRAPPERS and not word.value.startswith("-") and not re.fullmatch(r"[\d.]+[smh]?|\w+=.*", word.value):
            return False
    return False
