"""The block in git's `info/exclude` that keeps rendered files out of `git status`.

It stands first: cutting it out again leaves the other bytes as they were, and a pattern of the user's,
coming later, wins over it.
"""

import os
import re
import stat

from adlc import files
from adlc.errors import AdlcError

FILE = "info/exclude"
BEGIN = b"# >>> adlc materialize: rewritten by adlc, edit outside of it\n"
END = b"# <<< adlc materialize\n"


def plan(common: str, paths: list[str]) -> tuple[str, bytes | None]:
    """-> ("unchanged", "updated" or "refused", the new content or None to leave it alone)."""
    path = os.path.join(common, FILE)
    for place in (os.path.dirname(path), path):
        if os.path.lexists(place) and (os.path.islink(place) or not os.path.isdir(place) and place != path):
            return "refused", None
    before = _read(path)
    after = _block(paths) + _without(before)
    return ("unchanged", None) if after == before else ("updated", after)


def write(common: str, content: bytes, made: list[str]) -> list[str]:
    """Write it, and note in `made` what was not there before; with nothing left in it, unmake that. Returns the new `made`."""
    path = os.path.join(common, FILE)
    folder = os.path.dirname(path)
    try:
        if not content and FILE in made:
            os.unlink(path)
            if "info" in made and not os.listdir(folder):
                os.rmdir(folder)
            return []
        if not os.path.lexists(folder):
            os.mkdir(folder)
            made = [*made, "info"]
        mode = 0o644
        if os.path.lexists(path):
            mode = stat.S_IMODE(os.stat(path).st_mode)
        else:
            made = [*made, FILE]
        files.atomic_write(path, content, mode)
        if BEGIN not in content:
            made = []
    except OSError as exc:
        raise AdlcError("write_failed", f"{path}: {(exc.strerror or 'I/O error').lower()}", "make it writable, then: adlc materialize") from None
    return made


def _block(paths: list[str]) -> bytes:
    lines = b"".join(b"/" + re.sub(rb"([\\*?\[])|( )(?=$)", rb"\\\1\2", os.fsencode(path)) + b"\n" for path in paths)
    return BEGIN + lines + END if paths else b""


def _without(content: bytes) -> bytes:
    start = content.find(BEGIN)
    end = content.find(END, start)
    if start < 0 or end < 0 or start and content[start - 1:start] != b"\n":
        return content
    return content[:start] + content[end + len(END):]


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except FileNotFoundError:
        return b""
    except OSError as exc:
        raise AdlcError("write_failed", f"{path}: {(exc.strerror or 'I/O error').lower()}", "make it readable, then: adlc materialize") from None
