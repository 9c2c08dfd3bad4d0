"""The verbs of adlc and the argument tree below each of them."""

from adlc.errors import AdlcError

# verb -> one line of help. Each verb is the module adlc.commands.<verb> (with - as _), which has
# `arguments(parser)`, `run(options) -> int` and EXAMPLES, pairs of a command line and what it does.
VERBS = {
    "search": "find the documents that govern a question",
    "context": "what must be read before a change: specs in tiers, with reasons and health",
    "list": "list the documents",
    "show": "show one document: its parts, requirements and problems",
    "of-file": "name the documents that precisely claim a file",
    "init": "give a project its .adlc directory, or bring it up to date",
    "lint": "find what is wrong in specs, bugs and lessons, and in skills",
    "index": "build the index of adlc context, or check it",
    "materialize": "render spec-scout for the coding harnesses in use",
    "doctor": "tell whether adlc works here, and what puts it right",
    "completion": "print the script that completes commands and options in a shell",
    "update": "bring what is derived from the documents up to date",
    "retrieve": "score lessons, bugs and specs by tags, for /spec",
    "id": "hand out, check and change the numbers of specs, bugs and lessons",
    "intake": "turn a transcript, ticket or note into the source of a requirement, for /spec",
    "flag": "mark what happens in one delegated step",
    "gate": "tell whether documents may be handed to the delegate",
    "delegate": "have the delegate read documents",
    "proposal": "frame and check what the delegate sent back",
    "hook": "answer a hook of Claude Code: say where the specs are, or nothing",
    "telemetry": "record and report what delegated steps turned out to be",
}

# Answered by bin/adlc before there is any Python.
WHERE = "print where adlc lives"
PLACES = ("tools", "partials", "root", "python")
WHERE_EXAMPLES = [('. "$(adlc where partials)/id-alloc.sh"', "in a script, source a partial of this installation")]


def parser_for(verb: str):
    """The argparse parser of one verb; usage errors raise AdlcError("usage")."""
    import argparse

    from adlc import output

    class Parser(argparse.ArgumentParser):
        def error(self, message):
            raise AdlcError("usage", message, f"see: {self.prog} --help")

        def print_help(self, file=None):
            output.text(self.format_help().rstrip("\n").split("\n"))

    module = _module(verb)
    parser = Parser(
        prog=f"adlc {verb}", description=module.__doc__, epilog=_epilog(examples_of(verb)), allow_abbrev=False,
        # A given width keeps argparse from importing shutil (6 ms) to ask the terminal for it.
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=100),
    )
    module.arguments(parser)
    parser.set_defaults(run=module.run)
    _describe(parser)
    return parser


def _describe(parser) -> None:
    """Give the commands below a verb what the list of them says, where they have no description of their own."""
    import argparse

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                below = action.choices[choice.dest]
                below.formatter_class = parser.formatter_class
                below.description = below.description or f"{choice.help[0].upper()}{choice.help[1:]}."


def examples_of(verb: str) -> list[tuple[str, str]]:
    """(command line, what it does) for the help text of a verb."""
    return getattr(_module(verb), "EXAMPLES", [])


def _module(verb: str):
    import importlib

    return importlib.import_module(f"adlc.commands.{verb.replace('-', '_')}")


def _epilog(pairs: list[tuple[str, str]]) -> str | None:
    return "\n".join(["examples:", *(f"  {line}\n      {what}" for line, what in pairs)]) if pairs else None
