"""Above each gate, a harness that pins a session by what it runs is told to run none of the blocks."""

import re

PARAGRAPH = "**Provenance-classifying harness (BUG-228):**"
NEAR = 30
_GATE = re.compile(r"adlc_delegate_gate_check\b")


def check(page, tree):
    if page.kind not in ("skill", "page", "agent"):
        return
    for fence in page.shells:
        gate = gate_line(fence)
        if gate is None:
            continue
        line = fence.first + gate
        above = page.prose[max(0, line - NEAR):line]
        if not any(text.lstrip().startswith(PARAGRAPH) for text in above):
            yield line + 1, f"a gate without the paragraph '{PARAGRAPH}' in the {NEAR} lines above it"


def gate_line(fence) -> int | None:
    """The line of a block's code that asks the gate, or None."""
    for command in fence.shell.commands:
        if command.name == "adlc_delegate_gate_check" or [word.value for word in command.words[:2]] == ["adlc", "gate"]:
            return command.line
    return None
