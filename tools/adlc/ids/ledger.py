"""What this user's machine allocated and reserved, one line each.

It tells an own reservation from a foreign one, and an id that was handed out and never written.
"""

import os
import time

from adlc import files
from adlc.ids import state

_NAME = "ledger"
_FIELDS = 6


class Entry:
    """kind; number; oid: the reservation's object or ""; remote: its URL or ""; root: the main
    checkout it was taken for; taken: UTC, ISO 8601.
    """

    __slots__ = ("kind", "number", "oid", "remote", "root", "taken")

    def __init__(self, kind: str, number: int, oid: str, remote: str, root: str, taken: str):
        self.kind, self.number, self.oid, self.remote, self.root, self.taken = kind, number, oid, remote, root, taken


def add(kind: str, number: int, root: str, oid: str = "", remote: str = "") -> None:
    """Append one entry; one of a reservation is on the disk when this returns. Raises OSError."""
    taken = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    fields = [kind, str(number), oid or "-", _plain(remote) or "-", taken, _plain(root)]
    line = ("\t".join(fields) + "\n").encode("utf-8", "surrogateescape")
    fd = os.open(_path(), os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        files.append_line(fd, line)
        if oid:
            os.fsync(fd)
    finally:
        os.close(fd)


def entries() -> list[Entry]:
    """Every entry that can be read, oldest first; [] when there is no ledger."""
    try:
        with open(_path(), encoding="utf-8", errors="surrogateescape", newline="\n") as handle:
            lines = handle.read().split("\n")
    except OSError:
        return []
    found = []
    for line in lines:
        fields = line.split("\t")
        if len(fields) == _FIELDS and fields[1].isascii() and fields[1].isdigit():
            kind, number, oid, remote, taken, root = fields
            found.append(Entry(kind, int(number), "" if oid == "-" else oid, "" if remote == "-" else remote, root, taken))
    return found


def owned(kind: str, number: int) -> set[str]:
    """The objects of this machine's own reservations of a number."""
    return {e.oid for e in entries() if (e.kind, e.number) == (kind, number) and e.oid}


def _path() -> str:
    return os.path.join(state.private(), _NAME)


def _plain(text: str) -> str:
    return " ".join(text.split())
