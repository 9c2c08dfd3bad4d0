"""Which repositories share the numbers, and where their checkouts lie; found without running git."""

import os

from adlc import files
from adlc.errors import AdlcError

_PARTS = ("specs", "bugs", "knowledge")


class Repository:
    """One repository and all its checkouts.

    name: for people and answers, relative to the repositories' folder. top: the main checkout (or
    the bare repository, or a plain folder). common: its git directory, "" for a plain folder.
    prefixes: where below a checkout `.adlc` lies, "" or ending in /.
    """

    __slots__ = ("name", "top", "common", "prefixes")

    def __init__(self, name: str, top: str, common: str, prefixes: list[str]):
        self.name, self.top, self.common, self.prefixes = name, top, common, prefixes

    def checkouts(self) -> list[str]:
        """The main checkout and every linked worktree that exists."""
        found = [self.top]
        folder = os.path.join(self.common, "worktrees")
        for name in _listdir(folder) if self.common else ():
            linked = os.path.dirname(_line(os.path.join(folder, name, "gitdir")))
            if os.path.isabs(linked) and os.path.isdir(linked):
                found.append(linked)
        return found


class Place:
    """Where a command was called. root: the project (it has `.adlc`, or is the checkout, or the
    working directory). checkout: the work tree around it, "" outside git. own: its repository.
    """

    __slots__ = ("root", "checkout", "own")

    def __init__(self, root: str, checkout: str, own: Repository):
        self.root, self.checkout, self.own = root, checkout, own


def here(option: str | None) -> Place:
    """The place of the working directory, or of `--root` exactly as given. Raises AdlcError no_root."""
    if option is not None and not os.path.isdir(option):
        raise AdlcError("no_root", f"--root {option}: not a directory", "pass an existing directory")
    try:
        start = os.path.realpath(option if option is not None else os.getcwd())
    except OSError:
        raise AdlcError("no_root", "the working directory is gone", "cd to the project") from None
    checkout = _checkout(start)
    root = start if option is not None else _marked(start, checkout) or checkout or start
    top, common = _main(checkout) if checkout else (root, "")
    prefix = os.path.relpath(root, checkout) + "/" if checkout and root != checkout else ""
    return Place(root, checkout, Repository(os.path.basename(top), top, common, sorted({prefix, ""})))


def sharing(place: Place) -> tuple[list[Repository], str]:
    """-> (the own repository and its siblings that have `.adlc`, by name; why siblings were left out or "").

    Siblings are the direct children of ADLC_REPOS_ROOT, else of the folder the main checkout lies in.
    """
    explicit = os.environ.get("ADLC_REPOS_ROOT", "")
    folder = os.path.realpath(os.path.expanduser(explicit)) if explicit else os.path.dirname(place.own.top)
    own = place.own
    if explicit and not os.path.isdir(folder):
        return [own], f"ADLC_REPOS_ROOT={explicit} is not a directory"
    if folder == os.path.dirname(folder) or folder == os.path.realpath(os.path.expanduser("~")):
        return [own], f"siblings are not looked for in {folder}" if explicit else ""
    found = {own.common or own.top: own}
    for name in _listdir(folder):
        path = os.path.realpath(os.path.join(folder, name))
        if not os.path.isdir(os.path.join(path, ".adlc")):
            continue
        top, common = _main(path) if os.path.lexists(os.path.join(path, ".git")) else (path, "")
        found.setdefault(common or top, Repository(name, top, common, [""]))
    return sorted(found.values(), key=lambda repository: repository.name), ""


def _marked(start: str, checkout: str) -> str:
    folder = start
    while True:
        if any(os.path.isdir(os.path.join(folder, ".adlc", part)) for part in _PARTS):
            return folder
        parent = os.path.dirname(folder)
        if folder in (checkout, parent):
            return ""
        folder = parent


def _checkout(start: str) -> str:
    folder = start
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def _main(checkout: str) -> tuple[str, str]:
    """-> (main checkout, common git directory) of the repository that `checkout` belongs to."""
    git = os.path.join(checkout, ".git")
    if os.path.isdir(git):
        return checkout, os.path.realpath(git)
    link = _line(git)
    folder = os.path.realpath(os.path.join(checkout, link.removeprefix("gitdir:").strip()))
    common = _line(os.path.join(folder, "commondir"))
    if not link.startswith("gitdir:") or not common:
        # A submodule or a separate git directory: the checkout is the main one.
        return checkout, folder
    common = os.path.realpath(os.path.join(folder, common))
    return (os.path.dirname(common) if os.path.basename(common) == ".git" else common), common


def _line(path: str) -> str:
    try:
        return files.start_of(path, 4096).decode("utf-8", "surrogateescape").partition("\n")[0]
    except OSError:
        return ""


def _listdir(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
