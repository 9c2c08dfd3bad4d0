"""What the scripts have in common: which words a place offers, and how a word is written for sh."""

import shlex

quote = shlex.quote


def known(node) -> list[str]:
    """The verbs and options of a place."""
    return [*node.verbs, *(name for option in node.options for name in option.names)]


def values_of(node) -> list[str]:
    return [value for operand in node.operands for value in operand.values]


def places(nodes: list) -> str:
    """A pattern of sh for `PLACE WORD` where the word leads to the next place."""
    return "|".join(quote(" ".join(["", *node.words] if len(node.words) == 1 else node.words)) for node in nodes if node.words)


def brief(text: str) -> str:
    """The first clause of a help text, for a narrow column."""
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:99].rstrip() + "…"
