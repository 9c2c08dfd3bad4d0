"""The flag of one delegated step: marks that outlive the shell of a single fence.

A flag is an empty file of the user's own in the state directory; its marks stand in a file beside it,
`<flag>.state`, one `key=value` a line, where the last one of a key counts. tools/delegate/skill-flag.sh
appends and reads the same lines in sh. Values are data: they are compared and printed, never evaluated.
"""

import errno
import os
import re
import stat
import time

from adlc import checkout
from adlc.errors import AdlcError
from adlc.places import make_private, state_dir

KEYS = ("start_ms", "start_s", "reason", "invoked", "exit")
# Written by adlc alone, not by a caller's mark.
_CLOSED = "closed"
MAX_VALUE = 200
ABANDONED_SECONDS = 24 * 3600
_NAME = re.compile(r"flag-[0-9a-f]{12}-[0-9a-f]{12}-[0-9a-f]{12}", re.A)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# What a harness may call the id of its session.
_SESSIONS = ("ADLC_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID")


def create() -> str:
    """A fresh flag for this project and session, its start time marked; returns its absolute path.

    Flags that nobody cleared for a day are removed on the way. Raises AdlcError write_failed.
    """
    try:
        folder = make_private(_folder())
        _reap(folder)
        path = os.path.join(folder, f"flag-{_owner()}-{os.urandom(6).hex()}")
    except OSError as exc:
        raise _cannot_make(exc) from None
    try:
        for name, text in ((path, b""), (path + ".state", f"start_ms={time.time_ns() // 1_000_000}\n".encode())):
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                os.write(fd, text)
            finally:
                os.close(fd)
    except OSError as exc:
        clear(path)
        raise _cannot_make(exc) from None
    return path


def current() -> str | None:
    """The newest living flag of this project and session, or None."""
    prefix, newest = f"flag-{_owner()}-", None
    try:
        entries = list(os.scandir(_folder()))
    except OSError:
        return None
    for entry in entries:
        if entry.name.startswith(prefix) and _NAME.fullmatch(entry.name) and exists(entry.path):
            # The state file holds the start time from the first moment on.
            age = (_number(marks(entry.path).get("start_ms", ""), 16) or 0, entry.name)
            if time.time_ns() // 1_000_000 - age[0] < ABANDONED_SECONDS * 1000 and (newest is None or age > newest[0]):
                newest = (age, entry.path)
    return newest[1] if newest else None


def exists(path: str) -> bool:
    """Whether `path` is a living flag of this user."""
    try:
        return _is_flag(path) and _own(os.lstat(path))
    except OSError:
        return False


def clear(path: str) -> None:
    """Remove a flag and its marks; one that is gone already is no error. Raises AdlcError usage."""
    if not _is_flag(path):
        raise _no_flag(path)
    for name in (path + ".state", path):
        try:
            os.unlink(name)
        except OSError:
            pass


def mark(path: str, key: str, value: str) -> None:
    """Append one mark. Raises AdlcError usage for a key or value that is not allowed, write_failed otherwise."""
    if key not in KEYS:
        raise AdlcError("usage", f"'{key}' is no key of a flag", "keys: " + ", ".join(KEYS))
    _append(path, key, value)


def close(path: str, reason: str) -> None:
    """Note that the gate was asked once more, at the call, and was closed then. Raises AdlcError as `mark` does."""
    _append(path, _CLOSED, reason)


def _append(path: str, key: str, value: str) -> None:
    if _CONTROL.search(value) or len(os.fsencode(value)) > MAX_VALUE:
        raise AdlcError("usage", f"the value of {key} must be one line of at most {MAX_VALUE} bytes")
    if not exists(path):
        raise _no_flag(path)
    try:
        fd = _open_state(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(fd, f"{key}={value}\n".encode("utf-8", "surrogateescape"))
        finally:
            os.close(fd)
    except OSError as exc:
        raise AdlcError("write_failed", f"cannot mark the flag: {exc.strerror}") from None


def marks(path: str) -> dict[str, str]:
    """key -> last value of every mark; {} when there is nothing to read.

    `passed` is among them when the gate ever said `ok`: no reason that is written later takes that back.
    `closed` is what `close` noted.
    """
    try:
        fd = _open_state(path, os.O_RDONLY)
        with os.fdopen(fd, "rb") as handle:
            text = handle.read(64 * 1024).decode("utf-8", "surrogateescape")
    except OSError:
        return {}
    found = {}
    for line in text.split("\n"):
        key, equals, value = line.partition("=")
        if equals and (key in KEYS or key == _CLOSED):
            found[key] = value
            if (key, value) == ("reason", "ok"):
                found["passed"] = "1"
    return found


def duration_ms(marked: dict[str, str]) -> int | None:
    """Milliseconds since the start mark, or None when there is no usable one."""
    start = _number(marked.get("start_ms", ""), 16)
    if start is None:
        seconds = _number(marked.get("start_s", ""), 12)
        start = None if seconds is None else seconds * 1000
    if start is None:
        return None
    elapsed = time.time_ns() // 1_000_000 - start
    return elapsed if 0 <= elapsed < 10 * ABANDONED_SECONDS * 1000 else None


def _number(text: str, digits: int) -> int | None:
    return int(text) if 0 < len(text) <= digits and text.isascii() and text.isdigit() else None


def _folder() -> str:
    return os.path.join(state_dir(), "flags")


def _owner() -> str:
    """What tells flags of one project and session from others, as a part of their name."""
    from hashlib import sha256

    session = next((os.environ[name] for name in _SESSIONS if os.environ.get(name)), "")
    return "-".join(sha256(os.fsencode(part)).hexdigest()[:12] for part in (checkout.here(), session))


def _is_flag(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    try:
        return folder == _folder() and bool(_NAME.fullmatch(name))
    except AdlcError:
        return False


def _own(st: os.stat_result) -> bool:
    return stat.S_ISREG(st.st_mode) and st.st_uid == os.geteuid()


def _open_state(path: str, how: int) -> int:
    fd = os.open(path + ".state", how | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if not _own(os.fstat(fd)):
        os.close(fd)
        raise OSError(errno.EPERM, "not a file of yours")
    return fd


def _reap(folder: str) -> None:
    limit = time.time() - ABANDONED_SECONDS
    for entry in os.scandir(folder):
        try:
            if _NAME.fullmatch(entry.name.removesuffix(".state")) and entry.stat(follow_symlinks=False).st_mtime < limit:
                os.unlink(entry.path)
        except OSError:
            continue


def _cannot_make(exc: OSError) -> AdlcError:
    return AdlcError("write_failed", f"cannot make a flag: {exc.strerror}", "set ADLC_STATE_DIR to a directory of yours")


def _no_flag(path: str) -> AdlcError:
    from adlc.output import single_line

    return AdlcError("usage", f"not a flag: '{single_line(path, 120)}'", "make one: adlc flag create")
