"""Which root is checked, and which part of it."""

import os

from adlc import project
from adlc.errors import AdlcError


def find(path: str | None, option: str | None) -> tuple[str | None, str]:
    """-> (root, root-relative path below it or ""); no root when `path` lies in none. option: `--root` as given.

    Raises AdlcError not_found, usage, no_root, root_unreadable.
    """
    if path is None:
        return project.root(option), ""
    if not os.path.lexists(path):
        raise AdlcError("not_found", f"{path}: no such file or directory", "pass a document or a directory")
    real = os.path.realpath(path)
    if option is None:
        root = project.find_root(real if os.path.isdir(real) else os.path.dirname(real))
        if root is None:
            return None, ""
    else:
        root = project.root(option)
    below = os.path.relpath(real, root)
    if below.split(os.sep)[0] == os.pardir:
        raise AdlcError("usage", f"{path} is not below {root}", "pass a path inside the root")
    return root, "" if below == os.curdir else below.replace(os.sep, "/")
