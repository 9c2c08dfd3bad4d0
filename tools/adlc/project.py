"""Where a project's root is, and which root a command works on."""

import os

from adlc import files
from adlc.corpus import layouts, settings
from adlc.errors import AdlcError


def find_root(start: str | None = None) -> str | None:
    """The nearest directory at or above `start` (default: the working directory) that holds documents.

    The climb ends at the first directory with a `.git` of its own: documents of another repository
    do not govern this one. Raises AdlcError no_root when the working directory is gone, root_unreadable.
    """
    for folder in files.upwards(os.path.realpath(start or working_directory())):
        # Where that cannot be seen, one further up would be the wrong one.
        if not os.access(folder, os.X_OK) or _marked(folder):
            return _readable(folder)
        if os.path.lexists(os.path.join(folder, ".git")):
            break
    return None


def root(option: str | None) -> str:
    """The root for a command: `--root` exactly as given, else the nearest one. Real path.

    Raises AdlcError no_root or root_unreadable.
    """
    if option is None:
        found = find_root()
        if found is None:
            raise AdlcError(
                "no_root", "no specs here: none of " + ", ".join(layouts.markers()) + " in this directory or above it",
                "go to the project's directory, pass --root DIR, or begin here: adlc init",
            )
        return found
    if not os.path.isdir(option):
        raise AdlcError("no_root", f"--root {option}: not a directory", "pass an existing directory")
    folder = _readable(os.path.realpath(option))
    if not _marked(folder):
        raise AdlcError(
            "no_root", f"--root {option}: none of " + ", ".join(layouts.markers()) + " in it",
            "pass the directory that holds one of them",
        )
    return folder


def _marked(folder: str) -> bool:
    try:
        return layouts.marked(folder) or settings.declared(folder)
    except OSError:
        return True  # part of it cannot be read: for the listing to report


def working_directory() -> str:
    """Where the command was called. Raises AdlcError no_root when that was deleted."""
    try:
        return os.getcwd()
    except OSError:
        raise AdlcError("no_root", "the working directory does not exist any more", "cd to one that does") from None


def _readable(folder: str) -> str:
    if not os.access(folder, os.R_OK | os.X_OK):
        import shlex

        raise AdlcError("root_unreadable", f"{folder}: permission denied", f"chmod u+rx {shlex.quote(folder)}")
    return folder
