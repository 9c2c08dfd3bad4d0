"""Sentences that programs and people look for stay as they are, and retired ones do not come back.

A bundle lists them in `tools/lint-skills/sentinels.txt`, tab-separated: `exact`, how the sentence begins, how it goes
on; or `never`, the literal, why. Without that file there is nothing to check.
"""

FILE = "tools/lint-skills/sentinels.txt"


def check(page, tree):
    if page.kind not in ("skill", "page", "agent"):
        return
    for kind, literal, rest in rules(tree.text(page.home, FILE)):
        for number, line in enumerate(page.lines):
            at = line.find(literal)
            while at >= 0:
                if kind == "never":
                    yield number + 1, f"'{literal}' is retired: {rest}"
                elif not line[at + len(literal):].startswith(rest):
                    yield number + 1, f"'{literal}' does not go on as agreed: '{rest}'"
                at = line.find(literal, at + len(literal))


def rules(text: str) -> list[tuple[str, str, str]]:
    """The lines of the file as (kind, literal, rest); others are passed over."""
    parts = [line.split("\t") for line in text.split("\n")]
    return [(part[0], part[1], part[2]) for part in parts if len(part) == 3 and part[0] in ("exact", "never") and part[1]]
