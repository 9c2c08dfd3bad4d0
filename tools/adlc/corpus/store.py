"""The validated cache: parsed documents and their term statistics in one SQLite file per root.

The caller lists the files with their stat; whatever differs from what is stored is read again, so an
answer is never older than the files, and nobody has to manage the cache. Term statistics live in
segments (see there). When the file is locked, corrupt or cannot be written, the same code works in memory.

Tables
  meta(key, value)        root, state (all entries, concatenated), racy (how many), generation, hashes
  docs(docid, path, entry, racy, hash, status, record)      docid = segment base + place in the segment
  skips(path, corpus, entry, racy, reason)
  segments(base, size, live, corpora, lengths)      live, corpora: one byte a document;
                                                    lengths: FIELDS arrays of uint32
  streams(docid, data)           the body's terms in order, joined by two blanks (zlib)
  postings(base, term, data)                        per field: count, places (uint16), frequencies (uint8)
"""

import json
import os
import sqlite3
import time
from bisect import bisect_right

from adlc.corpus import segments
from adlc.corpus.model import Document, Skipped
from adlc.corpus.segments import CORPORA, Damaged, Postings, Segment
from adlc.ranking.tokens import VERSION as TOKENS

# Raise with any change to what a layout, the frontmatter reader or this file stores.
FORMAT = 6
# How the names of its cache files end, and a pattern (of fnmatch, and of find) for those of any version.
SUFFIX, ANY_FORM = f".{FORMAT}-{TOKENS}.sqlite", f"*-{'?' * 16}.[0-9]*-[0-9]*.sqlite"
# How long to wait for a process that is writing: working without the cache takes longer the larger it is.
_WAIT_S, _WAIT_S_PER_MB, _MAX_WAIT_S = 1.0, 0.1, 30.0


