"""Reading untrusted files safely and writing files whole."""

import errno
import os
import stat
import sys

MAX_DOCUMENT_BYTES = 4 * 1024 * 1024


class Unreadable(Exception):
    """A file that cannot be used as a document; str() is the reason, one line, without the path."""


class Vanished(Unreadable):
    """The file was there when it was listed and is gone now."""


def read_document(path: str) -> tuple[str, os.stat_result]:
    """-> (text with LF line ends and no BOM, the stat of the very file that was read).

    `path` is opened without following a symlink in its last component; the caller decides about
    links first (`inside`). Raises Unreadable with the reason.
    """
    try:
        fd = opened(path)
    except FileNotFoundError:
        raise Vanished("disappeared while it was being read") from None
    except OSError as exc:
        raise Unreadable(_reason(exc)) from None
    try:
        st = os.fstat(fd)
        check_regular(st)
        data = bytearray()
        while len(data) <= MAX_DOCUMENT_BYTES:
            block = os.read(fd, 1 << 20)
            if not block:
                break
            data += block
    except OSError as exc:
        raise Unreadable(_reason(exc)) from None
    finally:
        os.close(fd)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise Unreadable(_too_large(len(data)))
    return decode(bytes(data)), st


def opened(path: str, follow: bool = False) -> int:
    """A descriptor to read `path` by. follow: also through a symlink in its last component. Raises OSError.

    A FIFO that somebody put there does not make the caller wait.
    """
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))


def start_of(path: str, limit: int) -> bytes:
    """The first `limit` bytes of a regular file: a pipe in its place would block, a device never end. Raises OSError."""
    fd = opened(path, follow=True)
    with open(fd, "rb") as handle:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        return handle.read(limit)


def upwards(folder: str):
    """A directory and those above it, up to the file system's root or the end of a relative path."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def missing_folders(path: str) -> list[str]:
    """The directories that would have to be made for the absolute `path` to be one, outermost first."""
    found = []
    for folder in upwards(path):
        if os.path.lexists(folder):
            break
        found.insert(0, folder)
    return found


def same(one: str, other: str) -> bool:
    """Whether two paths lead to one file; False when one of them leads nowhere."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def exclusive(fd: int, seconds: float, waiting=None) -> bool:
    """Take the kernel's exclusive lock on an open file; False when others held it for `seconds`.

    waiting: called once when it is not to be had at once. Raises OSError where there are no kernel locks.
    """
    import fcntl
    import time

    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
        if waiting:
            waiting()
            waiting = None
        time.sleep(0.01)


def append_line(fd: int, line: bytes) -> None:
    """Add one line, whose end it has, to a file opened for reading and appending, in one write.

    A full disk can cut a line short. Such a one is ended first, so that it takes no other with it. Raises
    OSError, also when this one is cut short.
    """
    size = os.fstat(fd).st_size
    if size and os.pread(fd, 1, size - 1) != b"\n":
        line = b"\n" + line
    if os.write(fd, line) < len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read_stdin(limit: int) -> bytes:
    """All of standard input. Raises Unreadable when it is closed, cannot be read, or is longer than `limit` bytes."""
    try:
        data = sys.stdin.buffer.read(limit + 1)
    except OSError as exc:
        raise Unreadable(_reason(exc)) from None
    except AttributeError:
        raise Unreadable("standard input is closed") from None
    if len(data) > limit:
        raise Unreadable(f"longer than {limit // 1024} KiB")
    return data


def check_regular(st: os.stat_result) -> None:
    """Raises Unreadable when the stat is not that of a regular file within the size cap."""
    if not stat.S_ISREG(st.st_mode):
        raise Unreadable("not a regular file")
    if st.st_size > MAX_DOCUMENT_BYTES:
        raise Unreadable(_too_large(st.st_size))


def decode(data: bytes) -> str:
    """UTF-8 (with or without BOM) -> text with LF line ends. Raises Unreadable, naming the encoding fault."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Unreadable("encoded as UTF-16; save it as UTF-8")
    if b"\0" in data:
        raise Unreadable("binary (contains NUL bytes)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise Unreadable(f"not valid UTF-8 (byte 0x{data[exc.start]:02x} at offset {exc.start})") from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def inside(root: str, path: str) -> str | None:
    """The real path of `path` when it lies inside `root` (itself already real), else None."""
    real = os.path.realpath(path)
    return real if real == root or real.startswith(root.rstrip(os.sep) + os.sep) else None


def unwritable(path: str) -> str:
    """The directory that keeps `path` from being made or replaced, the nearest one that exists; "" when it can be written."""
    folder = os.path.dirname(path)
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return "" if os.access(folder, os.W_OK | os.X_OK) else folder


def atomic_write(path: str, data: bytes, mode: int = 0o644, sync: bool = False, settle: bool = True) -> None:
    """Write `data` beside `path` and rename it into place: a reader sees the old bytes or the new ones.

    The mode is subject to the umask. `sync` flushes the file to the disk first, and the directory
    then, unless `settle` is off. Raises OSError and leaves nothing behind.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(fd, "wb") as handle:
            handle.write(data)
            handle.flush()
            if sync:
                os.fsync(handle.fileno())
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise
    if sync and settle:
        folder_fd = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(folder_fd)
        finally:
            os.close(folder_fd)


def _too_large(size: int) -> str:
    return f"larger than {MAX_DOCUMENT_BYTES // 1048576} MiB ({size} bytes)"


def _reason(exc: OSError) -> str:
    if exc.errno == errno.ELOOP:
        return "a symbolic link"
    return (exc.strerror or "cannot be read").lower()
