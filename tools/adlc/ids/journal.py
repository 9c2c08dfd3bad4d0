"""The journal of one renumbering: written before the first change, removed after the last one.

A run that finds one finishes it. Each step can be told from the files: a content has the digest it
had before or the one it gets, a name exists under its old or its new path.
"""

import json
import os

from adlc import files
from adlc.ids import state


class Journal:
    """old, new: ids, as the files have them; asked: as the command had them. whole: the artifact's
    name when another one has its number, else "". within: the artifact's path. edits: [path, digest
    before, digest after]. renames: [path, path], in order. All paths are below root.
    """

    def __init__(self, root: str, old: str, new: str, asked: list, whole: str, within: str, edits: list, renames: list):
        self.root, self.old, self.new, self.asked, self.whole, self.within = root, old, new, asked, whole, within
        self.edits, self.renames = edits, renames
        self.journal_path = _path(root)

    def save(self) -> None:
        """Raises OSError."""
        body = {k: v for k, v in vars(self).items() if k != "journal_path"}
        files.atomic_write(self.journal_path, json.dumps(body).encode("utf-8", "surrogatepass"), mode=0o600, sync=True)

    def remove(self) -> None:
        os.unlink(self.journal_path)


def pending(root: str) -> Journal | None:
    """The unfinished renumbering of a root, if there is one."""
    try:
        with open(_path(root), "rb") as handle:
            body = json.loads(handle.read().decode("utf-8", "surrogatepass"))
        return Journal(**body)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        # It is written whole before anything is changed: one that cannot be read has done nothing.
        return None


def digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


def name_of(root: str) -> str:
    return digest(os.fsencode(root))[:24]


def _path(root: str) -> str:
    return os.path.join(state.private(), f"renumber-{name_of(root)}.json")
