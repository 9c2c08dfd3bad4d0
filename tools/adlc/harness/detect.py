"""Which harnesses are in use, and which would show the agent twice."""

import json
import os

from adlc import config, files
from adlc.errors import AdlcError
from adlc.harness import adapters
from adlc.places import home


def directory(adapter) -> str:
    """The harness' own directory of this user, real as far as it exists."""
    variable, below_home, tail = adapter.HOME
    base = os.environ.get(variable, "") if variable else ""
    if not os.path.isabs(base):
        base = os.path.join(home(), below_home)
    return os.path.realpath(os.path.join(base, tail) if tail else base)


def in_use(root: str | None, ours: set[str]) -> list[str]:
    """Those that the project shows, or with None those that this user has. ours: full paths that prove nothing."""
    if root is None:
        found = [name for name in adapters.ALL if _shown(directory(adapters.get(name)), ours)]
        return found + [name for name in adapters.WITHOUT if _marked(home(), name, ours)]
    return [name for name in (*adapters.ALL, *adapters.WITHOUT) if _marked(root, name, ours)]


def configured(root: str) -> list[str] | None:
    """`harnesses:` of the project's configuration; None when it says nothing. Raises AdlcError config_malformed."""
    value = config.read(root).get("harnesses")
    if value is None:
        return None
    if isinstance(value, str):
        value = value.split(",")
    names = [item.strip() for item in value if isinstance(item, str) and item.strip()] if isinstance(value, list) else None
    known = [*adapters.ALL, *adapters.WITHOUT]
    if names is None or any(name not in known for name in names):
        raise AdlcError("config_malformed", f"{config.FILE}: harnesses must be a list of {', '.join(known)}", f"edit {config.FILE}")
    return names


def plugin_enabled(root: str | None) -> bool:
    """Whether Claude Code here has the plugin, and with it adlc:spec-scout: its settings, the nearest last."""
    places = [os.path.join(directory(adapters.get("claude")), "settings.json")]
    if root is not None:
        places += [os.path.join(root, ".claude", name) for name in ("settings.json", "settings.local.json")]
    enabled = False
    for place in places:
        try:
            with open(place, "rb") as handle:
                plugins = json.loads(files.decode(handle.read(files.MAX_DOCUMENT_BYTES)))["enabledPlugins"].items()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, files.Unreadable):
            continue
        for plugin, value in plugins:
            if plugin.split("@")[0] == "adlc":
                enabled = bool(value)
    return enabled


def _marked(folder: str, name: str, ours: set[str]) -> bool:
    return any(_shown(os.path.join(folder, mark), ours) for mark in adapters.get(name).MARKS)


def _shown(path: str, ours: set[str]) -> bool:
    """Whether there is something that rendering did not make."""
    if path not in ours:
        return os.path.lexists(path)
    try:
        return any(_shown(os.path.join(path, name), ours) for name in os.listdir(path))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
