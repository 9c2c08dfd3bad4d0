"""What was rendered: path and content hash, so that nothing else is ever overwritten or removed.

In a repository it lies in git's own directory, where it moves with the clone and no commit can hold it;
otherwise, and for the user's own agents, in the state directory. One that cannot be read counts as empty:
then a rendered file that has changed since is somebody else's.
"""

import contextlib
import hashlib
import json
import os

from adlc import files, git
from adlc.errors import AdlcError
from adlc.places import make_private, state_dir

FILE = "adlc-materialized.json"
SCHEMA = "adlc.materialized/1"
LOCK_SECONDS = 10


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Repository:
    """common: git's directory. worktree: this tree's own directory, below it. prefix: of the root in the tree, "" or ending in /."""

    __slots__ = ("common", "worktree", "prefix")

    def __init__(self, common: str, worktree: str, prefix: str):
        self.common, self.worktree, self.prefix = common, worktree, prefix


def repository(root: str) -> Repository | None:
    """The repository whose work tree holds `root`; None where git knows none."""
    try:
        out = git.run(root, "rev-parse", "--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--show-prefix")
    except git.GitFailed:
        return None
    inside, own, common, prefix, *_ = [*os.fsdecode(out).split("\n"), ""]
    if inside != "true":
        return None
    common = os.path.realpath(os.path.join(root, common))
    return Repository(common, os.path.relpath(os.path.realpath(own), common), prefix)


class Manifest:
    """files: key -> (harness, hash). folders: directories that rendering made. exclude: what of git's exclude file it made."""

    def __init__(self, folder: str, place: str, common: str):
        self.folder, self.common = folder, common
        self._place, self._everything = place, _read(os.path.join(folder, FILE))
        here = self._everything["places"].get(place, {})
        # A manifest is a file like any other: it must not lead out of the root.
        self.files = {key: (row["harness"], row["hash"]) for key, row in here.get("files", {}).items() if _below(key, place)}
        self.folders = [key for key in here.get("folders", []) if _below(key, place)]
        self.prefix = here.get("prefix", "")
        self.exclude = list(self._everything.get("exclude", []))

    def harnesses(self) -> list[str]:
        return sorted({harness for harness, _ in self.files.values()})

    def ignored(self) -> list[str]:
        """The paths to ignore in every tree of the repository, from the top of each."""
        found = {self.prefix + key for key in self.files}
        for place, entry in self._everything["places"].items():
            if place != self._place and os.path.isdir(os.path.join(self.common, place.partition("|")[0])):
                found |= {entry.get("prefix", "") + key for key in entry.get("files", {})}
        return sorted(found)

    def save(self) -> None:
        """Raises AdlcError write_failed."""
        here = {
            "prefix": self.prefix, "folders": sorted(self.folders),
            "files": {key: {"harness": harness, "hash": hash} for key, (harness, hash) in sorted(self.files.items())},
        }
        places = {key: entry for key, entry in self._everything["places"].items() if key != self._place}
        if self.files or self.folders:
            places[self._place] = here
        value = {"schema": SCHEMA, "places": dict(sorted(places.items())), "exclude": self.exclude}
        path = os.path.join(self.folder, FILE)
        try:
            if places:
                files.atomic_write(path, (json.dumps(value, indent=2) + "\n").encode())
            elif os.path.lexists(path):
                os.unlink(path)
        except OSError as exc:
            raise AdlcError("write_failed", f"{path}: {(exc.strerror or 'I/O error').lower()}", "make it writable, then: adlc materialize") from None


def opened(root: str | None, found: Repository | None) -> Manifest:
    """The manifest of a root, or with None that of the user."""
    if root is None or found is None:
        return Manifest(state_dir(), "user" if root is None else root, "")
    manifest = Manifest(found.common, f"{found.worktree}|{found.prefix}", found.common)
    manifest.prefix = found.prefix
    return manifest


@contextlib.contextmanager
def held(root: str | None, found: Repository | None):
    """Hold off other processes that render from the same manifest; a lock on its directory leaves no file behind."""
    folder = make_private(state_dir()) if root is None or found is None else found.common
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            mine = files.exclusive(fd, LOCK_SECONDS)
        except OSError as exc:
            raise AdlcError("lock_refused", f"{folder} cannot be locked: {exc.strerror}", "use a file system with locks") from None
        if not mine:
            raise AdlcError("lock_timeout", f"another adlc materialize holds {folder}", "end it, then: adlc materialize")
        yield
    finally:
        os.close(fd)


def _below(key: str, place: str) -> bool:
    return ".." not in key.split("/") and os.path.isabs(key) == (place == "user")


def _read(path: str) -> dict:
    try:
        with open(path, "rb") as handle:
            value = json.loads(files.decode(handle.read(files.MAX_DOCUMENT_BYTES)))
        if value["schema"] == SCHEMA and all(
            isinstance(row["harness"], str) and isinstance(row["hash"], str)
            for entry in value["places"].values() for row in entry["files"].values()
        ) and all(isinstance(key, str) for entry in value["places"].values() for key in entry["folders"]):
            return value
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, files.Unreadable):
        pass
    return {"places": {}, "exclude": []}
