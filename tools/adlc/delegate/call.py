"""One delegated read of /spec: gate, marks, the call itself, and the judged answer."""

import os
import signal
import subprocess

from adlc import output
from adlc.delegate import gate, proposal, protocol
from adlc.errors import AdlcError
from adlc.telemetry import flag as flags

MAX_ANSWER_BYTES = 8 * 1024 * 1024
MAX_LINES = 20


def read(flag: str, paths: list[str], question: str, step: str, count: int, kind: str, max_tokens: int | None) -> str:
    """The delegate's answer. Marks `invoked` before the call and `exit` after it, whatever becomes of it.

    Prints the lines of the protocol on stderr. Raises AdlcError delegate_disabled when the gate is
    closed, delegate_failed when the call did not succeed, usage for a flag that is none.
    """
    if not flags.exists(flag):
        raise AdlcError("usage", "--flag: not a living flag", "make one: adlc flag create")
    # What an outdated gate left in the environment is refused, not corrected.
    stale = os.environ.get("ADLC_READ_BIN", "")
    if stale and not os.path.isabs(stale):
        raise Refused(stale)
    answer = gate.check()
    flags.mark(flag, "reason", answer.reason)
    if answer.code:
        output.talk(protocol.fallback_line(answer.reason, step))
        raise AdlcError("delegate_disabled", f"the gate is closed: {answer.reason}", answer.fault)
    if not os.path.isabs(answer.binary):
        raise Refused(answer.binary)
    output.talk(protocol.announcement(step, count, kind))
    flags.mark(flag, "invoked", "1")
    code = 1
    try:
        code, text = _call(answer.binary, paths, question, max_tokens)
    finally:
        flags.mark(flag, "exit", str(code))
    if code:
        output.talk(protocol.failure_line(step))
        raise AdlcError("delegate_failed", f"adlc-read failed (exit {code})", "read the documents yourself")
    return text


class Refused(AdlcError):
    """The program's path is not absolute; the message is the protocol's own line."""

    def __init__(self, binary: str):
        super().__init__("delegate_disabled", protocol.refusal_line(output.single_line(binary, 200)))


def _call(binary: str, paths: list[str], question: str, max_tokens: int | None) -> tuple[int, str]:
    words = [binary, "--no-warn", "--paths", *(f"./{p}" if p.startswith("-") else p for p in paths), "--question", question]
    if max_tokens:
        words += ["--max-tokens", str(max_tokens)]
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    except OSError:
        return 126, ""

    def stopped(number, _):
        process.kill()
        raise SystemExit(128 + number)

    # A harness that gives up on the command sends TERM; the call was made all the same.
    previous = signal.signal(signal.SIGTERM, stopped)
    try:
        data = process.stdout.read(MAX_ANSWER_BYTES)
        process.stdout.close()
        code = process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        signal.signal(signal.SIGTERM, previous)
    return code if code >= 0 else 128 - code, data.decode("utf-8", "replace")


def judge(text: str, expected: list[str], root: str) -> dict:
    """The parts of a check, as they are printed: covered, missing, unexpected, citations."""
    covered, missing, unexpected = proposal.coverage(text, expected)
    verdicts = proposal.citations(text, root)
    rejected = [v for v in verdicts if v.reason]
    return {
        "covered": covered,
        "missing": missing,
        "unexpected": [output.single_line(id, 120) for id in unexpected],
        "citations": {
            "accepted": [{"citation": v.citation, "rule": v.rule, "path": v.target} for v in verdicts if not v.reason],
            "rejected": [{"citation": v.citation, "rule": v.rule, "reason": v.reason} for v in rejected[:proposal.MAX_REJECTED]],
            "rejected_count": len(rejected),
        },
    }


def judged_lines(judged: dict) -> list[str]:
    """The same for people and agents, one fact a line; nothing for what is as it should be."""
    lines = []
    if judged["missing"]:
        lines.append("missing (read these yourself): " + ", ".join(judged["missing"]))
    if judged["unexpected"]:
        lines.append(f"unexpected blocks: {len(judged['unexpected'])} (not asked for; ignore them)")
    for item in judged["citations"]["accepted"]:
        lines.append(f"citation ok: {item['citation']} -> {item['path']}")
    for item in judged["citations"]["rejected"][:MAX_LINES]:
        # The delegate's own words, outside the frame: short, quoted, one line.
        lines.append(f"citation rejected ({item['rule']}: {item['reason']}): {item['citation'][:60]!r}")
    if judged["citations"]["rejected_count"] > MAX_LINES:
        lines.append(f"citations rejected in all: {judged['citations']['rejected_count']}")
    return lines
