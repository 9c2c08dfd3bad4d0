"""Mark what happens in one delegated step, across the separate shells of its commands."""

from adlc import output
from adlc.errors import NO, OK, AdlcError
from adlc.telemetry import flag

# verb -> (names of its arguments, help)
_VERBS = {
    "create": ((), "make a flag and print its path"),
    "current": ((), "print the newest flag of this project and session"),
    "check": (("flag",), "exit 0 when the flag is alive, 1 when not"),
    "clear": (("flag",), "remove the flag and its marks"),
    "mark": (("flag", "key", "value"), "note key=value; keys: " + ", ".join(flag.KEYS)),
    "read": (("flag", "key"), "print the last value of a key, or nothing"),
}
_ARGUMENTS = {"flag": "the path that adlc flag create printed", "key": "one of " + ", ".join(flag.KEYS), "value": "what to note"}
EXAMPLES = [
    ("adlc flag create", "make a flag and print its path"),
    ("adlc flag mark FLAG reason ok", "note something on it"),
    ("adlc flag read FLAG reason", "print the last value"),
]


def arguments(parser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, (names, help) in _VERBS.items():
        verb = verbs.add_parser(name, help=help, allow_abbrev=False)
        for argument in names:
            verb.add_argument(argument, metavar=argument.upper(), help=_ARGUMENTS[argument])
        verb.add_argument("--json", action="store_true", help="print one JSON document")


def run(options) -> int:
    verb, answer, code = options.verb, {}, OK
    if verb == "create":
        answer["flag"] = flag.create()
    elif verb == "current":
        answer["flag"] = flag.current()
        code = OK if answer["flag"] else NO
    elif verb == "check":
        answer |= {"flag": options.flag, "alive": flag.exists(options.flag)}
        code = OK if answer["alive"] else NO
    elif verb == "clear":
        flag.clear(options.flag)
        answer["flag"] = options.flag
    elif verb == "mark":
        flag.mark(options.flag, options.key, options.value)
        answer |= {"flag": options.flag, "key": options.key, "value": options.value}
    else:
        if options.key not in flag.KEYS:
            raise AdlcError("usage", f"'{output.single_line(options.key, 40)}' is no key of a flag", "keys: " + ", ".join(flag.KEYS))
        answer |= {"flag": options.flag, "key": options.key, "value": flag.marks(options.flag).get(options.key)}
    if options.json:
        output.document("flag", {"verb": verb, **answer})
    else:
        printed = {"create": "flag", "current": "flag", "read": "value"}.get(verb)
        if printed and answer[printed]:
            output.text([answer[printed]])
    return code
