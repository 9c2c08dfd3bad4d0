"""Which further roots and plain directories belong to a root, as its configuration says.

The parsed answer is kept in the corpus' cache under the stat of the file, so that a call with a valid
cache neither reads nor parses it.
"""

import json
import os
import time

from adlc import config, files
from adlc.corpus import walk
from adlc.corpus.model import Skipped


class Settings:
    """roots, plain: root-relative directories. named: the roots that were written out, not matched by a pattern."""

    __slots__ = ("roots", "plain", "named")

    def __init__(self, root: str, roots: list[str], plain: list[str]):
        self.plain = plain
        self.named = [folder for folder in roots if "*" not in folder and folder != "."]
        matched = [match for folder in roots if "*" in folder for match in _matches(root, folder)]
        self.roots = list(dict.fromkeys([*self.named, *matched]))

    def faults(self, root: str) -> list[Skipped]:
        """Directories that the configuration names and that cannot be used; they are then left out."""
        faults = []
        for key, folders, used in (("roots", self.named, self.roots), ("plain", list(self.plain), self.plain)):
            for folder in folders:
                if reason := _unusable(root, folder):
                    faults.append(Skipped(folder, "spec", f"named under {key}: in {config.FILE}, but {reason}"))
                    used.remove(folder)
        return faults


_NONE = Settings("", [], [])


def of(root: str, opened) -> Settings:
    """The settings of `root`, from the store `opened` where they are still valid there.

    Raises AdlcError config_malformed.
    """
    try:
        stat = os.stat(f"{root}/{config.FILE}")
    except OSError:
        if not os.path.lexists(f"{root}/{config.FILE}"):
            return _NONE
        stat = None
    entry = stat and f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
    kept = opened.meta("config")
    if entry and kept:
        known, roots, plain = json.loads(kept)
        if known == entry:
            return Settings(root, roots, plain)
    before = int(time.time())
    values = config.read(root)
    roots, plain = config.directories(values, "roots"), config.directories(values, "plain")
    # Written in this very second, the file could change again without its stat showing it.
    if entry and max(stat.st_mtime_ns, stat.st_ctime_ns) // 10**9 < before:
        opened.remember("config", json.dumps([entry, roots, plain]))
    return Settings(root, roots, plain)


def declared(root: str) -> bool:
    """Whether the configuration of `root` names directories, without judging it otherwise."""
    try:
        text = files.start_of(f"{root}/{config.FILE}", config.MAX_BYTES)
    except OSError:
        return False
    return any(line.lstrip(b"\xef\xbb\xbf").startswith((b"roots", b"plain", b'"roots', b'"plain')) for line in text.splitlines())


def _matches(root: str, pattern: str) -> list[str]:
    """Directories that match, `*` within one part of the path; no links, other checkouts or dependencies."""
    import fnmatch

    found = [""]
    for part in pattern.split("/"):
        if "*" not in part:
            found = [f"{folder}{part}/" for folder in found if os.path.isdir(f"{root}/{folder}{part}")]
            continue
        found = [
            f"{folder}{name}/"
            for folder in found
            for name, link in _folders(root, folder.rstrip("/") or ".")
            if link is None and fnmatch.fnmatchcase(name, part) and name not in walk.UNWALKED
            and not os.path.lexists(f"{root}/{folder}{name}/.git")
        ]
    return [folder.rstrip("/") for folder in found]


def _folders(root: str, folder: str):
    try:
        return walk.folders(root, folder)
    except OSError:
        return []


def _unusable(root: str, folder: str) -> str:
    linked = walk.link(root, folder)
    if linked:
        return f"{linked[0]} is a symbolic link, which is not followed"
    if not os.path.isdir(f"{root}/{folder}"):
        return "there is no such directory"
    if not os.access(f"{root}/{folder}", os.R_OK | os.X_OK):
        return "permission denied"
    return ""
