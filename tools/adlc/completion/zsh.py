"""The script for zsh: to be evaluated after compinit, or a file _adlc in a directory of fpath."""

from adlc.completion.words import brief, places, quote, values_of


def script(nodes: list) -> str:
    lines = [
        "#compdef adlc",
        "_adlc() {",
        "  local node='' n",
        "  local -a verbs options names",
        "  for ((n = 2; n < CURRENT; n++)); do",
        '    case "$node $words[n]" in',
        f"      {places(nodes)}) node=\"${{node:+$node }}$words[n]\" ;;",
        "    esac",
        "  done",
        '  case "$node $words[CURRENT-1]" in',
    ]
    for node in nodes:
        for option in node.options:
            if option.shown:
                patterns = "|".join(quote(f"{node.path} {name}") for name in option.names)
                lines.append(f"    {patterns}) {_value(option)}; return ;;")
    lines += ["  esac", '  case "$node" in']
    for node in nodes:
        verbs = " ".join(quote(f"{name}:{brief(help)}") for name, help in node.verbs.items())
        options = " ".join(quote(f"{name}:{brief(option.help)}") for option in node.options for name in option.names)
        lines += [f"    {quote(node.path)})", f"      verbs=({verbs})", f"      options=({options})", f"      names=({' '.join(map(quote, values_of(node)))})"]
        lines.append("      [[ $PREFIX == -* ]] || " + ("_files" if any(o.kind for o in node.operands) else ":") + " ;;")
    lines += [
        "  esac",
        "  if [[ $PREFIX == -* ]]; then",
        "    _describe -o option options",
        "  else",
        "    (( $#verbs )) && _describe command verbs",
        "    (( $#names )) && compadd -a names",
        "    return 0",
        "  fi",
        "}",
        # As a file of fpath it is the body of the function itself.
        'if [[ "$funcstack[1]" = _adlc ]]; then _adlc "$@"; else compdef _adlc adlc; fi',
    ]
    return "\n".join(lines) + "\n"


def _value(option) -> str:
    if option.values:
        return "compadd -- " + " ".join(map(quote, option.values))
    if option.kind:
        return "_files -/" if option.kind == "folder" else "_files"
    return f"_message {quote(option.shown)}"
