"""Which checkout the user is in, told by its files alone: no git process, no parsing of documents."""

import os


def checkout() -> str:
    """The nearest directory at or above the working directory with a `.git`, else with an `.adlc`; else that itself."""
    try:
        here = folder = os.path.realpath(os.getcwd())
    except OSError:
        return "/"
    marked = None
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        if marked is None and os.path.isdir(os.path.join(folder, ".adlc")):
            marked = folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return marked or here
        folder = parent


def repository_name() -> str:
    """The name of the repository's main directory; a linked worktree answers for the repository it belongs to."""
    folder = checkout()
    try:
        with open(os.path.join(folder, ".git"), "rb") as handle:
            line = os.fsdecode(handle.read(4096))
    except OSError:
        return os.path.basename(folder) or "unknown"
    # gitrepository-layout: a linked worktree's .git says `gitdir: <main>/.git/worktrees/<name>`.
    main, found, _ = line.removeprefix("gitdir:").strip().rpartition("/.git/worktrees/")
    return os.path.basename(main if found else folder) or "unknown"
