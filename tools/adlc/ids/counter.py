"""The counter file: the next number of a kind. A cache: the artifacts and remotes are the authority."""

import os
import stat

from adlc import files
from adlc.errors import AdlcError
from adlc.ids import state
from adlc.ids.kinds import MAX_NUMBER

_MAX_BYTES = 64
# Surrounding blanks are what an editor or `echo` leaves. A carriage return is not: it tells of a
# file that went through another system, and its number may be as foreign.
_BLANKS = b" \t\n"


def read(kind: str) -> int | None:
    """The next number; None when there is no counter yet. Raises AdlcError counter_invalid, and leaves the file alone."""
    path = state.counter_path(kind)
    try:
        fd = files.opened(path)
    except FileNotFoundError:
        return None
    except OSError as exc:
        if stat.S_ISLNK(_mode(path)):
            raise AdlcError("counter_invalid", f"the counter {path} is a symbolic link; not followed", f"look where it leads, then: rm '{path}'") from None
        raise AdlcError("counter_invalid", f"the counter {path} cannot be read: {exc.strerror}", f"chmod u+rw '{path}'") from None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise _invalid(path, "is not a regular file")
        data = os.read(fd, _MAX_BYTES + 1)
    except OSError as exc:
        raise _invalid(path, f"cannot be read: {exc.strerror}") from None
    finally:
        os.close(fd)
    digits = data.strip(_BLANKS)
    if not digits.isdigit() or len(data) > _MAX_BYTES:
        raise _invalid(path, f"holds {_shown(data)}, not a decimal number")
    number = int(digits)
    if number > MAX_NUMBER + 1:
        raise _invalid(path, f"holds {number}, past the largest number {MAX_NUMBER}")
    return number


def write(kind: str, number: int) -> None:
    """Store the next number, whole. Raises AdlcError write_failed.

    The content is flushed, the rename is not: a crash of the machine can bring back the number
    before, which is healed from the artifacts. Every waiter would pay for the second flush.
    """
    path = state.counter_path(kind)
    mode = _mode(path)
    try:
        files.atomic_write(path, b"%d\n" % number, mode=stat.S_IMODE(mode) or 0o644, sync=True, settle=False)
    except OSError as exc:
        raise _unwritable(path, exc) from None


def sweep(kind: str) -> None:
    """Remove what a killed writer left. Only the holder of the lock may: there is no other writer."""
    folder, name = os.path.split(state.counter_path(kind))
    for found in os.listdir(folder):
        if found.startswith(f".{name}."):
            try:
                os.unlink(os.path.join(folder, found))
            except OSError:
                pass


def _unwritable(path: str, exc: OSError) -> AdlcError:
    return AdlcError("write_failed", f"cannot write the counter {path}: {exc.strerror}", f"make room, and {os.path.dirname(path)} writable")


def _mode(path: str) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


def _invalid(path: str, what: str) -> AdlcError:
    return AdlcError(
        "counter_invalid", f"the counter {path} {what}",
        f"write the next free number into it, or let it be rebuilt from branches and artifacts: rm '{path}'",
    )


def _shown(data: bytes) -> str:
    if not data.strip(_BLANKS):
        return "nothing"
    text = data[:24].decode("utf-8", "backslashreplace")
    return repr(text) + ("…" if len(data) > 24 else "")
