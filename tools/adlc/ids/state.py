"""Where the counters, their locks and the ledger of one user lie.

Always below `~/.claude`, whatever configuration directory a session uses: one machine, one counter.
"""

import os
import stat

from adlc.errors import AdlcError
from adlc.places import home, make_private


def directory() -> str:
    """The state directory, created when it is missing. Raises AdlcError write_failed."""
    return ensure(place())


def place() -> str:
    """The same, there or not."""
    explicit = os.environ.get("ADLC_STATE_DIR", "")
    if explicit and not os.path.isabs(explicit):
        raise AdlcError("usage", f"ADLC_STATE_DIR must be an absolute path, not '{explicit}'")
    return explicit or os.path.join(home(), ".claude")


def private() -> str:
    """The directory below it for what only this room reads: guards, ledger, journals."""
    return ensure(os.path.join(directory(), ".adlc-ids"))


def counter_path(kind: str) -> str:
    return os.path.join(directory(), f".global-next-{kind}")


def lock_path(kind: str) -> str:
    return os.path.join(directory(), f".global-next-{kind}.lock.d")


def ensure(path: str) -> str:
    """Make a directory for this user only, with its missing parents; returns `path`."""
    try:
        if not stat.S_ISDIR(os.stat(path).st_mode):
            raise AdlcError("write_failed", f"{path} is not a directory", f"move it away: mv '{path}' '{path}.old'")
        return path
    except FileNotFoundError:
        pass
    except OSError as exc:
        raise _cannot(path, exc) from None
    try:
        return make_private(path)
    except OSError as exc:
        raise _cannot(path, exc) from None


def _cannot(path: str, exc: OSError) -> AdlcError:
    return AdlcError("write_failed", f"cannot use {path}: {exc.strerror}", "make it a directory that you may write")
