"""What can lie at a path, as values: observed, compared, brought about. Every change is one rename, mkdir or unlink.

A state is None (nothing there) or a dict with one of these keys:

    {"link": target}             a symbolic link
    {"file": text, "mode": bits} a small regular file
    {"folder": True}             a directory; may have "mode", which is set when it is made
    {"block": text}              text that stands once, and verbatim, in a file of the user's; with
                                 "created": True when the file came about with it
    {"other": reason}            anything else; never brought about

The file around a block belongs to the user.
"""

import os
import stat

from adlc import files

MAX_BYTES = 64 * 1024
MAX_START_FILE = 4 * 1024 * 1024


def observe(path: str) -> dict | None:
    """The state of a path; never a block."""
    try:
        st = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(st.st_mode):
        return {"link": os.readlink(path)}
    if stat.S_ISDIR(st.st_mode):
        return {"folder": True, "mode": stat.S_IMODE(st.st_mode)}
    if not stat.S_ISREG(st.st_mode):
        return {"other": "no file, link or directory"}
    if st.st_size > MAX_BYTES:
        return {"other": "a file"}
    try:
        with open(path, "rb") as handle:
            return {"file": decode(handle.read(MAX_BYTES + 1)), "mode": stat.S_IMODE(st.st_mode)}
    except OSError:
        return {"other": "a file that cannot be read"}


def is_at(path: str, state: dict | None) -> bool:
    """Whether `state` is what lies at the path now. Modes do not count: a chmod makes a file nobody else's."""
    if state is not None and "block" in state:
        return has_block(path, state["block"])
    return same(observe(path), state)


def same(one: dict | None, other: dict | None) -> bool:
    if one is None or other is None:
        return one is other
    return all(one.get(key) == other.get(key) for key in ("link", "file", "folder", "other"))


def has_block(path: str, block: str) -> bool:
    try:
        return block in start_file(path)
    except (OSError, ValueError):
        return False


def start_file(path: str) -> str:
    """The text of a shell's start file, through links; "" when there is none. Raises OSError, ValueError when too long."""
    try:
        with open(path, "rb") as handle:
            data = handle.read(MAX_START_FILE + 1)
    except FileNotFoundError:
        return ""
    if len(data) > MAX_START_FILE:
        raise ValueError(f"longer than {MAX_START_FILE // 1048576} MiB")
    return decode(data)


def bring_about(path: str, before: dict | None, after: dict | None) -> None:
    """Replace the state `before` by `after`. Raises OSError; then nothing has changed."""
    if "block" in (before or {}) or "block" in (after or {}):
        _change_block(path, before, after)
    elif after is None:
        (os.rmdir if "folder" in before else os.unlink)(path)
    elif "folder" in after:
        os.mkdir(path)
        if "mode" in after:
            os.chmod(path, after["mode"])
    elif "link" in after:
        _replace(path, lambda temporary: os.symlink(after["link"], temporary))
    else:
        _replace(path, lambda temporary: _write(temporary, encode(after["file"]), after["mode"]))


def decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _change_block(path: str, before: dict | None, after: dict | None) -> None:
    # Through links: a start file is often a link into a repository of the user's.
    real = os.path.realpath(path)
    text = start_file(real)
    if before:
        text = text.replace(before["block"], "", 1)
    if after:
        text += after["block"]
    if not text and (before or {}).get("created"):
        os.unlink(real)
        return
    try:
        st = os.stat(real)
    except FileNotFoundError:
        st = None

    def write(temporary):
        _write(temporary, encode(text), stat.S_IMODE(st.st_mode) if st else 0o666 & ~_umask(), exactly=st is not None)
        if st and (st.st_uid, st.st_gid) != (os.geteuid(), os.getegid()):
            os.chown(temporary, st.st_uid, st.st_gid)

    _replace(real, write)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _write(path: str, data: bytes, mode: int, exactly: bool = False) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(fd, "wb") as handle:
        handle.write(data)
        if exactly:
            os.fchmod(handle.fileno(), mode)
        handle.flush()
        os.fsync(handle.fileno())


def temporary_of(path: str, process: int) -> str:
    """The file beside a path that becomes it, while a process with that number is at work."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:100]}.adlc-{process}")


def _replace(path: str, make) -> None:
    temporary = temporary_of(path, os.getpid())
    try:
        make(temporary)
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise


def nearest_folder(path: str) -> str:
    """The path itself or the nearest directory above it that exists."""
    return next(up for up in files.upwards(path) if os.path.isdir(up))
