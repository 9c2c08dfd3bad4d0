"""Walks a directory tree: which directories are never entered, and what is reported of the others."""

import os

UNWALKED = frozenset((
    ".git", ".hg", ".svn", ".worktrees", "node_modules", "bower_components", "jspm_packages", "__pycache__",
    ".venv", ".tox", ".nox", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache", "site-packages",
))
# Where a directory of Markdown is walked as a whole; in a tree of specs these can be names of specs.
VENDORED = frozenset(("vendor", "vendored", "third_party", "third-party", "venv", "virtualenv"))
# A directory that holds one of these is another checkout or a virtual environment.
_FOREIGN = frozenset((".git", "pyvenv.cfg"))


def files(root: str, folder: str, wanted, avoid: frozenset = UNWALKED, hidden: bool = True):
    """(path, lstat or OSError) of every file below root/folder whose name `wanted` accepts, by path.

    Linked directories are not entered: their own lstat is given instead, for the caller to report,
    and so is the error of a directory that cannot be read.
    """
    found = list(_files(root, folder, wanted, avoid, hidden))
    found.sort(key=lambda item: item[0])
    return found


def _files(root: str, folder: str, wanted, avoid: frozenset, hidden: bool):
    if linked := link(root, folder):
        yield linked
        return
    stack, first = [folder], folder
    while stack:
        folder = stack.pop()
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                entries = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as exc:
            yield folder, exc
            continue
        if folder != first and any(entry.name in _FOREIGN for entry in entries):
            continue
        for entry in entries:
            name = entry.name
            if name in avoid or (not hidden and name.startswith(".")):
                continue
            path = f"{folder}/{name}"
            try:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(path)
                elif wanted(name) or (entry.is_symlink() and entry.is_dir()):
                    yield path, entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError as exc:
                yield path, exc


def folders(root: str, folder: str):
    """(name, lstat or None) of the directories in root/folder, by name; with lstat those that are links.

    Other files are among them where telling them apart would take a system call each. Empty when it is
    no directory; raises OSError when it cannot be read.
    """
    found = []
    try:
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                if not entry.is_symlink():
                    found.append((name, None))
                elif entry.is_dir():
                    found.append((name, entry.stat(follow_symlinks=False)))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found.sort(key=_first)
    return found


def _first(item: tuple) -> str:
    return item[0]


def names(root: str, folder: str) -> list[str]:
    """What lies in root/folder, in code point order; empty when it is no directory, OSError when it cannot be read."""
    try:
        return sorted(name for name in os.listdir(f"{root}/{folder}") if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


def link(root: str, folder: str) -> tuple[str, os.stat_result] | None:
    """The first part of root/folder that is a symbolic link, and its lstat: nothing below it is read."""
    path = ""
    for part in folder.split("/"):
        path = f"{path}/{part}" if path else part
        if os.path.islink(f"{root}/{path}"):
            return path, os.lstat(f"{root}/{path}")
    return None
