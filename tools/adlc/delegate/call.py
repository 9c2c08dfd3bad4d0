"""One delegated read of /spec: gate, marks, and the call itself."""

import os
import signal

from adlc import env, output, programs
from adlc.delegate import config, gate, protocol
from adlc.errors import AdlcError
from adlc.telemetry import flag as flags

MAX_ANSWER_BYTES = 8 * 1024 * 1024
GRACE_SECONDS = 10


def read(flag: str, paths: list[str], question: str, step: str, count: int, kind: str, max_tokens: int | None, say) -> str:
    """The delegate's answer. Marks `invoked` before the call and `exit` after it, whatever becomes of it.

    count, kind: of what is announced (see protocol). max_tokens: None for the reader's own limit. say(line) is given
    each line of the protocol when it is due. Raises AdlcError delegate_disabled when the gate is closed,
    delegate_failed when the call did not succeed, usage for a flag that is none.
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
        flags.close(flag, answer.reason)
        say(protocol.fallback_line(answer.reason, step))
        raise AdlcError("delegate_disabled", f"the gate is closed: {answer.reason}", answer.fault)
    if not os.path.isabs(answer.binary):
        raise Refused(answer.binary)
    say(protocol.announcement(step, count, kind))
    flags.mark(flag, "invoked", "1")
    code = 1
    try:
        code, text = _call(answer.binary, paths, question, max_tokens)
    finally:
        flags.mark(flag, "exit", str(code))
    if code:
        say(protocol.failure_line(step))
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
        process = programs.start(words, stdout=programs.PIPE)
    except OSError:
        return 126, ""

    def stopped(number, _):
        raise SystemExit(128 + number)

    # A harness that gives up on the command sends TERM, a terminal that closes HUP; the call was made all the same.
    heard = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is not signal.SIG_IGN]
    previous = {number: signal.signal(number, stopped) for number in heard}
    try:
        with programs.limited(process, _seconds()):
            data = process.stdout.read(MAX_ANSWER_BYTES)
            process.stdout.close()
            code = process.wait()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code, data.decode("utf-8", "replace")


def _seconds() -> int:
    """How long the reader may take: its own time-out, the making of its packages where they are missing, and a little."""
    provider = config.decide().provider
    packages = 0 if os.path.isdir(env.site_dir("delegate")) else env.STAGES["delegate"][2]
    return (provider.timeout if provider else config.MAX_TIMEOUT_SECONDS) + packages + GRACE_SECONDS
