"""What git said about documents, kept for as long as the same commit is checked out."""

import hashlib
import json
import os

from adlc.errors import AdlcError
from adlc.places import cache_dir, make_private

FORMAT = 1
MAX_ENTRIES = 2000
MAX_BYTES = 4 << 20


class Memo:
    """key -> value (a JSON list), for one root at one commit. A context manager: leaving it writes what is new, if it can."""

    def __init__(self, root: str, commit: str):
        self._head = [FORMAT, root, commit]
        self._values: dict[str, list] = {}
        self._new = False
        try:
            name = hashlib.sha256(os.fsencode(root)).hexdigest()[:24]
            self._path = os.path.join(cache_dir(), "staleness", f"{name}.json")
            with open(self._path, "rb") as handle:
                head, values = json.loads(handle.read(MAX_BYTES))
            if head == self._head and isinstance(values, dict):
                self._values = values
        except AdlcError:
            self._path = ""
        except (OSError, ValueError, TypeError, RecursionError):
            pass

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if not self._new or not self._path or exc[0] is not None:
            return
        from adlc import files

        try:
            make_private(os.path.dirname(self._path))
            values = dict(list(self._values.items())[-MAX_ENTRIES:])
            files.atomic_write(self._path, json.dumps([self._head, values]).encode(), 0o600)
        except (OSError, AdlcError):
            pass

    def get(self, key: str) -> list | None:
        value = self._values.get(self._name(key))
        sound = isinstance(value, list) and [type(part) for part in value] == [str, bool, int, str]
        return value if sound else None

    def put(self, key: str, value: tuple) -> None:
        self._values[self._name(key)], self._new = list(value), True

    @staticmethod
    def _name(key: str) -> str:
        return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
