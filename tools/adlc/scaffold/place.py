"""Where to scaffold, and reading and writing there without following a link out of the project."""

import os
import stat

from adlc import files, project
from adlc.corpus import walk
from adlc.errors import AdlcError
from adlc.places import home
from adlc.scaffold import contents


def root(option: str | None) -> str:
    """`--root` as given; else the nearest directory upwards with an `.adlc` or a `.git`; else the working directory.

    Raises AdlcError no_root, and param_error for the file system's root and for a home nobody named.
    """
    if option is not None:
        if not os.path.isdir(option):
            raise AdlcError("no_root", f"--root {option}: not a directory", "pass an existing directory")
        found = os.path.realpath(option)
    else:
        found = _nearest(os.path.realpath(project.working_directory()))
    if os.path.dirname(found) == found or option is None and found == os.path.realpath(home()):
        raise AdlcError("param_error", f"{found} is no project", "go to the project's directory, or adlc init --root DIR")
    return found


def _nearest(start: str) -> str:
    folder = next((up for up in files.upwards(start) if any(os.path.lexists(os.path.join(up, mark)) for mark in (".adlc", ".git"))), start)
    # An .adlc in the home directory is where tools keep things, not the mark of a project.
    return start if folder == os.path.realpath(home()) and not os.path.lexists(os.path.join(folder, ".git")) else folder


def filled(root: str, path: str) -> bool:
    """Whether something else lies in the directory of root/path."""
    folder, name = os.path.split(_target(root, path))
    try:
        return any(other != name for other in os.listdir(folder))
    except OSError:
        return False


def read(root: str, path: str) -> bytes | None:
    """The bytes of root/path; None when there is no such file. Raises AdlcError write_failed for anything else there."""
    target = _target(root, path)
    blocking = _blocking(root, path)
    if blocking:
        raise _in_the_way(blocking, "is no directory")
    try:
        fd = files.opened(target)
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise _refused(path, (exc.strerror or "cannot be read").lower()) from None
    with os.fdopen(fd, "rb") as handle:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise _refused(path, "not a regular file")
        if found.st_size > files.MAX_DOCUMENT_BYTES:
            raise _refused(path, "too large")
        return handle.read()


def write(root: str, path: str, content: bytes) -> None:
    """Write root/path whole, with the mode it had. Raises AdlcError write_failed."""
    target = _target(root, path)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            mode = stat.S_IMODE(os.stat(target).st_mode)
        except FileNotFoundError:
            mode = 0o644
        files.atomic_write(target, content, mode)
    except OSError as exc:
        raise _refused(path, (exc.strerror or "cannot be written").lower(), files.unwritable(target)) from None


def remove(root: str, path: str) -> None:
    try:
        os.unlink(_target(root, path))
    except FileNotFoundError:
        pass
    except OSError as exc:
        raise _refused(path, (exc.strerror or "cannot be removed").lower(), files.unwritable(_target(root, path))) from None


def _target(root: str, path: str) -> str:
    """The real path to work on: a link is followed when it stays inside the root."""
    linked = walk.link(root, path)
    if linked is None:
        return os.path.join(root, path)
    real = files.inside(root, os.path.join(root, path))
    if real is None:
        raise _in_the_way(linked[0], "is a symbolic link that leaves the project")
    if any(f"{folder}/".startswith(f"{linked[0]}/") for folder in contents.FOLDERS):
        # What is written there would be found by no command.
        raise _in_the_way(linked[0], "is a symbolic link to a directory, and documents behind one are not read")
    return real


def _blocking(root: str, path: str) -> str:
    """The part of the way to root/path that is there and no directory, or ""."""
    parts = path.split("/")
    for n in range(1, len(parts)):
        folder = os.path.join(root, *parts[:n])
        if os.path.lexists(folder) and not os.path.isdir(folder):
            return "/".join(parts[:n])
    return ""


def _in_the_way(part: str, what: str) -> AdlcError:
    return AdlcError("write_failed", f"{part} {what}", f"move {part} away, then: adlc init")


def _refused(path: str, why: str, folder: str = "") -> AdlcError:
    return AdlcError("write_failed", f"{path}: {why}", (f"make {folder} writable" if folder else f"put {path} right") + ", then: adlc init")
