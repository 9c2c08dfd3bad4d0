"""The private files of one intake, and their end.

Each is a directory of the user's own in the state directory. What may be in it is recorded beside it when it is
made, with the directory's identity; clean removes exactly that. No name or place makes a file ours.
"""

import json
import os
import re
import stat
import time

from adlc import files
from adlc.errors import AdlcError
from adlc.places import make_private, state_dir

REQUEST, INLINE, CORPUS = "request.txt", "inline-request.txt", "intake-corpus.txt"
ABANDONED_SECONDS = 24 * 3600
_ID = re.compile(r"[0-9a-f]{16}", re.A)


def folder() -> str:
    # Paths that come back are normalised before they are compared.
    return os.path.abspath(os.path.join(state_dir(), "adlc-intake"))


def create(names: list[str], source: str | None = None) -> str:
    """Make a directory that will hold files of these names; returns its path.

    source: the path to remember for it. Directories that nobody cleaned for a day go on the way. Raises
    AdlcError write_failed.
    """
    try:
        root = make_private(folder())
        _reap(root)
        place = os.path.join(root, os.urandom(8).hex())
        os.mkdir(place, 0o700)
        try:
            st = os.lstat(place)
            _write_record(place, {"device": st.st_dev, "inode": st.st_ino, "files": names, "source": source})
        except BaseException:
            os.rmdir(place)
            raise
    except OSError as exc:
        raise _failed("make files for intake", exc) from None
    return place


def remember(path: str, source: str) -> None:
    """Remember the source that belongs to the recorded file `path`. Raises AdlcError."""
    place, record = _recorded(path)
    try:
        _write_record(place, record | {"source": source})
    except OSError as exc:
        raise _failed("remember the source", exc) from None


def source_of(path: str) -> str | None:
    """The source remembered for the recorded file `path`; None when there is none."""
    found = _recorded(path)
    return found[1]["source"] if found else None


def is_ours(path: str) -> bool:
    return _recorded(path) is not None


def write(place: str, name: str, data: bytes) -> str:
    """Write one recorded file; returns its path. Raises AdlcError write_failed."""
    path = os.path.join(place, name)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as handle:
            handle.write(data)
    except OSError as exc:
        raise _failed("write for intake", exc) from None
    return path


def read(path: str, limit: int) -> bytes:
    """The bytes of a file; one that a file tool wrote for us may not be a link. Raises Unreadable."""
    try:
        fd = files.opened(path, follow=not is_ours(path))
        with os.fdopen(fd, "rb") as handle:
            if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
                raise files.Unreadable("not a regular file")
            data = handle.read(limit + 1)
    except (OSError, ValueError) as exc:
        raise files.Unreadable((getattr(exc, "strerror", "") or "cannot be read").lower()) from None
    if len(data) > limit:
        raise files.Unreadable(f"longer than {limit // 1048576} MiB")
    return data


def clean(path: str) -> bool:
    """Remove everything recorded together with `path`. False when `path` is no file of ours: it is left alone."""
    found = _recorded(path)
    if found is None:
        return False
    _remove(*found)
    return True


def _recorded(path: str) -> tuple[str, dict] | None:
    """-> (directory, its record) when `path` is a recorded file of a directory that is still the one recorded."""
    place, name = os.path.split(path)
    if os.path.dirname(place) != folder() or not _ID.fullmatch(os.path.basename(place)):
        return None
    record = _record(place)
    return (place, record) if record and name in record["files"] else None


def _record(place: str) -> dict | None:
    try:
        fd = files.opened(f"{place}.json")
        with os.fdopen(fd, "rb") as handle:
            if os.fstat(handle.fileno()).st_uid != os.geteuid():
                return None
            record = json.loads(handle.read(64 * 1024))
        st = os.lstat(place)
        same = stat.S_ISDIR(st.st_mode) and (st.st_dev, st.st_ino) == (record["device"], record["inode"])
        return record if same and isinstance(record["files"], list) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_record(place: str, record: dict) -> None:
    files.atomic_write(f"{place}.json", json.dumps(record).encode("utf-8", "surrogateescape"), 0o600)


def _remove(place: str, record: dict) -> None:
    try:
        fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        st = os.fstat(fd)
        if (st.st_dev, st.st_ino) != (record["device"], record["inode"]):
            return
        for name in record["files"]:
            try:
                os.unlink(os.path.basename(name), dir_fd=fd)
            except OSError:
                pass
    finally:
        os.close(fd)
    for remove, path in ((os.rmdir, place), (os.unlink, f"{place}.json")):
        try:
            remove(path)
        except OSError:
            return


def _reap(root: str) -> None:
    limit = time.time() - ABANDONED_SECONDS
    for entry in list(os.scandir(root)):
        name = entry.name.removesuffix(".json")
        if entry.name != name and _ID.fullmatch(name):
            place = os.path.join(root, name)
            record = _record(place)
            try:
                if entry.stat(follow_symlinks=False).st_mtime < limit:
                    if record:
                        _remove(place, record)
                    elif not os.path.lexists(place):
                        os.unlink(entry.path)
            except OSError:
                continue


def _failed(what: str, exc: OSError) -> AdlcError:
    return AdlcError("write_failed", f"cannot {what}: {exc.strerror}", "set ADLC_STATE_DIR to a directory of yours")
