"""Answer a hook of Claude Code: spec-pointer, spec-first or spec-of-file.

Reads the hook's JSON from standard input and prints what Claude Code expects. Whatever happens, it exits with 0,
because a hook that fails disturbs or blocks a session, and says nothing when there is nothing precise to say.
"""

import importlib
import os
import sys

from adlc.errors import OK

NAMES = {"spec-pointer": "pointer", "spec-first": "first", "spec-of-file": "of_file"}
OFF = ("off", "0", "no", "false", "none")
# The answer of a tool is among it, and with that the whole text of an edited file.
MAX_INPUT = 32 * 1024 * 1024
EXAMPLES = [
    ("adlc hook spec-pointer", "as the plugin calls it, with the hook's JSON on standard input"),
]


def arguments(parser) -> None:
    parser.add_argument("name", metavar="|".join(NAMES), help="which hook").complete = tuple(NAMES)


def run(options) -> int:
    return silently([options.name])


def silently(arguments: list[str]) -> int:
    """Answer the hook that `arguments` name; 0 whatever happens."""
    try:
        if arguments and arguments[0] in NAMES and os.environ.get("ADLC_HOOKS", "").strip().casefold() not in OFF:
            _answer(arguments[0])
    except BaseException:
        pass
    return OK


def _answer(name: str) -> None:
    import json

    from adlc import config, files, output
    from adlc.hooks import session

    if sys.stdin is None or sys.stdin.isatty():
        return
    call = json.loads(files.read_stdin(MAX_INPUT))
    if not all(isinstance(call.get(key), str) and call[key] for key in ("session_id", "cwd")):
        return
    hook = importlib.import_module(f"adlc.hooks.{NAMES[name]}")
    root = hook.root_of(call)
    if root is None or not config.hook_is_on(root, name):
        return
    text = hook.text(call, root)
    if text and session.claim(call["session_id"], hook.mark(call) if hasattr(hook, "mark") else name):
        output.text([text])
