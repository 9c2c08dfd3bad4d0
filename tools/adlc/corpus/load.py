"""The corpus of a root: lists the files, brings the cache up to date, and hands out the answer's store."""

import os
import sqlite3
import stat as stat_module

from adlc import files
from adlc.corpus import layouts, store
from adlc.corpus.model import Document, Skipped

_ATTEMPTS = 3


class Corpus:
    """A root's documents as they are on disk now. `store` has records and statistics."""

    def __init__(self, root: str, opened: store.Store, unlisted: list[Skipped]):
        self.root, self.store, self._unlisted = root, opened, unlisted

    def documents(self) -> list[Document]:
        """All documents, by path."""
        return sorted(self.store.documents().values(), key=lambda d: d.path)

    def skipped(self) -> list[Skipped]:
        """Every file that is part of a corpus and could not be used, by path."""
        return sorted([*self.store.skipped(), *self._unlisted], key=lambda s: s.path)

    def read(self, document: Document) -> Document | None:
        """The document with its body and chunks, read again from its file; None when it is gone."""
        try:
            path = os.path.join(self.root, document.path)
            text, _ = files.read_document(files.inside(self.root, path) or path)
            return layouts.module(document.layout).read(document.path, document.corpus, document.id, text)
        except files.Unreadable:
            return None


def answer(root: str, compute, cache: bool = True):
    """`compute(Corpus)` over the current files of `root`. A cache that fails is left out, or thrown away if damaged."""
    folder = cache_folder() if cache else None
    if folder is not None:
        try:
            with store.open_store(root, folder) as opened:
                return compute(_refresh(root, opened))
        except sqlite3.OperationalError:
            pass
        except (sqlite3.DatabaseError, store.Damaged, ValueError, TypeError, LookupError):
            # What damaged content looks like from here; a fault of this program shows again below.
            store.discard(store.file_of(root, folder))
    with store.memory_store(root) as opened:
        return compute(_refresh(root, opened))


def cache_folder() -> str | None:
    from adlc.errors import AdlcError
    from adlc.places import cache_dir

    try:
        return os.path.join(cache_dir(), "corpus")
    except AdlcError:
        return None


def _refresh(root: str, opened: store.Store) -> Corpus:
    """Bring the store to what is on disk; on return it holds a read transaction over just that."""
    for _ in range(_ATTEMPTS):
        listed, unlisted = _list(root)
        opened.begin()
        if opened.fresh(_state(listed)):
            return Corpus(root, opened, unlisted)
        try:
            done = _update(root, opened, listed)
        except sqlite3.OperationalError:
            # Read-only file, full disk, a writer that does not finish: the same work, in memory.
            if not opened.on_disk:
                raise
            opened.to_memory()
            continue
        if done is not None:
            return Corpus(root, opened, unlisted + done)
    opened.to_memory()
    listed, unlisted = _list(root)
    opened.begin()
    return Corpus(root, opened, unlisted + (_update(root, opened, listed) or []))


def _list(root: str) -> tuple[list[tuple], list[Skipped]]:
    """-> ([(path, layout, corpus, id, stat)], files that the listing itself rules out)."""
    listed, unlisted = [], []
    for layout in layouts.present(root):
        for path, corpus, id, stat in layouts.module(layout).walk(root):
            stat, reason = _usable(root, path, stat)
            if reason is None:
                listed.append((path, layout, corpus, id, stat))
            else:
                unlisted.append(Skipped(path.encode("utf-8", "replace").decode(), corpus, reason))
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


def _entry(layout: str, id: str, stat: os.stat_result) -> str:
    return f"{layout} {id} {stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"


def _state(listed: list[tuple]) -> bytes:
    return _joined([f"{path}\0{_entry(layout, id, stat)}" for path, layout, _, id, stat in listed])


def _joined(entries: list[str]) -> bytes:
    return "\0".join(entries).encode("utf-8", "surrogateescape")


def _update(root: str, opened: store.Store, listed: list[tuple]) -> list[Skipped] | None:
    """Re-read what differs, a batch at a time. None when another process wrote meanwhile.

    Returns the files that vanished since they were listed, and leaves a read transaction open.
    """
    from adlc.corpus import read

    known, generation = opened.known(), opened.generation()
    opened.end()
    gone = set(known) - {item[0] for item in listed}
    touched, new, skipped, vanished, entries = [], [], [], [], []

    def flush(state: bytes | None = None) -> bool:
        nonlocal generation
        if not opened.write(generation, sorted(gone), touched, new, skipped, state):
            return False
        generation += 1
        for batch in (gone, touched, new, skipped):
            batch.clear()
        return True

    for path, layout, corpus, id, stat in listed:
        entry = _entry(layout, id, stat)
        old = known.get(path)
        if old and old[0] == entry and not old[1]:
            entries.append(f"{path}\0{entry}")
            continue
        before = store.now_s()
        try:
            document, hash, stat = read.one(root, layout, corpus, id, path)
        except files.Vanished as exc:
            vanished.append(Skipped(path, corpus, str(exc)))
            if old:
                gone.add(path)
            continue
        except files.Unreadable as exc:
            document, reason = None, str(exc)
        entry = _entry(layout, id, stat)
        entries.append(f"{path}\0{entry}")
        racy = int(max(stat.st_mtime_ns, stat.st_ctime_ns) // 10**9 >= before)
        if document and old and old[2] == hash and _same_identity(old[0], entry):
            touched.append((path, entry, racy))
            continue
        if old:
            gone.add(path)
        if document:
            new.append((document, entry, racy, hash, read.Terms(document)))
        else:
            skipped.append((path, corpus, entry, racy, reason))
        if len(new) == store.SEGMENT and not flush():
            return None
    if not flush(_joined(entries)):
        return None
    opened.begin()
    return vanished if opened.generation() == generation else None


def _same_identity(old: str, new: str) -> bool:
    """Layout, id and modification time agree: the record of a document depends on these beside its text."""
    (a, _, a_time, _, _), (b, _, b_time, _, _) = old.rsplit(" ", 4), new.rsplit(" ", 4)
    return a == b and a_time == b_time
