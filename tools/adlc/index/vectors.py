"""Every vector this user's machine has made, by model and text: a rebuild embeds only what is new.

One SQLite file a model, in the user's cache directory; nothing of a repository's own index gets in. It
may be deleted at any time, and when it is damaged or locked the texts are embedded again.
"""

import contextlib
import hashlib
import os
import sqlite3

from adlc.errors import AdlcError
from adlc.places import cache_dir, make_private

MAX_VECTORS = 1_000_000
_TABLE = "CREATE TABLE IF NOT EXISTS vectors(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, data BLOB NOT NULL)"


class Vectors:
    """Vectors of one model, each `dim` little-endian float32, by the sha256 of the text."""

    def __init__(self, fingerprint: str, dim: int):
        self._size, self._connection, self._path = 4 * dim, None, ""
        with contextlib.suppress(OSError, AdlcError, sqlite3.Error):
            folder = make_private(os.path.join(cache_dir(), "vectors"))
            name = hashlib.sha256(fingerprint.encode()).hexdigest()[:24]
            self._path = os.path.join(folder, f"{name}.sqlite")
            self._connection = self._open()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self._connection is not None:
            self._connection.close()

    def get(self, hashes: list[bytes]) -> dict[bytes, bytes]:
        """The known ones among `hashes`."""
        found: dict[bytes, bytes] = {}
        for start in range(0, len(hashes), 500):
            some = hashes[start:start + 500]
            order = f"SELECT hash, data FROM vectors WHERE hash IN ({','.join('?' * len(some))})"
            found.update((hash, data) for hash, data in self._run(order, some) if type(data) is bytes and len(data) == self._size)
        return found

    def put(self, items: list[tuple[bytes, bytes]]) -> None:
        """Keep (hash, vector) pairs, if that can be done."""
        if self._connection is None:
            return
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO vectors(hash, data) VALUES(?,?)", items)
                self._connection.execute("DELETE FROM vectors WHERE id <= (SELECT MAX(id) FROM vectors) - ?", (MAX_VECTORS,))
        except sqlite3.Error as exc:
            self._fail(exc)

    def _run(self, order: str, values: list) -> list:
        if self._connection is None:
            return []
        try:
            return self._connection.execute(order, values).fetchall()
        except sqlite3.Error as exc:
            self._fail(exc)
            return []

    def _open(self) -> sqlite3.Connection:
        for _ in range(2):
            connection = sqlite3.connect(self._path, timeout=5)
            try:
                connection.execute(_TABLE)
                return connection
            except sqlite3.OperationalError:
                connection.close()
                raise
            except sqlite3.DatabaseError:
                connection.close()
                os.unlink(self._path)
        raise sqlite3.OperationalError("cannot be made")

    def _fail(self, exc: sqlite3.Error) -> None:
        """Go on without; a damaged file is thrown away, a locked or full one is left."""
        self._connection.close()
        self._connection = None
        if not isinstance(exc, sqlite3.OperationalError):
            with contextlib.suppress(OSError):
                os.unlink(self._path)
