"""No line of a skill is run while it is loaded.

Such a line passes the permission check before the model has seen anything: one that `allowed-tools` does not cover,
or that holds a variable or an operator, ends the skill in silence. The client looks for it behind a blank or at the
start of a line, in code blocks too, so an example is run as well; only a backtick that ends inline code begins none.
"""

import re

_LINE = re.compile(r"(?:^|(?<=\s))!`[^`]+`", re.M)


def check(page, tree):
    if page.kind != "skill":
        return
    text = "\n".join(page.lines[page.body:])
    start, number, said = 0, page.body + 1, 0
    for match in _LINE.finditer(text):
        number += text.count("\n", start, match.start())
        start = match.start()
        if number != said and text.count("`", text.rfind("\n", 0, start) + 1, start) % 2 == 0:
            said = number
            yield number, "!`…` is run when the skill is loaded, and ends it when it is not allowed; let the model run a plain command"
    for fence in page.fences:
        if fence.info.startswith("!") and fence.mark[0] == "`":
            yield fence.start + 1, "a ```! block is run when the skill is loaded, and ends it when it is not allowed"
