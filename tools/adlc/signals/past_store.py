"""The past changes of a root, kept in the user's cache with what is needed to look them up.

One SQLite file a root, valid for one commit that is checked out. Another commit: when the kept one is its
ancestor, only the commits in between are read; otherwise all are. The file is written beside its place and
renamed, so a reader sees one state; a file that cannot be used is replaced, and where none can be written the
same answer is computed in memory.

Tables
  meta(key, value)       identity (root, formats, what tells paths apart), head, looked (how many commits were read),
                         commits (those that matter, zlib of JSON), lengths (words of each change), owned (numbers of
                         the documents, change after change), starts (where those of each change begin, and the end;
                         uint32 arrays, all three), fault (why history could not be read at that commit)
  changes(number, title)            number: 0 for the newest
  documents(number, key, changes)   changes: how many
  files(path, numbers)              numbers: uint32 array of changes; also directories, which end with `/`, and the
                                    keys of documents
  terms(term, pairs)                pairs: uint32 array of change, occurrences, …
"""

import json
import os
import sqlite3
import sys
from array import array
from collections import Counter, defaultdict
from itertools import chain

from adlc import checkout
from adlc.corpus.changes import Places
from adlc.errors import AdlcError
from adlc.ranking.tokens import VERSION as TOKENS, tokens
from adlc.signals import past

# Raise with any change to what is read from git, to the grouping, or to this file.
FORMAT = 2
FEWEST = 15
_DAMAGE = (sqlite3.DatabaseError, ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError, MemoryError)


class Damaged(ValueError):
    """What the file holds is not what this program wrote."""


class Past:
    """count: changes. documents: key -> how many of them it has. A context manager.

    Reading raises sqlite3.DatabaseError or ValueError when the file is damaged.
    """

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection
        self.lengths = _numbers(self._meta("lengths"))
        self.count = len(self.lengths)
        rows = connection.execute("SELECT key, changes FROM documents ORDER BY number").fetchall()
        self.documents = {_text(key): _whole(changes) for key, changes in rows}
        self._keys = list(self.documents)
        self._starts, self._owned = _numbers(self._meta("starts")), _numbers(self._meta("owned"))
        if len(self._starts) != self.count + 1 or len(self._keys) != len(rows):
            raise Damaged("tables that do not fit each other")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._connection.close()

    def _meta(self, key: str):
        row = self._connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return row[0] if row else None

    def touching(self, path: str) -> list[int]:
        """Numbers of the changes that touched a file or the document of a key, or with a `/` at its end files in a directory."""
        row = self._connection.execute("SELECT numbers FROM files WHERE path=?", (path,)).fetchone()
        return self._known(_numbers(row[0])) if row else []

    def occurrences(self, term: str, most: int) -> list[tuple[int, int]]:
        """(change, how often the term occurs in its name, its subjects and its paths); none when there are over `most`."""
        row = self._connection.execute("SELECT pairs FROM terms WHERE term=?", (term,)).fetchone()
        if not row:
            return []
        numbers = _numbers(row[0])
        if len(numbers) > 2 * most:
            return []
        return list(zip(self._known(numbers[::2]), numbers[1::2], strict=True))

    def owned(self, change: int) -> list[str]:
        """Keys of the documents that a change touched."""
        start, end = self._starts[change], self._starts[change + 1]
        if not start < end <= min(len(self._owned), start + past.MAX_DOCUMENTS):
            raise Damaged("documents that are not there")
        return [self._keys[number] for number in self._owned[start:end]]

    def title(self, change: int) -> str:
        """The name of its folder, or the subject of its commit."""
        row = self._connection.execute("SELECT title FROM changes WHERE number=?", (change,)).fetchone()
        return _text(row[0]) if row else ""

    def _known(self, numbers) -> list[int]:
        if len(numbers) and max(numbers) >= self.count:
            raise Damaged("a change that is not there")
        return numbers.tolist()


def answer(root: str, places: Places, compute):
    """-> (`compute(Past)` for the commit that is checked out, ""), or (None, why its past is not used)."""
    for path in (_file(root), ""):
        try:
            found, why = _of(path, root, places)
            if found is None:
                return None, why
            with found:
                return compute(found), ""
        except _DAMAGE:
            if not path:
                raise  # not of the file, but of this program
            _discard(path)


