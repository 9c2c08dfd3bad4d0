"""Print the script that completes adlc's commands and options in a shell. It knows this version's; print it again after an update."""

import importlib

from adlc import output
from adlc.errors import OK

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = [
    ('eval "$(adlc completion bash)"', "in ~/.bashrc"),
    ('eval "$(adlc completion zsh)"', "in ~/.zshrc, after compinit"),
    ("adlc completion fish >~/.config/fish/completions/adlc.fish", "once"),
]


def arguments(parser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="for which shell")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options) -> int:
    from adlc.completion import tree

    script = importlib.import_module(f"adlc.completion.{options.shell}").script(tree.nodes())
    if options.json:
        output.document("completion", {"shell": options.shell, "script": script})
    else:
        output.text(script.rstrip("\n").split("\n"))
    return OK
