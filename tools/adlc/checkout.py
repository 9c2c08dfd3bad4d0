"""Which commit is checked out, read from git's own files: starting git costs more than a memoised answer."""

import os


def head(folder: str) -> tuple[str, bool] | None:
    """-> (commit that is checked out in the repository of `folder`, whether its history is cut off); None without one.

    Read from git's files, because starting git costs more than a whole memoised answer; git is asked only
    where refs are kept in another form.
    """
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
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
    with open(path, encoding="utf-8", errors="replace") as handle:
        return handle.readline(4096).strip()


def _asked(folder: str) -> str:
    from adlc import git

    try:
        return git.run(folder, "rev-parse", "--verify", "HEAD").decode("ascii", "replace").strip()
    except git.GitFailed:
        return ""
