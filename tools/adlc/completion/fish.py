"""The script for fish."""

from adlc.completion.words import brief, values_of


def script(nodes: list) -> str:
    places = " ".join(_quote(node.path) for node in nodes if node.words)
    lines = [
        "# Completion of adlc for fish: adlc completion fish >~/.config/fish/completions/adlc.fish",
        "function __adlc_at",
        "    set -l node",
        "    for word in (commandline -opc)[2..-1]",
        "        set -l next (string trim -- \"$node $word\")",
        f"        contains -- \"$next\" {places}; and set node \"$next\"",
        "    end",
        "    test \"$node\" = \"$argv[1]\"",
        "end",
        "complete -c adlc -f",
    ]
    for node in nodes:
        at = f"complete -c adlc -n {_quote(f'__adlc_at {_quote(node.path)}')}"
        for verb, help in node.verbs.items():
            lines.append(f"{at} -a {_quote(verb)} -d {_quote(brief(help))}")
        for option in node.options:
            lines.append(f"{at} {_names(option)}{_value(option)} -d {_quote(brief(option.help))}")
        if values := values_of(node):
            lines.append(f"{at} -a {_quote(' '.join(values))}")
        if any(operand.kind for operand in node.operands):
            lines.append(f"{at} -F")
    return "\n".join(lines) + "\n"


def _names(option) -> str:
    return " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)


def _value(option) -> str:
    if not option.shown:
        return ""
    if option.values:
        return f" -x -a {_quote(' '.join(option.values))}"
    return " -r -F" if option.kind == "file" else " -x -a '(__fish_complete_directories)'" if option.kind else " -x"


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
