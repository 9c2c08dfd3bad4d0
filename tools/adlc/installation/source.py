"""Where the installation points to: the main checkout, and what in it is linked."""

import os
import re

from adlc import checkout
from adlc.errors import AdlcError

# What a checkout must have before anything is made to point into it.
ESSENTIAL = ("bin/adlc", "bin/adlc-read", "tools/adlc/__main__.py", "partials", "skills", "templates")
# Names that Claude Code has commands of its own for. A user's skill of such a name always wins there, also when the
# client's own entry is chosen in the menu (tests/e2e/test_installed_names.py).
CLIENTS_OWN = ("init", "status")
_PLUGIN = re.compile(r"/plugins/cache/[^/]+/[^/]+/[^/]+$")


def main_checkout(root: str) -> str:
    """`root`, or for a linked worktree the repository's main one: a worktree goes when its branch is done."""
    main = checkout.main_of(root)
    return os.path.realpath(main) if main and not missing(main) else root


def covers(names) -> str:
    """What to tell about the skills among `names` that take a command's place; "" when there are none."""
    covered = [f"/{name}" for name in CLIENTS_OWN if name in names]
    if not covered:
        return ""
    return (f"in Claude Code {' and '.join(covered)} {'is' if len(covered) == 1 else 'are'} adlc's now, and not the client's own "
            "(whose status is a tab of /config); as a plugin, adlc's have the prefix /adlc: and take no name")


def check(root: str) -> None:
    """Raises AdlcError environment_missing for a checkout that must not or cannot be installed from."""
    absent = missing(root)
    if absent:
        raise AdlcError("environment_missing", f"{root}: this checkout is not complete: no {absent[0]}", "clone adlc again, then run its install.sh")
    if _PLUGIN.search(root):
        raise AdlcError("environment_missing", f"{root} belongs to the plugin and goes with its next update", "clone adlc to a place of yours, then run its install.sh")


def missing(root: str) -> list[str]:
    return [name for name in ESSENTIAL if not os.path.exists(os.path.join(root, name))]


def skills(root: str) -> list[str]:
    folder = os.path.join(root, "skills")
    return sorted(name for name in os.listdir(folder) if os.path.isfile(os.path.join(folder, name, "SKILL.md")))


def is_checkout_of(path: str, tail: str) -> bool:
    """Whether an absolute path ends with `tail` and what is before it is a checkout of adlc, or is gone."""
    if not path.endswith(f"/{tail}"):
        return False
    root = path.removesuffix(f"/{tail}")
    return not os.path.exists(path) or os.path.isfile(os.path.join(root, "tools/adlc/__main__.py"))
