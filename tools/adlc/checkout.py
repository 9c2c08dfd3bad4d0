"""The checkout that a directory is in, told by git's own files: starting git costs more than a memoised answer."""

import os

from adlc import files


def here() -> str:
    """The nearest directory at or above the working directory with a `.git`, else with an `.adlc`; else that itself."""
    try:
        folder = os.path.realpath(os.getcwd())
    except OSError:
        return "/"
    return _nearest(folder, ".git") or _nearest(folder, ".adlc", os.path.isdir) or folder


def repository_name() -> str:
    """The name of the repository's main directory; a linked worktree answers for the repository it belongs to."""
    folder = here()
    return os.path.basename(main_of(folder) or folder) or "unknown"


def main_of(folder: str) -> str | None:
    """The main checkout of the repository whose linked worktree `folder` is; None for any other directory."""
    try:
        line = os.fsdecode(files.start_of(os.path.join(folder, ".git"), 4096))
    except OSError:
        return None
    # gitrepository-layout: a linked worktree's .git says `gitdir: <main>/.git/worktrees/<name>`.
    place = os.path.normpath(os.path.join(folder, line.removeprefix("gitdir:").strip()))
    main, found, _ = place.rpartition("/.git/worktrees/")
    return main if found else None


def head(folder: str) -> tuple[str, bool] | None:
    """-> (commit that is checked out in the repository of `folder`, whether its history is cut off); None without one.

    git is asked only where refs are kept in another form than files.
    """
    folder = _nearest(folder, ".git")
    if folder is None:
        return None
    place = os.path.join(folder, ".git")
    try:
        if os.path.isfile(place):
            place = os.path.join(folder, _line(place).removeprefix("gitdir:").strip())
        common = place
        if os.path.isfile(os.path.join(place, "commondir")):
            common = os.path.join(place, _line(os.path.join(place, "commondir")))
        shallow = os.path.exists(os.path.join(common, "shallow"))
        commit = _resolve(place, common)
        if not commit:
            commit = _asked(folder)
        return (commit, shallow) if commit else None
    except (OSError, ValueError):
        # ValueError: a NUL in a path that a file of git's names.
        return None


def _nearest(folder: str, name: str, there=os.path.lexists) -> str | None:
    return next((up for up in files.upwards(folder) if there(os.path.join(up, name))), None)


def _resolve(place: str, common: str) -> str:
    name = _line(os.path.join(place, "HEAD"))
    if not name.startswith("ref:"):
        return name if _is_hash(name) else ""
    name = name[4:].strip()
    if not name.startswith("refs/") or ".." in name:
        return ""
    for base in (place, common):
        try:
            found = _line(os.path.join(base, name))
        except OSError:
            continue
        return found if _is_hash(found) else ""
    try:
        with open(os.path.join(common, "packed-refs"), encoding="utf-8", errors="replace") as handle:
            for line in handle:
                if line.rstrip("\n").endswith(f" {name}") and _is_hash(line.split(" ", 1)[0]):
                    return line.split(" ", 1)[0]
    except OSError:
        pass
    return ""


def _is_hash(value: str) -> bool:
    return len(value) in (40, 64) and all(c in "0123456789abcdef" for c in value)


def _line(path: str) -> str:
    return files.start_of(path, 4096).decode("utf-8", "replace").partition("\n")[0].strip()


def _asked(folder: str) -> str:
    from adlc import git

    try:
        return git.run(folder, "rev-parse", "--verify", "HEAD").decode("ascii", "replace").strip()
    except git.GitFailed:
        return ""
