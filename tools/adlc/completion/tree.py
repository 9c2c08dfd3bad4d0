"""The argument tree as plain data, read from the parsers themselves."""

import argparse

from adlc import verbs

FILES = ("FILE", "PATH", "ID|PATH")
FOLDERS = ("DIR",)


class Argument:
    """An option (names: its spellings) or an operand (names: ()). shown: what stands for its value, "" for a switch.

    values: the words it takes, as far as they are known. kind: file, folder or "". needed, many: how often.
    """

    __slots__ = ("names", "shown", "values", "kind", "help", "needed", "many")

    def __init__(self, action):
        self.names = tuple(action.option_strings)
        self.shown = "" if action.nargs == 0 else _shown(action)
        self.values = tuple(getattr(action, "complete", None) or action.choices or ())
        self.kind = "file" if self.shown in FILES else "folder" if self.shown in FOLDERS else ""
        self.help = (action.help or "").replace("%%", "%")
        self.needed = action.required if self.names else action.nargs not in ("?", "*", "...")
        self.many = action.nargs in ("+", "*", "...") or isinstance(action, argparse._AppendAction)


class Node:
    """What can follow `words`. verbs: name -> help. text: what it does. examples: (line, what)."""

    __slots__ = ("words", "text", "verbs", "options", "operands", "examples")

    def __init__(self, words: tuple, text: str, verbs: dict, options: list, operands: list, examples: list):
        self.words, self.text, self.verbs = words, text, verbs
        self.options, self.operands, self.examples = options, operands, examples

    @property
    def path(self) -> str:
        return " ".join(self.words)


def nodes() -> list[Node]:
    """Every place in the tree, a node before those below it."""
    switches = [_switch("-h", "--help", help="show what there is"), _switch("-V", "--version", help="show the version")]
    found = [Node((), "", verbs.VERBS | {"where": verbs.WHERE}, switches, [], [])]
    for verb in verbs.VERBS:
        parser = verbs.parser_for(verb)
        found += _below((verb,), parser, parser.description or "", verbs.examples_of(verb))
    place = argparse.ArgumentParser(add_help=False).add_argument("place", choices=verbs.PLACES, help="which of them")
    return [*found, Node(("where",), verbs.WHERE, {}, [], [Argument(place)], verbs.WHERE_EXAMPLES)]


def _below(words: tuple, parser, text: str, examples: list) -> list[Node]:
    options, operands, further, listed = [], [], [], {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            # One without a help text is for programs alone.
            listed = {choice.dest: choice.help for choice in action._choices_actions}
            for name, help in listed.items():
                below = action.choices[name]
                further += _below((*words, name), below, below.description or help, [])
        elif action.help != argparse.SUPPRESS:
            (options if action.option_strings else operands).append(Argument(action))
    return [Node(words, text.strip(), listed, options, operands, examples), *further]


def _shown(action) -> str:
    if action.metavar:
        return action.metavar
    return "|".join(map(str, action.choices)) if action.choices else action.dest.upper()


def _switch(*names: str, help: str) -> Argument:
    return Argument(argparse.ArgumentParser(add_help=False).add_argument(*names, action="store_true", help=help))
