"""`.adlc/config.yml`: what a project says about itself. Read tolerantly, but never guessed at.

A key nobody knows is an error, not noise: a misspelt `root:` would silently leave documents out.
"""

import os

from adlc import files, plain_yaml
from adlc.errors import AdlcError

FILE = ".adlc/config.yml"
# Every top-level key that some part of adlc reads.
KEYS = ("roots", "plain", "ids", "harnesses", "hooks")
HOOKS = ("spec-pointer", "spec-first", "spec-of-file")
MAX_BYTES = 64 * 1024


def read(root: str) -> dict:
    """The keys of the project's configuration: str, list or dict values, scalars as written; {} without a file.

    Raises AdlcError config_malformed.
    """
    path = os.path.join(root, FILE)
    if not os.path.lexists(path):
        return {}
    real = files.inside(root, path)
    if real is None:
        raise _malformed("a symbolic link that leaves the root")
    try:
        text, stat = files.read_document(real)
    except files.Vanished:
        return {}
    except files.Unreadable as exc:
        raise _malformed(str(exc)) from None
    if stat.st_size > MAX_BYTES:
        raise _malformed(f"larger than {MAX_BYTES // 1024} KiB")
    try:
        return _checked(plain_yaml.load(text))
    except plain_yaml.Malformed as exc:
        raise _malformed(f"not YAML: {exc}") from None


def _checked(values) -> dict:
    if values is None or values == "":
        return {}
    if not isinstance(values, dict):
        raise _malformed("not a list of `key: value` lines")
    for key in values:
        if key not in KEYS:
            raise _malformed(f"'{str(key)[:40]}' is not a key; there are: {', '.join(KEYS)}")
    return values


def mentions(root: str, word: bytes) -> bool:
    """Whether the file has the word at all: without it there is nothing to parse, and no YAML reader to import for it.

    Also for a file that is too large, which `read` refuses. Raises AdlcError config_malformed when it cannot be told.
    """
    try:
        start = files.start_of(os.path.join(root, FILE), MAX_BYTES + 1)
        return word in start or len(start) > MAX_BYTES
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as exc:
        raise _malformed(f"cannot be read: {exc.strerror}") from None


def directories(values: dict, key: str) -> list[str]:
    """The root-relative directories under `key`: a list, or one scalar; without `.`, `..` or doubled slashes.

    Raises AdlcError config_malformed for anything that does not stay inside the root.
    """
    given = values.get(key) or []
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise _malformed(f"{key} must be a list of directories")
    found = []
    for item in given:
        item = item.strip().replace("\\", "/")
        if not item:
            continue
        parts = [part for part in item.split("/") if part not in ("", ".")]
        if item.startswith("/") or ".." in parts or "\0" in item:
            raise _malformed(f"{key}: '{item[:80]}' must be a directory below the root")
        folder = "/".join(parts) or "."
        if folder not in found:
            found.append(folder)
    return found


def hook_is_on(root: str, name: str) -> bool:
    """What `hooks:` says: `off` for all, or `<name>: off`. Raises AdlcError config_malformed."""
    if not mentions(root, b"hooks"):
        return True
    given = read(root).get("hooks", "on")
    if isinstance(given, str):
        return _switch("hooks", given or "on")
    if not isinstance(given, dict):
        raise _malformed("hooks must be on, off, or lines of `name: off`")
    for key in given:
        if key not in HOOKS:
            raise _malformed(f"hooks: there is no '{str(key)[:40]}'; there are: {', '.join(HOOKS)}")
    return _switch(name, given.get(name, "on"))


def _switch(name: str, value) -> bool:
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word in ("on", "true", "yes"):
        return True
    if word in ("off", "false", "no"):
        return False
    raise _malformed(f"{name} must be on or off")


def _malformed(why: str) -> AdlcError:
    return AdlcError("config_malformed", f"{FILE}: {why}", f"edit {FILE}")
