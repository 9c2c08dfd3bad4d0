"""Whether the partials that a project keeps a copy of are the ones of this installation."""

import os

from adlc.lifecycle import HOME

PARTIALS = ".adlc/partials"


def state(root: str) -> str:
    """current | modified | absent: the project's `.adlc/partials/*.sh` against the installed ones.

    A file that the installation does not have counts as modified: it would be sourced all the same.
    """
    folder = os.path.join(root, PARTIALS)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".sh"))
    except OSError:
        return "absent"
    if not names:
        return "absent"
    same = all(_bytes(os.path.join(folder, n)) == _bytes(os.path.join(HOME, "partials", n)) for n in names)
    return "current" if same else "modified"


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError:
        return None
