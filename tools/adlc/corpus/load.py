"""The corpus of a root: lists the files, brings the cache up to date, and hands out the answer's store."""

import os
import sqlite3
import stat as stat_module
from array import array

from adlc import files
from adlc.corpus import layouts, segments, settings, store
from adlc.corpus.model import Document, Skipped
from adlc.errors import AdlcError

_ATTEMPTS = 3
_STAT, _KIND, _REGULAR, _CAP = os.stat_result, 0o170000, stat_module.S_IFREG, files.MAX_DOCUMENT_BYTES


class Corpus:
    """A root's documents as they are on disk now. `store` has records and statistics."""

    def __init__(self, root: str, opened: store.Store, listed: list[tuple], unlisted: list[Skipped]):
        self.root, self.store, self._listed, self._unlisted = root, opened, listed, unlisted

    def documents(self) -> list[Document]:
        """All documents, by path."""
        return sorted(self.store.documents().values(), key=lambda d: d.path)

    def listed(self) -> list[tuple]:
        """(path, layout, corpus, id, stat, beside) of every file on disk that should be a document: what `read.one` takes."""
        return self._listed

    def skipped(self) -> list[Skipped]:
        """Every file that is part of a corpus and could not be used, by path."""
        return sorted([*self.store.skipped(), *self._unlisted], key=lambda s: s.path)

    def read(self, document: Document) -> Document | None:
        """The document with its body and chunks, read again from its file; None when it is gone."""
        from adlc.corpus import read

        path = document.path
        beside = next((item[5] for item in self._listed if item[0] == path), ())
        try:
            return read.one(self.root, document.layout, document.corpus, document.id, path, beside)[0]
        except files.Unreadable:
            return None


def answer(root: str, compute, cache: bool = True):
    """`compute(Corpus)` over the current files of `root`. A cache that fails is left out, or thrown away if damaged."""
    folder = cache_folder() if cache else None
    if folder is not None:
        try:
            with store.open_store(root, folder) as opened:
                return compute(_refresh(root, opened))
        except sqlite3.OperationalError as exc:
            # Locked, full, read-only: leave it. A missing table, or text that is none: damaged.
            if getattr(exc, "sqlite_errorcode", sqlite3.SQLITE_ERROR) == sqlite3.SQLITE_ERROR:
                store.discard(store.file_of(root, folder))
        except (AdlcError, OSError):
            raise
        except Exception:
            # Damaged content can look like anything from here; a fault of this program shows again below.
            store.discard(store.file_of(root, folder))
    with store.memory_store(root) as opened:
        return compute(_refresh(root, opened))


def cache_folder() -> str | None:
    """Where the caches of all roots lie, there or not; None where there is no place for them."""
    from adlc.places import cache_dir

    try:
        return os.path.join(cache_dir(), "corpus")
    except AdlcError:
        return None


def _refresh(root: str, opened: store.Store) -> Corpus:
    """Bring the store to what is on disk; on return it holds a read transaction over just that."""
    for _ in range(_ATTEMPTS):
        listed, unlisted = _list(root, settings.of(root, opened))
        opened.begin()
        if opened.fresh(_state(listed)):
            return Corpus(root, opened, listed, unlisted)
        try:
            done = _update(root, opened, listed)
        except sqlite3.OperationalError:
            # Read-only file, full disk, a writer that does not finish: the same work, in memory.
            if not opened.on_disk:
                raise
            opened.to_memory()
            continue
        if done is not None:
            return Corpus(root, opened, listed, unlisted + done)
    opened.to_memory()
    listed, unlisted = _list(root, settings.of(root, opened))
    opened.begin()
    return Corpus(root, opened, listed, unlisted + (_update(root, opened, listed) or []))


def _list(root: str, configured: settings.Settings) -> tuple[list[tuple], list[Skipped]]:
    """-> ([(path, layout, corpus, id, stat, beside)], files that the listing itself rules out)."""
    listed, unlisted = [], configured.faults(root)
    sources = layouts.sources(root, configured)
    # A file belongs to the first layout that lists it; one source cannot list a file twice.
    taken = set() if len(sources) > 1 else None
    for layout, prefix, found in sources:
        for path, corpus, id, stat, beside in found:
            path = prefix + path
            if taken is not None:
                if path in taken:
                    continue
                taken.add(path)
            # The common case in line: a plain file of ordinary size and name.
            if not (path.isascii() and stat.__class__ is _STAT and stat.st_mode & _KIND == _REGULAR and stat.st_size <= _CAP):
                stat, reason = _usable(root, path, stat)
                if reason is not None:
                    unlisted.append(Skipped(path.encode("utf-8", "replace").decode(), corpus, reason))
                    continue
            if beside:
                beside = tuple((prefix + near, _usable(root, prefix + near, s)[0] or s) for near, s in beside)
            listed.append((path, layout, corpus, id, stat, beside))
    return listed, unlisted


