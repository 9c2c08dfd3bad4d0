"""One telemetry event: what a delegated step turned out to be, and the line that is kept of it.

Events stay on this machine, in one file for each user, one JSON object a line.
"""

import contextlib
import json
import os
import stat
import sys
import time

from adlc import files
from adlc.errors import AdlcError
from adlc.places import home, make_private, state_dir
from adlc.telemetry.redact import redact

GATES = ("pass", "fail")
MODES = ("delegated", "fallback", "ghost-skip")
MAX_BYTES = 16 * 1024 * 1024
MAX_FIELD = 400
LOCK_SECONDS = 2.0
NO_CALL = "gate-passed-no-call"


def classify(marks: dict[str, str] | None) -> tuple[str, str, str]:
    """-> (gate, mode, reason) of a step, from the marks on its flag; None: there was no flag.

    The gate let the step pass and nothing was called, with or without an announcement: a ghost-skip,
    whatever reason was written afterwards. A call whose exit is not a plain 0 failed.
    """
    if not marks:
        return "fail", "fallback", "no-flag"
    reason = marks.get("reason", "")
    if not marks.get("invoked"):
        if "closed" in marks:
            return "fail", "fallback", marks["closed"]
        if "passed" in marks:
            return "pass", "ghost-skip", NO_CALL if reason == "ok" else _disguised(reason)
        return "fail", "fallback", reason or "not-invoked"
    if "exit" not in marks:
        return "pass", "ghost-skip", NO_CALL
    if marks["exit"] == "0":
        return "pass", "delegated", "ok"
    return "pass", "fallback", "api-error"


def checked(gate: str, mode: str, reason: str) -> tuple[str, str, str, bool]:
    """The same three as they may be stored, and whether a skipped call was disguised as a fallback.

    Raises AdlcError usage for a word outside GATES and MODES and for a delegation past a closed gate.
    """
    if gate not in GATES:
        raise AdlcError("usage", f"gate '{_short(gate)}': must be pass or fail")
    if mode not in MODES:
        raise AdlcError("usage", f"mode '{_short(mode)}': must be delegated, fallback or ghost-skip")
    if gate == "fail" and mode != "fallback":
        raise AdlcError("usage", f"mode {mode} with gate fail: nothing was let pass")
    if gate == "pass" and mode == "fallback" and reason != "api-error":
        return gate, "ghost-skip", _disguised(reason), True
    return gate, mode, reason, False


def _disguised(reason: str) -> str:
    return f"ghost-skip:{reason}"


def event(skill: str, step: str, req: str, gate: str, mode: str, reason: str, duration_ms: int | None, source: str, repo: str) -> dict:
    """The object that is written, credentials removed. source: `flag` (derived from marks) or `args` (stated)."""
    now = time.time_ns() // 1_000_000
    fields = {"skill": skill, "step": step, "req": req or "unknown", "gate": gate, "mode": mode, "reason": reason}
    return {
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 1000)) + f".{now % 1000:03d}Z",
        **{name: _clean(value) for name, value in fields.items()},
        "duration_ms": duration_ms, "repo": _clean(repo), "source": source,
    }


def write(item: dict) -> bool:
    """Append one event to the log; False when that is not possible or telemetry is off. Never raises."""
    try:
        if is_off():
            return False
        append(log_path(), json.dumps(item, separators=(",", ":")).encode() + b"\n")
        return True
    except (OSError, AdlcError):
        return False


def append(path: str, line: bytes, limit: int = MAX_BYTES) -> None:
    """Add one line in one write; a log that would outgrow `limit` bytes becomes `<path>.1` first. Raises OSError."""
    make_private(os.path.dirname(path))
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        fd = _open(path)
        try:
            locked = _lock(fd, deadline)
            size = os.fstat(fd).st_size
            if locked and not _same(fd, path):
                continue  # another writer rotated between open and lock
            if locked and size and size + len(line) > limit:
                os.replace(path, path + ".1")
                continue
            files.append_line(fd, line)
            return
        finally:
            os.close(fd)


@contextlib.contextmanager
def locked(path: str):
    """Hold the log at `path` against writers; gives whether there is one. Raises OSError."""
    if not os.path.lexists(path):
        yield False
        return
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        fd = _open(path)
        try:
            if not _lock(fd, deadline):
                raise OSError("the log is in use")
            if not _same(fd, path):
                continue
            yield True
            return
        finally:
            os.close(fd)


def replace(path: str, data: bytes) -> None:
    """Put `data` in the place of a log that is locked; an empty one is removed. Raises OSError."""
    if data:
        files.atomic_write(path, data, 0o600)
    else:
        os.unlink(path)


def log_path() -> str:
    """The log's absolute path: ADLC_TELEMETRY_LOG, else the platform's place for it."""
    explicit = os.environ.get("ADLC_TELEMETRY_LOG", "")
    if explicit:
        if not os.path.isabs(explicit):
            raise AdlcError("usage", "ADLC_TELEMETRY_LOG must be an absolute path")
        return explicit
    if sys.platform == "darwin" and not os.environ.get("ADLC_STATE_DIR"):
        return os.path.join(home(), "Library", "Logs", "adlc-skill-telemetry.log")
    return os.path.join(state_dir(), "telemetry.jsonl")


def is_off() -> bool:
    return os.path.lexists(_off_marker())


def turn_off() -> None:
    """Record nothing from now on. Raises AdlcError write_failed."""
    marker = _off_marker()
    try:
        make_private(os.path.dirname(marker))
        os.close(os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError as exc:
        raise AdlcError("write_failed", f"cannot write {marker}: {exc.strerror}", "set ADLC_STATE_DIR to a directory of yours") from None


def turn_on() -> None:
    """Record again. Raises AdlcError write_failed."""
    try:
        os.unlink(_off_marker())
    except FileNotFoundError:
        pass
    except OSError as exc:
        raise AdlcError("write_failed", f"cannot remove {_off_marker()}: {exc.strerror}") from None


def _off_marker() -> str:
    return os.path.join(state_dir(), "telemetry-off")


def _open(path: str) -> int:
    # O_NONBLOCK: a FIFO in the log's place must not hang a skill.
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        st = os.fstat(fd)
        if not stat.S_ISREG(st.st_mode):
            raise OSError("not a regular file")
        if st.st_mode & 0o077:
            os.fchmod(fd, 0o600)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _lock(fd: int, deadline: float) -> bool:
    """An exclusive lock, or False after the deadline: the line is then written all the same, without rotation."""
    try:
        return files.exclusive(fd, deadline - time.monotonic())
    except OSError:
        return False


def _same(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _clean(value: str) -> str:
    # Bytes that are no text arrive as lone surrogates, which many JSON readers refuse.
    return redact(value)[0][:MAX_FIELD].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _short(value: str) -> str:
    from adlc.output import single_line

    return single_line(value, 40)
