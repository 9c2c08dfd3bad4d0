"""Which directory paths are relative to, and which part of it is asked about."""

import os

from adlc import project
from adlc.corpus import walk
from adlc.errors import AdlcError


def place(path: str | None) -> tuple[str, str]:
    """-> (absolute root, root-relative path below it or ""). Raises AdlcError not_found, no_root, root_unreadable.

    The root is the nearest repository or plugin at or above the path; without one, the directory above `skills`,
    `agents` or `partials`, or the path itself.
    """
    here = project.working_directory()
    if path is not None and not os.path.lexists(path):
        raise AdlcError("not_found", f"{path}: no such file or directory", "pass a skill, an agent or a directory")
    real = os.path.realpath(os.path.join(here, path or "."))
    folder = real if os.path.isdir(real) else os.path.dirname(real)
    root = _nearest(folder, ".git") or _nearest(folder, ".claude-plugin") or _bundle(folder)
    if not os.access(folder, os.R_OK | os.X_OK):
        raise AdlcError("root_unreadable", f"{folder}: permission denied", "make it readable, or pass another directory")
    if path is None:
        # Where a walk from the root would not come by, the working directory is meant.
        return (folder if walk.UNWALKED & set(os.path.relpath(folder, root).split(os.sep)) else root), ""
    below = os.path.relpath(real, root)
    return root, "" if below == os.curdir else below.replace(os.sep, "/")


def _nearest(folder: str, name: str) -> str | None:
    """The nearest directory at or above `folder` that holds something of that name."""
    while not os.path.lexists(os.path.join(folder, name)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _bundle(folder: str) -> str:
    parts = folder.split(os.sep)
    for name in ("skills", "agents", "partials"):
        if name in parts[2:]:
            return os.sep.join(parts[: len(parts) - 1 - parts[::-1].index(name)])
    return folder
