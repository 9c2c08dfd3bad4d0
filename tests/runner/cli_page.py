"""Prints docs/cli.md from the argument tree: python3 tests/runner/cli_page.py >docs/cli.md"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from adlc.completion import tree  # noqa: E402

HEAD = """\
# The command line

Every command, from the argument tree itself; `adlc COMMAND --help` says the same. Written by
`python3 tests/runner/cli_page.py >docs/cli.md`, and a test holds it to the program. Exit codes stand in the
[README](../README.md#exit-codes), the documents that `--json` prints in [json.md](json.md).
"""


def page() -> str:
    first, *rest = tree.nodes()
    parts = [HEAD, "| command | |\n|---|---|\n" + "".join(f"| [`{verb}`](#adlc-{verb}) | {_cell(help)} |\n" for verb, help in first.verbs.items())]
    for node in rest:
        level = "#" * (len(node.words) + 1)
        text = node.text + ("" if node.text.endswith((".", ":")) else ".")
        parts.append(f"{level} adlc {node.path}\n\n```\n{_usage(node)}\n```\n\n{text[0].upper()}{text[1:]}\n")
        rows = [(_shown(argument), argument) for argument in [*node.operands, *_own(node)]]
        if rows:
            parts.append("| | |\n|---|---|\n" + "".join(f"| `{_cell(shown)}` | {_cell(_about(argument))} |\n" for shown, argument in rows))
        if node.examples:
            width = max((len(line) for line, _ in node.examples if len(line) < 60), default=0)
            lines = (f"{line:{width}}  # {what}" for line, what in node.examples)
            parts.append("```sh\n" + "\n".join(lines) + "\n```\n")
    return "\n".join(parts)


def _own(node) -> list:
    return [option for option in node.options if "--help" not in option.names or not node.words]


def _usage(node) -> str:
    words = [f"adlc {node.path}"]
    words += [f"{o.names[0]} {o.shown}{' …' * o.many}" for o in node.options if o.needed]
    words += ["[OPTION …]"] if any(not o.needed for o in _own(node)) else []
    words += [f"{'' if o.needed else '['}{o.shown}{' …' * o.many}{'' if o.needed else ']'}" for o in node.operands]
    return " ".join(words + (["COMMAND …"] if node.verbs else []))


def _shown(argument) -> str:
    return ", ".join(argument.names) + (f" {argument.shown}" if argument.names and argument.shown else "" if argument.names else argument.shown)


def _about(argument) -> str:
    told = "|" in argument.shown or set(argument.values) <= set(re.findall(r"[\w.-]+", argument.help))
    values = "" if told else f"one of {', '.join(argument.values)}"
    return "; ".join(part for part in (argument.help, values) if part)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(page())
