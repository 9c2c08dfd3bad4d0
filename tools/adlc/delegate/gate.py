"""Whether documents may be handed to the delegate, and which program would read them.

The rules of partials/delegate-gate.sh, for callers that run single commands.
"""

import os

from adlc import files, programs
from adlc.delegate import config

PASS, DISABLED, NO_BINARY = 0, 1, 2
REASONS = ("ok", "disabled-via-env", "disabled-via-config", "not-opted-in", "no-binary")
PROBE_SECONDS = 10
PROGRAM = "adlc-read"


class Gate:
    """code: 0 pass, 1 disabled, 2 no binary. reason: one of REASONS. binary: absolute path or "". fault: see Decision."""

    __slots__ = ("code", "reason", "binary", "fault")

    def __init__(self, code: int, reason: str, binary: str, fault: str = ""):
        self.code, self.reason, self.binary, self.fault = code, reason, binary, fault


def check() -> Gate:
    """Ask once. Never raises; any odd answer closes the gate."""
    binary = resolve()
    if not binary:
        return Gate(NO_BINARY, "no-binary", "")
    if os.environ.get("ADLC_DISABLE_DELEGATE") == "1":
        return Gate(DISABLED, "disabled-via-env", binary)
    if _is_own(binary):
        decision = config.decide()
        return Gate(PASS if decision.on else DISABLED, decision.reason, binary, decision.fault)
    answer = _probe(binary)
    if answer == "1 ok":
        return Gate(PASS, "ok", binary)
    known = ("0 disabled-via-env", "0 disabled-via-config")
    return Gate(DISABLED, answer[2:] if answer in known else "not-opted-in", binary)


def resolve() -> str:
    """The absolute path of adlc-read, or "": from PATH, then ~/bin.

    Relative entries and entries inside the project do not count: a repository must not provide the
    program that reads its documents.
    """
    home = os.environ.get("HOME", "")
    project = _project(home or "/")
    if project is None:
        return ""
    for entry in [*os.environ.get("PATH", "").split(":"), home + "/bin" if home.startswith("/") else ""]:
        if entry.startswith("/"):
            candidate = f"{entry}/{PROGRAM}"
            if os.path.isfile(candidate) and os.access(candidate, os.X_OK) and not (project and _inside(entry, project)):
                return candidate
    return ""


def _project(home: str) -> str | None:
    """The outermost project around the working directory as a relative path, "" for none; None when that cannot be told."""
    found, at = "", "."
    while not files.same(at, "/") and not files.same(at, home):
        if os.path.exists(f"{at}/.git") or os.path.exists(f"{at}/.adlc"):
            found = at
        at += "/.."
        if len(at) > 300:
            return None
    return found


def _inside(folder: str, project: str) -> bool:
    # Through `..`, which the kernel resolves: a link into the project is inside it.
    at = folder
    while not files.same(at, "/"):
        if files.same(at, project) or len(at) >= 4000:
            return True
        at += "/.."
    return False


def _is_own(binary: str) -> bool:
    """Whether the program is this checkout's own, so that its answer is computed here."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
    return files.same(binary, os.path.join(here, "bin", PROGRAM))


def _probe(binary: str) -> str:
    try:
        code, out, _ = programs.run([binary, "--print-gate"], PROBE_SECONDS)
    except (OSError, programs.TimedOut):
        return ""
    return out.decode("utf-8", "replace").rstrip("\n") if code == 0 else ""
