"""Whether the partials that a project keeps a copy of are the ones of this installation."""

import os
import stat as stat_module

from adlc.lifecycle import HOME

PARTIALS = ".adlc/partials"


def state(*folders: str) -> str:
    """current | modified | absent: the `.adlc/partials/*.sh` of the given directories against the installed ones.

    The directories are the project's root and the working directory: a fence sources from the latter. One
    modified copy makes it modified. A file that the installation does not have counts as modified: it would
    be sourced all the same.
    """
    states = {_state_of(os.path.join(folder, PARTIALS)) for folder in folders}
    return next(state for state in ("modified", "current", "absent") if state in states)


def differing(folder: str) -> list[str]:
    """The names of the copies in this directory that are not the installed ones. Raises OSError."""
    return [name for name in _names(folder) if not _same(os.path.join(folder, name), os.path.join(HOME, "partials", name))]


def _state_of(folder: str) -> str:
    try:
        if not _names(folder):
            return "absent"
        return "modified" if differing(folder) else "current"
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except OSError:
        # A directory that cannot be listed can still be sourced from.
        return "modified"


def _names(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.endswith(".sh"))


def _same(theirs: str, ours: str) -> bool:
    """Whether both are regular files (a pipe would block the reader) with the same bytes."""
    try:
        a, b = os.stat(theirs), os.stat(ours)
        if not stat_module.S_ISREG(a.st_mode) or not stat_module.S_ISREG(b.st_mode) or a.st_size != b.st_size:
            return False
        with open(theirs, "rb") as one, open(ours, "rb") as other:
            return one.read() == other.read()
    except OSError:
        return False
