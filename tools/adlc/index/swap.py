"""The index directory while it is replaced: one rebuild at a time, and a mixture of two is never seen.

A build's files are written to a directory of their own, which is renamed to `.next` once they are
complete: that is the moment from which readers see the new index. Then they are moved up one by one, the
metadata last. Whoever is killed on the way leaves a `.next` that readers use and the next rebuild finishes.
"""

import contextlib
import os
import shutil

from adlc import files
from adlc.errors import AdlcError
from adlc.index import store

LOCK_SECONDS = 600
FILES = (store.SPECS, store.ROWS, store.CHUNKS, store.VECTORS, store.METADATA)
IGNORE = b"# Derived; metadata.toml says from what.\n*\n!.gitignore\n!metadata.toml\n"


def same_files(folder: str, fresh: str) -> bool:
    """Whether what lies there is, byte for byte, what was just built; the metadata was compared before."""
    import filecmp

    try:
        return all(
            not os.path.islink(os.path.join(folder, name))
            and filecmp.cmp(os.path.join(folder, name), os.path.join(fresh, name), shallow=False)
            for name in FILES if name != store.METADATA
        )
    except OSError:
        return False


def finish(folder: str) -> None:
    """Move up what a finished build left in `.next`, the metadata last; remove what unfinished ones left."""
    for left in os.listdir(folder):
        if left.startswith(".build-"):
            shutil.rmtree(os.path.join(folder, left), ignore_errors=True)
    following = os.path.join(folder, store.NEXT)
    if not os.path.lexists(following):
        return
    if os.path.islink(following) or not os.path.isdir(following):
        os.unlink(following)
        return
    if os.path.lexists(os.path.join(following, store.METADATA)):
        for name in FILES:
            with contextlib.suppress(FileNotFoundError):
                os.replace(os.path.join(following, name), os.path.join(folder, name))
    sync(folder)
    shutil.rmtree(following, ignore_errors=True)


def place(root: str) -> str:
    """The index directory, made if need be, with its .gitignore."""
    folder = store.folder_of(root)
    try:
        os.makedirs(folder, exist_ok=True)
        ignore = os.path.join(folder, ".gitignore")
        if not os.path.lexists(ignore):
            files.atomic_write(ignore, IGNORE)
    except OSError as exc:
        raise cannot_write(folder, exc) from None
    return folder


def cannot_write(folder: str, exc: OSError) -> AdlcError:
    return AdlcError("write_failed", f"the index cannot be written to {folder}: {(exc.strerror or 'I/O error').lower()}", "make that directory writable")


@contextlib.contextmanager
def locked(folder: str, waiting):
    """One rebuild at a time; the kernel frees the lock of one that is killed."""
    try:
        fd = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
    except OSError as exc:
        raise cannot_write(folder, exc) from None
    try:
        try:
            mine = files.exclusive(fd, LOCK_SECONDS, waiting)
        except OSError as exc:
            raise AdlcError("lock_refused", f"{folder} cannot be locked: {exc.strerror}", "use a file system with locks") from None
        if not mine:
            raise AdlcError("lock_timeout", f"another rebuild of {folder} does not end", "end it, then adlc index rebuild")
        yield
    finally:
        os.close(fd)


def sync(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError:
        pass  # some file systems cannot, and lose nothing but the newest build
    finally:
        os.close(fd)