def _of(path: str, root: str, places: Places) -> tuple[Past | None, str]:
    head, why = _head(root)
    if head is None:
        return None, why
    kept = _open(path, root, places) if path else None
    if kept is None or kept[0] != head:
        from adlc import git

        known, since = ([], 0), ""
        if kept:
            known, since = _commits(kept[1]), kept[0]
            kept[1].close()
        try:
            kept = _build(path, root, places, head, *known, since)
        except git.GitFailed as exc:
            why = f"git did not list the commits within {past.SECONDS:g} s" if exc.timed_out else "git could not list the commits"
            if exc.timed_out:
                _write(path, _identity(root, places), head, [], [], 0, why).close()
            return None, why
    return _usable(kept[1])


def existing(root: str, places: Places, compute):
    """`compute(Past)` when something is kept for the very commit that is checked out, else None; nothing is built."""
    head, _ = _head(root)
    kept = _open(_file(root), root, places) if head else None
    if kept is None:
        return None
    if kept[0] != head:
        kept[1].close()
        return None
    try:
        found = _usable(kept[1])[0]
        if found is None:
            return None
        with found:
            return compute(found)
    except _DAMAGE:
        return None


def _head(root: str) -> tuple[str | None, str]:
    found = checkout.head(root)
    if found is None:
        return None, "no git history"
    if found[1]:
        return None, "the clone is shallow"
    return found[0], ""


def _usable(connection: sqlite3.Connection) -> tuple[Past | None, str]:
    why = ""
    try:
        row = connection.execute("SELECT value FROM meta WHERE key='fault'").fetchone()
        if row:
            why = f"{_text(row[0])}; tried again after the next commit"
        else:
            found = Past(connection)
            if found.count >= FEWEST:
                return found, ""
            why = f"{found.count} past change{'s' if found.count != 1 else ''} of documents, fewer than {FEWEST}"
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None, why


# -- the file ------------------------------------------------------------------------------------


def _identity(root: str, places: Places) -> str:
    return f"{FORMAT} {TOKENS} {past.WINDOW}\n{root}\n{places.identity}"


def _file(root: str) -> str:
    """The file of a root, "" when there is no place for it."""
    import zlib

    from adlc.places import cache_dir

    try:
        folder = os.path.join(cache_dir(), "history")
    except AdlcError:
        return ""
    data = os.fsencode(root)
    return os.path.join(folder, f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}{len(data):x}.sqlite")


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _open(path: str, root: str, places: Places) -> tuple[str, sqlite3.Connection] | None:
    """-> (the commit it is valid for, the opened file), None when there is none that can be used."""
    if not path or not os.path.isfile(path):
        return None
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = None
    try:
        connection = sqlite3.connect(f"file:{quoted}?mode=ro&immutable=1", uri=True, isolation_level=None)
        found = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('identity', 'head')"))
        if found.get("identity") == _identity(root, places) and isinstance(found.get("head"), str):
            return found["head"], connection
    except _DAMAGE:
        pass
    if connection:
        connection.close()
    return None


def _commits(connection: sqlite3.Connection) -> tuple[list[past.Commit], int]:
    """-> (the commits that are kept, how many were looked at for them); 0 when they cannot be used."""
    import zlib

    try:
        meta = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('looked', 'commits')"))
        kept = [past.Commit(*row) for row in json.loads(zlib.decompress(meta["commits"]))]
        sound = type(meta["looked"]) is int and all(
            type(c.commit) is str and type(c.time) is int and type(c.subject) is str
            and all(0 < len(path) < 3 and all(type(name) is str for name in path) for path in c.paths) for c in kept
        )
        return (kept, meta["looked"]) if sound else ([], 0)
    except (*_DAMAGE, zlib.error, AttributeError):
        return [], 0


def _build(path: str, root: str, places: Places, head: str, kept: list, looked: int, since: str) -> tuple[str, sqlite3.Connection]:
    """Read what is new since `since`, else everything. Raises git.GitFailed."""
    from adlc import git

    found = None
    if looked:
        try:
            found = past.commits(root, head, since, places)
        except git.GitFailed as exc:
            if exc.timed_out:
                raise
            # The kept commit may be gone.
    if found and looked + found[1] < past.WINDOW:
        commits, looked = [*found[0], *kept], looked + found[1]
    else:
        commits, looked = past.commits(root, head, "", places)
    commits = past.ordered(commits)
    return head, _write(path, _identity(root, places), head, commits, past.changes(commits, places), looked)


