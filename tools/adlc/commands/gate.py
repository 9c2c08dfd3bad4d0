"""Tell whether documents may be handed to the delegate. Exit code: 0 yes, 1 no, 3 there is no adlc-read."""

import os

from adlc import output
from adlc.delegate import gate, protocol
from adlc.errors import NO, OK, UNAVAILABLE

EXAMPLES = [
    ("adlc gate", "gate 0 ok, or why not"),
]


def arguments(parser) -> None:
    parser.add_argument("--flag", metavar="F", help="mark the reason on this flag")
    parser.add_argument("--step", choices=protocol.STEPS, default="Step-1.6", help="which step asks (default Step-1.6)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options) -> int:
    answer = gate.check()
    if options.flag:
        from adlc.telemetry import flag

        flag.mark(options.flag, "reason", answer.reason)
    if options.json:
        output.document("gate", {"gate": answer.code, "reason": answer.reason, "binary": answer.binary or None, "fault": answer.fault or None})
    else:
        output.text([f"gate {answer.code} {answer.reason}"])
        if answer.fault:
            output.talk(f"adlc: {answer.fault}")
        if os.environ.get("ADLC_DISABLE_DELEGATE", "") not in ("", "0", "1"):
            output.talk("adlc: ADLC_DISABLE_DELEGATE disables only with the value 1")
    if answer.code:
        output.talk(protocol.fallback_line(answer.reason, options.step))
    return (OK, NO, UNAVAILABLE)[answer.code]
