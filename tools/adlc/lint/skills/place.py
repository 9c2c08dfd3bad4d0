"""Which directory paths are relative to, which part of it is asked about, and the bundle that part belongs to."""

import os

from adlc import files, project
from adlc.corpus import walk
from adlc.errors import AdlcError


class Place:
    """root: absolute; what paths are relative to. below: root-relative path that is asked about, "" for all.

    scope: root-relative directory that is read, so that a skill's neighbours are known too.
    """

    __slots__ = ("root", "below", "scope")

    def __init__(self, root: str, below: str = "", scope: str = ""):
        self.root, self.below, self.scope = root, below, scope


def find(path: str | None) -> Place:
    """The place of a path, or of the working directory. Raises AdlcError not_found, no_root, root_unreadable.

    The root is the nearest repository, else the nearest plugin at or above the path, else the path's bundle.
    """
    here = project.working_directory()
    if path is not None and not os.path.lexists(path):
        raise AdlcError("not_found", f"{path}: no such file or directory", "pass a skill, an agent or a directory")
    real = os.path.realpath(os.path.join(here, path or "."))
    folder = real if os.path.isdir(real) else os.path.dirname(real)
    if not os.access(folder, os.R_OK | os.X_OK):
        raise AdlcError("root_unreadable", f"{folder}: permission denied", "make it readable, or pass another directory")
    top = _nearest(folder, ".git") or _nearest(folder, ".claude-plugin")
    if path is None and top is not None:
        # Where a walk from the root would not come by, the working directory is meant.
        return Place(folder if walk.UNWALKED & set(os.path.relpath(folder, top).split(os.sep)) else top)
    bundle = _bundle(folder) or folder
    root = top or bundle
    if os.path.commonpath((root, bundle)) != root:
        bundle = root
    return Place(root, _relative(real, root), _relative(bundle, root))


def _relative(path: str, root: str) -> str:
    path = os.path.relpath(path, root)
    return "" if path == os.curdir else path.replace(os.sep, "/")


def _nearest(folder: str, name: str) -> str | None:
    """The nearest directory at or above `folder` that holds something of that name."""
    for up in files.upwards(folder):
        if os.path.lexists(os.path.join(up, name)):
            return up
    return None


def _bundle(folder: str) -> str | None:
    """The bundle that a directory is part of, or None."""
    if os.path.basename(folder) in ("skills", "agents", "partials"):
        return os.path.dirname(folder)
    for up in files.upwards(folder):
        if os.path.isfile(os.path.join(up, "SKILL.md")):
            skills = next((above for above in files.upwards(up) if os.path.basename(above) == "skills"), up)
            return os.path.dirname(skills)
    if os.path.basename(os.path.dirname(folder)) in ("agents", "partials"):
        return os.path.dirname(os.path.dirname(folder))
    return None
