"""What adlc makes for this user while it works: environments, caches, notes of running steps.

Only directories that adlc names itself are ever removed, each one by name: ADLC_DATA_DIR and the like may
point to a place with other things in it. Telemetry, choices and the counters of numbers are the user's.
"""

import os
import re
import shutil

from adlc import files
from adlc.places import cache_dir, data_dir, home, state_dir

_STAGE = re.compile(r"(?:core|delegate|meaning)-(?P<version>[0-9][^/]*)-[0-9a-f]{8}|\.build-.*", re.A)
_DATA = ("env", "models")
_CACHE = ("bytecode", "corpus", "history", "ids", "staleness", "vectors")
_STATE = ("adlc-intake", "errors", "flags", "hooks")
_KEPT = ("adlc-materialized.json", "embedding", "telemetry-off", "telemetry.jsonl", "telemetry.jsonl.1")


def present() -> list[str]:
    """The directories that are there, each of adlc alone."""
    found = []
    for base, names in ((data_dir(), _DATA), (cache_dir(), _CACHE), (state_dir(), _STATE)):
        for name in names:
            path = os.path.join(base, name)
            if name == "env":
                found += [os.path.join(path, stage) for stage in _entries(path) if _STAGE.fullmatch(stage)]
            elif os.path.isdir(path) and not os.path.islink(path):
                found.append(path)
    return found


def environments() -> list[tuple[str, str]]:
    """(directory, version) of every stage that some version of adlc has made."""
    folder = os.path.join(data_dir(), "env")
    found = [(name, _STAGE.fullmatch(name)) for name in _entries(folder)]
    return [(os.path.join(folder, name), match["version"]) for name, match in found if match and match["version"]]


def lost_bytecode() -> list[str]:
    """The directories of byte-code, each whole, whose code is gone: below `bytecode` lies every directory's by its path."""
    base = os.path.join(cache_dir(), "bytecode")
    found = []
    for folder, names, _ in os.walk(base):
        lost = [name for name in names if not os.path.isdir(os.path.join(folder, name)[len(base):])]
        found += [os.path.join(folder, name) for name in lost]
        names[:] = sorted(set(names) - set(lost))
    return sorted(found)


def kept() -> list[str]:
    """What stays because it is the user's: records and choices, the counters of numbers."""
    base, claude = state_dir(), os.path.join(home(), ".claude")
    found = [os.path.join(base, name) for name in _KEPT]
    found += [os.path.join(claude, f".global-next-{kind}") for kind in ("req", "bug", "lesson")]
    return [path for path in found if os.path.lexists(path)]


def folders() -> list[str]:
    """Those directories above them that are missing now, outermost first; whoever makes them later, it is for adlc."""
    places = (os.path.join(data_dir(), "env"), cache_dir(), state_dir())
    return list(dict.fromkeys(folder for place in places for folder in files.missing_folders(place)))


def remove(paths: list[str], folders: list[str]) -> list[str]:
    """Remove directories whole, then those folders that are empty; returns what could not be removed."""
    failed = []
    for path in paths:
        shutil.rmtree(path, onerror=lambda _, where, __: failed.append(where))
    own = [os.path.join(data_dir(), "env"), data_dir(), cache_dir(), state_dir()]
    for folder in dict.fromkeys([*sorted(own, key=len, reverse=True), *reversed(folders)]):
        try:
            os.rmdir(folder)
        except OSError:
            pass  # not empty, or gone
    return failed


def _entries(folder: str) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
