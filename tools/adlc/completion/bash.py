"""The script for bash, 3.2 included. Where nothing is known it leaves file names to readline."""

from adlc.completion.words import known, places, quote, values_of


def script(nodes: list) -> str:
    lines = [
        "# Completion of adlc for bash: eval \"$(adlc completion bash)\"",
        "_adlc() {",
        "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} node='' words='' n",
        "  for ((n = 1; n < COMP_CWORD; n++)); do",
        '    case "$node ${COMP_WORDS[n]}" in',
        f"      {places(nodes)}) node=\"${{node:+$node }}${{COMP_WORDS[n]}}\" ;;",
        "    esac",
        "  done",
        '  case "$node $before" in',
    ]
    for node in nodes:
        for option in node.options:
            if option.shown:
                names = "|".join(quote(f"{node.path} {name}") for name in option.names)
                lines.append(f"    {names}) words={quote(' '.join(option.values))} ;;")
    lines += ["    *)", "      case \"$node\" in"]
    for node in nodes:
        lines.append(f"        {quote(node.path)}) words={quote(' '.join([*known(node), *values_of(node)]))} ;;")
    lines += [
        "      esac", "      ;;", "  esac",
        # Nothing but the words above is expanded here.
        '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -o bashdefault -o default -F _adlc adlc",
    ]
    return "\n".join(lines) + "\n"