class Store:
    """Statistics and records of one root. Use `open_store`; call `close`, or use it as a context manager."""

    def __init__(self, connection: sqlite3.Connection, root: str, on_disk: bool):
        self.connection, self.root, self.on_disk = connection, root, on_disk
        self._segments: list[Segment] | None = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.connection.close()

    def begin(self) -> None:
        """Start a read transaction: what is read until `end` or `close` is one state."""
        self.end()
        self.connection.execute("BEGIN")
        self._segments = None

    def end(self) -> None:
        """End the read transaction, if one is open."""
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")

    def to_memory(self) -> None:
        """Go on with a copy in memory, for when the file cannot be written."""
        self.end()
        connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.backup(connection)
        self.connection.close()
        self.connection, self.on_disk, self._segments = connection, False, None

    # -- reading -----------------------------------------------------------------------------

    def segments(self) -> list[Segment]:
        """All segments, by base: those of the read transaction."""
        if self._segments is None:
            self._segments = segments.read(self.connection)
        return self._segments

    def postings(self, term: str) -> dict[int, Postings]:
        """segment base -> Postings, for the segments that have the term."""
        found = {}
        for segment in self.segments():
            row = self.connection.execute(
                "SELECT data FROM postings WHERE base=? AND term=?", (segment.base, term)
            ).fetchone()
            if row:
                found[segment.base] = Postings(row[0])
        return found

    def vocabulary(self) -> list[str]:
        """Every term of the corpus, in code point order."""
        rows = self.connection.execute("SELECT DISTINCT term FROM postings ORDER BY term")
        return [row[0] for row in rows]

    def documents(self, docids: list[int] | None = None) -> dict[int, Document]:
        """docid -> Document (its cached part), all or the given ones."""
        if docids is None:
            rows = self.connection.execute("SELECT docid, path, record FROM docs")
        else:
            rows = []
            for start in range(0, len(docids), 500):
                some = docids[start:start + 500]
                rows += self.connection.execute(
                    f"SELECT docid, path, record FROM docs WHERE docid IN ({','.join('?' * len(some))})", some
                ).fetchall()
        return {docid: Document.from_record(path, json.loads(record)) for docid, path, record in rows}

    def statuses(self) -> list[tuple[str, int, str, str]]:
        """(path, docid, corpus, status as written) of every document, by path."""
        found = []
        for segment in self.segments():
            rows = self.connection.execute(
                "SELECT path, docid, status FROM docs WHERE docid BETWEEN ? AND ?", (segment.base, segment.base + segment.size - 1)
            )
            found += [(path, docid, CORPORA[segment.corpora[docid - segment.base]], status) for path, docid, status in rows]
        return sorted(found)

    def paths(self, docids: list[int]) -> dict[int, str]:
        """docid -> path."""
        found = {}
        for start in range(0, len(docids), 500):
            some = docids[start:start + 500]
            found.update(self.connection.execute(f"SELECT docid, path FROM docs WHERE docid IN ({','.join('?' * len(some))})", some))
        return found

    def streams(self, docids: list[int]) -> dict[int, str]:
        """docid -> the terms of its body in order, each between two blanks: ` a  b  c `."""
        import zlib

        found = {}
        for docid in docids:
            row = self.connection.execute("SELECT data FROM streams WHERE docid=?", (docid,)).fetchone()
            found[docid] = zlib.decompress(row[0]).decode("utf-8") if row else ""
        return found

    def hashes(self) -> list[tuple[str, str, str]]:
        """(path, sha256 of the content, corpus) of every document, by path."""
        segments = self.segments()
        bases = [segment.base for segment in segments]
        found = []
        for docid, path, hash in self.connection.execute("SELECT docid, path, hash FROM docs"):
            segment = segments[bisect_right(bases, docid) - 1]
            found.append((path, hash, CORPORA[segment.corpora[docid - segment.base]]))
        return sorted(found)

    def content_hashes(self) -> tuple[str, str]:
        """sha256 over the sorted (path, content hash) pairs of the specs, and of the other corpora; kept at each write."""
        kept = self.meta("hashes")
        return tuple((kept or self._hash_contents()).split(" "))

    def _hash_contents(self) -> str:
        import hashlib

        specs, others = hashlib.sha256(), hashlib.sha256()
        for path, hash, corpus in self.hashes():
            (specs if corpus == "spec" else others).update(f"{path}\0{hash}\n".encode())
        return f"{specs.hexdigest()} {others.hexdigest()}"

    def skipped(self) -> list[Skipped]:
        """The files that were read and could not be used, by path."""
        return [Skipped(*row) for row in self.connection.execute("SELECT path, corpus, reason FROM skips ORDER BY path")]

    def meta(self, key: str):
        """The value kept under a key (str, int or bytes, as it was given); None when there is none."""
        row = self.connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return row[0] if row else None

    def remember(self, key: str, value) -> None:
        """Keep a value under a key of its own, when that can be had: without it the caller finds out again."""
        try:
            self.connection.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (key, value))
        except sqlite3.OperationalError:
            pass

    # -- validating --------------------------------------------------------------------------

    def fresh(self, state: bytes) -> bool:
        """Whether the stored entries are exactly `state` and none of them was young when it was read."""
        return self.meta("state") == state and self.meta("racy") == 0

    def known(self) -> dict[str, tuple]:
        """path -> (entry, racy, hash, docid or None)."""
        rows = self.connection.execute("SELECT path, entry, racy, hash, docid FROM docs")
        known = {path: (entry, racy, hash, docid) for path, entry, racy, hash, docid in rows}
        for path, entry, racy in self.connection.execute("SELECT path, entry, racy FROM skips"):
            known[path] = (entry, racy, "", None)
        return known

    # -- writing -----------------------------------------------------------------------------

    def write(self, generation: int, gone: list[str], touched: list[tuple], new: list, skipped: list[tuple],
              state: bytes | None) -> bool:
        """One short transaction; False, and nothing changed, when another process wrote since `generation`.

        gone: paths whose rows are dropped (also those that are written anew). touched: (path, entry, racy)
        whose content did not change. new: (Document, entry, racy, hash, read.Terms). skipped:
        (path, corpus, entry, racy, reason). state: all entries once the store is complete, None before.
        Raises sqlite3.OperationalError when the file cannot be written.
        """
        run, many = self.connection.execute, self.connection.executemany
        run("BEGIN IMMEDIATE")
        try:
            if self.generation() != generation:
                run("ROLLBACK")
                return False
            for path in gone:
                row = run("SELECT docid FROM docs WHERE path=?", (path,)).fetchone()
                if row:
                    segments.bury(self.connection, row[0])
                    run("DELETE FROM docs WHERE docid=?", row)
                    run("DELETE FROM streams WHERE docid=?", row)
                run("DELETE FROM skips WHERE path=?", (path,))
            many("UPDATE docs SET entry=?, racy=? WHERE path=?", [(entry, racy, path) for path, entry, racy in touched])
            many("INSERT INTO skips(path, corpus, entry, racy, reason) VALUES(?,?,?,?,?)", skipped)
            if new:
                segments.add(self.connection, new)
                segments.join_small(self.connection)
            if state is not None:
                racy = run("SELECT (SELECT COUNT(*) FROM docs WHERE racy) + (SELECT COUNT(*) FROM skips WHERE racy)").fetchone()[0]
                self._segments = None
                hashes = self._hash_contents()
                many("INSERT OR REPLACE INTO meta VALUES(?,?)", [("state", state), ("racy", racy), ("hashes", hashes)])
            many("INSERT OR REPLACE INTO meta VALUES(?,?)", [("generation", generation + 1)])
            run("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                run("ROLLBACK")
            raise
        self._segments = None
        return True

    def generation(self) -> int:
        """Counts the writes; tells whether another process wrote meanwhile."""
        return self.meta("generation")


_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE docs(docid INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, racy INTEGER NOT NULL,
                  hash TEXT NOT NULL, status TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE skips(path TEXT PRIMARY KEY, corpus TEXT NOT NULL, entry TEXT NOT NULL, racy INTEGER NOT NULL,
                   reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE segments(base INTEGER PRIMARY KEY, size INTEGER NOT NULL, live BLOB NOT NULL, corpora BLOB NOT NULL,
                      lengths BLOB NOT NULL);
CREATE TABLE streams(docid INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE postings(base INTEGER NOT NULL, term TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY(base, term)) WITHOUT ROWID;
"""


def open_store(root: str, folder: str) -> Store:
    """The store of `root` in the cache directory `folder`, or one in memory when that cannot be had."""
    path = file_of(root, folder)
    for _ in range(2):
        try:
            return Store(_connect(path, root), root, True)
        except (sqlite3.OperationalError, OSError):
            break
        except (sqlite3.DatabaseError, Damaged):
            discard(path)
    return memory_store(root)


def memory_store(root: str) -> Store:
    """An empty store of `root` that ends with this process."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    _create(connection, root)
    return Store(connection, root, False)


def file_of(root: str, folder: str) -> str:
    """The cache file of a root; a root with the same check sums would only find itself replaced."""
    import zlib

    data = os.fsencode(root)
    name = os.path.basename(root)[:40] or "root"
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name)
    return os.path.join(folder, f"{safe}-{zlib.crc32(data):08x}{zlib.adler32(data):08x}{SUFFIX}")


def others(folder: str | None) -> list[str]:
    """The cache files in `folder` that were written in another form than this one's, and so are never looked at."""
    import fnmatch

    try:
        entries = [entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)] if folder else []
    except OSError:
        return []
    return sorted(entry.path for entry in entries if fnmatch.fnmatchcase(entry.name, ANY_FORM) and not entry.name.endswith(SUFFIX))


def discard(path: str) -> None:
    """Remove a cache file and what SQLite keeps beside it, as far as that can be done."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        try:
            os.unlink(path + suffix)
        except OSError:
            pass


def _connect(path: str, root: str) -> sqlite3.Connection:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    size = os.path.getsize(path) if os.path.exists(path) else 0
    wait = min(_WAIT_S + _WAIT_S_PER_MB * size / 2**20, _MAX_WAIT_S)
    connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
    try:
        row = None
        if os.path.getsize(path):
            row = connection.execute("SELECT value FROM meta WHERE key='root'").fetchone()
            if row is None or row[0] != root:
                raise Damaged("another root's cache")
        else:
            connection.execute("BEGIN IMMEDIATE")
            # Another process may have made the tables while this one waited.
            if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                _create(connection, root)
            connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection, root: str) -> None:
    for statement in _TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)
    connection.executemany("INSERT INTO meta VALUES(?,?)", [("root", root), ("state", b""), ("racy", 0), ("generation", 0)])


def now_s() -> int:
    """The clock that decides whether a file was young when it was read."""
    return int(time.time())