def _write(path: str, identity: str, head: str, commits: list, changes: list, looked: int, fault: str = "") -> sqlite3.Connection:
    """Write the file whole and open it; in memory where it cannot be written."""
    if path:
        from adlc.places import make_private

        temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
        try:
            make_private(os.path.dirname(path))
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            connection = sqlite3.connect(temporary, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode=OFF")
                connection.execute("PRAGMA synchronous=OFF")
                _fill(connection, identity, head, commits, changes, looked, fault)
            finally:
                connection.close()
            os.replace(temporary, path)
            return sqlite3.connect(path, isolation_level=None)
        except (OSError, sqlite3.OperationalError):
            try:
                os.unlink(temporary)
            except OSError:
                pass
    connection = sqlite3.connect(":memory:", isolation_level=None)
    _fill(connection, identity, head, commits, changes, looked, fault)
    return connection


def _fill(connection, identity: str, head: str, commits: list, changes: list, looked: int, fault: str) -> None:
    import zlib

    numbers: dict[str, int] = {}
    owned, starts, lengths, having = array("I"), array("I", [0]), array("I"), []
    touched: dict[str, list[int]] = defaultdict(list)
    terms: dict[str, list[int]] = defaultdict(list)
    words: dict[str, tuple[str, ...]] = {}
    for number, change in enumerate(changes):
        for key in sorted(change.documents):
            place = numbers.setdefault(key, len(numbers))
            owned.append(place)
            if place == len(having):
                having.append(0)
            having[place] += 1
        starts.append(len(owned))
        folders = {f"{path.rpartition('/')[0]}/" for path in change.files if "/" in path}
        for path in (*change.files, *folders, *change.documents):
            touched[path].append(number)
        found = tokens("\n".join((change.name, *change.subjects)))
        for path in change.files:
            known = words.get(path)
            if known is None:
                known = words[path] = tuple(frozenset(tokens(path)))
            found += known
        lengths.append(len(found))
        for term in found:
            terms[term].append(number)
    kept = json.dumps([[c.commit, c.time, c.subject, c.paths] for c in commits], separators=(",", ":")).encode()
    run, many = connection.execute, connection.executemany
    run("BEGIN")
    run("CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID")
    run("CREATE TABLE changes(number INTEGER PRIMARY KEY, title TEXT NOT NULL)")
    run("CREATE TABLE documents(number INTEGER PRIMARY KEY, key TEXT NOT NULL, changes INTEGER NOT NULL)")
    run("CREATE TABLE files(path TEXT PRIMARY KEY, numbers BLOB NOT NULL) WITHOUT ROWID")
    run("CREATE TABLE terms(term TEXT PRIMARY KEY, pairs BLOB NOT NULL) WITHOUT ROWID")
    many("INSERT INTO meta VALUES(?,?)", [
        ("identity", identity), ("head", head), ("looked", looked), ("commits", zlib.compress(kept, 1)),
        ("lengths", _bytes(lengths)), ("owned", _bytes(owned)), ("starts", _bytes(starts)), *([("fault", fault)] if fault else []),
    ])
    many("INSERT INTO changes VALUES(?,?)", ((n, change.name or (change.subjects or [""])[0]) for n, change in enumerate(changes)))
    many("INSERT INTO documents VALUES(?,?,?)", ((place, key, having[place]) for key, place in numbers.items()))
    many("INSERT INTO files VALUES(?,?)", ((path, _bytes(array("I", touched[path]))) for path in sorted(touched)))
    many("INSERT INTO terms VALUES(?,?)", ((term, _bytes(array("I", chain.from_iterable(Counter(terms[term]).items())))) for term in sorted(terms)))
    run("COMMIT")


# -- values --------------------------------------------------------------------------------------


def _bytes(numbers: array) -> bytes:
    if sys.byteorder == "big":
        numbers = array("I", numbers)
        numbers.byteswap()
    return numbers.tobytes()


def _numbers(value) -> array:
    if type(value) is not bytes:
        raise Damaged("no numbers")
    numbers = array("I")
    numbers.frombytes(value)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _text(value) -> str:
    if type(value) is not str:
        raise Damaged("no text")
    return value


def _whole(value) -> int:
    if type(value) is not int or value < 1:
        raise Damaged("no number of changes")
    return value
