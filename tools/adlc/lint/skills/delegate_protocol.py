"""A page that asks the gate also starts the clock, marks the call and leaves a record, or a skipped call would not show.

A part may stand in a partial; it counts only where the page sources that partial.
"""

import re

from adlc.lint.skills.harness_skip import gate_line

_SOURCED = re.compile(r"partials\)?\"?/([\w.-]+\.sh)")
# What must be there -> the spellings of it: as single commands, and as shell blocks.
PARTS = {
    "the start of the step (adlc flag create, or the mark start_s)": re.compile(r"\badlc flag create\b|\bstart_s\b"),
    "the mark of the call (adlc delegate read, or the marks invoked and exit)": re.compile(r"\badlc delegate read\b|\binvoked 1\b"),
    "the record (adlc telemetry step, or _adlc_emit_step_telemetry)": re.compile(r"\badlc telemetry step\b|\btelemetry step \"|^\s*_adlc_emit_step_telemetry \w", re.M),
}


def check(page, tree):
    if page.kind not in ("skill", "page"):
        return
    gates = [fence for fence in page.shells if gate_line(fence) is not None]
    if not gates:
        return
    code = "\n".join(fence.code for fence in page.shells)
    for name in dict.fromkeys(_SOURCED.findall(code)):
        partial = tree.partial(page, name)
        code += "\n" + partial.text if partial else ""
    line = gates[0].first + gate_line(gates[0]) + 1
    for part, spelling in PARTS.items():
        if not spelling.search(code):
            yield line, f"this page asks the gate and lacks {part}"