def _usable(root: str, path: str, stat):
    """-> (stat of the file that `path` leads to, None), or (None, the reason why it is no document)."""
    if isinstance(stat, OSError):
        return None, (stat.strerror or "cannot be read").lower()
    if not path.isascii() and not _utf8(path):
        return None, "its name is not valid UTF-8"
    if stat_module.S_ISLNK(stat.st_mode):
        target = os.path.join(root, path)
        if files.inside(root, target) is None:
            return None, "a symbolic link that leaves the root"
        try:
            stat = os.stat(target)
        except OSError:
            return None, "a symbolic link that leads nowhere"
        if stat_module.S_ISDIR(stat.st_mode):
            return None, "a symbolic link to a directory, which is not followed"
    try:
        files.check_regular(stat)
    except files.Unreadable as exc:
        return None, str(exc)
    return stat, None


def _utf8(path: str) -> bool:
    try:
        path.encode("utf-8")
        return True
    except UnicodeEncodeError:
        return False


def _entry(layout: str, id: str, stat: os.stat_result, beside: tuple = ()) -> str:
    near = "".join(f"{path} {_stamp(near_stat)} " for path, near_stat in beside) if beside else ""
    return f"{layout} {id} {near}{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"


def _stamp(stat) -> str:
    if isinstance(stat, OSError):
        return str(stat.errno)
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"


def _state(listed: list[tuple]) -> bytes:
    """What `listed` says, in one block of bytes: equal only when all paths, ids and stats are."""
    numbers = array("Q")
    extend = numbers.extend
    try:
        for _, _, _, _, stat, _ in listed:
            extend((stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino))
    except OverflowError:
        # Dates before 1970 or after 2554.
        numbers = array("Q", [
            number % 2**64 for *_, stat, _ in listed
            for number in (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        ])
    names = [path for path, *_ in listed]
    for column in (1, 3):
        names += [item[column] for item in listed]
    names += [f"{path} {_stamp(stat)}" for *_, beside in listed for path, stat in beside]
    return "\0".join(names).encode("utf-8", "surrogateescape") + b"\0" + numbers.tobytes()


def _update(root: str, opened: store.Store, listed: list[tuple]) -> list[Skipped] | None:
    """Re-read what differs, a batch at a time. None when another process wrote meanwhile.

    Returns the files that vanished since they were listed, and leaves a read transaction open.
    """
    from adlc.corpus import read

    known, generation = opened.known(), opened.generation()
    opened.end()
    gone = set(known) - {item[0] for item in listed}
    touched, new, skipped, vanished, current = [], [], [], [], []

    def flush(state: bytes | None = None) -> bool:
        nonlocal generation
        if not opened.write(generation, sorted(gone), touched, new, skipped, state):
            return False
        generation += 1
        for batch in (gone, touched, new, skipped):
            batch.clear()
        return True

    for path, layout, corpus, id, stat, beside in listed:
        entry = _entry(layout, id, stat, beside)
        old = known.get(path)
        if old and old[0] == entry and not old[1]:
            current.append((path, layout, corpus, id, stat, beside))
            continue
        before = store.now_s()
        try:
            document, hash, stat, beside = read.one(root, layout, corpus, id, path, beside)
        except files.Vanished as exc:
            vanished.append(Skipped(path, corpus, str(exc)))
            if old:
                gone.add(path)
            continue
        except files.Unreadable as exc:
            document, reason = None, str(exc)
        entry = _entry(layout, id, stat, beside)
        current.append((path, layout, corpus, id, stat, beside))
        stats = [stat, *(near_stat for _, near_stat in beside if not isinstance(near_stat, OSError))]
        racy = int(max(max(s.st_mtime_ns, s.st_ctime_ns) for s in stats) // 10**9 >= before)
        if document and old and old[2] == hash and _same_identity(old[0], entry):
            touched.append((path, entry, racy))
            continue
        if old:
            gone.add(path)
        if document:
            new.append((document, entry, racy, hash, read.Terms(document)))
        else:
            skipped.append((path, corpus, entry, racy, reason))
        if len(new) == segments.SEGMENT and not flush():
            return None
    if not flush(_state(current)):
        return None
    opened.begin()
    return vanished if opened.generation() == generation else None


def _same_identity(old: str, new: str) -> bool:
    """Layout, id, companions and modification time agree: a document's record depends on these beside its text."""
    (a, _, a_time, _, _), (b, _, b_time, _, _) = old.rsplit(" ", 4), new.rsplit(" ", 4)
    return a == b and a_time == b_time
