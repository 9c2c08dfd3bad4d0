"""What a session has been told already: one empty file a remark, in a directory of the session's own.

The file is made exclusively, so that of two hooks at once only one speaks; where it cannot be made,
nobody does. A session that no hook was called for in a day is forgotten.
"""

import os
import re
import stat
import time

from adlc.places import make_private, state_dir

ABANDONED_SECONDS = 24 * 3600
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}", re.A)


def said(session: str, remark: str) -> bool:
    """Whether the session was told; keeps the session from being forgotten."""
    folder = _folder(session)
    try:
        os.utime(folder)
    except OSError:
        return False
    return os.path.lexists(os.path.join(folder, _name(remark)))


def claim(session: str, remark: str) -> bool:
    """True for the first caller only. Raises OSError where that cannot be remembered."""
    base = make_private(_base())
    held = os.lstat(base)
    if not stat.S_ISDIR(held.st_mode) or held.st_uid != os.geteuid() or held.st_mode & 0o077:
        raise PermissionError(f"{base} is not this user's own")
    folder = _folder(session)
    if not os.path.isdir(folder):
        _reap(base)
        make_private(folder)
    try:
        os.close(os.open(os.path.join(folder, _name(remark)), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


def _base() -> str:
    return os.path.join(state_dir(), "hooks")


def _folder(session: str) -> str:
    return os.path.join(_base(), _name(session))


def _name(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    import zlib

    data = text.encode("utf-8", "surrogatepass")
    return f"_{zlib.crc32(data):08x}{zlib.adler32(data):08x}{len(data):x}"


def _reap(base: str) -> None:
    oldest = time.time() - ABANDONED_SECONDS
    for entry in list(os.scandir(base)):
        try:
            if entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                for mark in list(os.scandir(entry.path)):
                    os.unlink(mark.path)
                os.rmdir(entry.path)
        except OSError:
            pass
