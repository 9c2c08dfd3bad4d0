"""Who holds a lock, and whether that process still runs.

A process is known by pid, the namespace its pid counts in, the boot it runs under and its start
time: pids are reused, and containers that share a home directory count from 1 each.
"""

import os
import sys

ALIVE, DEAD, ELSEWHERE = "alive", "dead", "elsewhere"
_FIELDS = ("pid", "namespace", "host", "machine", "boot", "start", "token")


class Owner:
    """One process. Every field is text; start is in clock ticks on Linux, a date on macOS."""

    __slots__ = _FIELDS

    def __init__(self, *values: str):
        for field, value in zip(_FIELDS, values, strict=True):
            setattr(self, field, value)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"

    def record(self) -> bytes:
        return "".join(f"{field}={getattr(self, field)}\n" for field in _FIELDS).encode("utf-8", "replace") + b"end\n"


def read(record: bytes) -> Owner | None:
    """The owner in a record, or None when the record is not whole."""
    lines = record.decode("utf-8", "replace").split("\n")
    if lines[len(_FIELDS):] != ["end", ""]:
        return None
    values = []
    for field, line in zip(_FIELDS, lines):
        key, _, value = line.partition("=")
        if key != field:
            return None
        values.append(value)
    owner = Owner(*values)
    usable = owner.pid.isascii() and owner.pid.isdigit() and 0 < len(owner.pid) < 10 and int(owner.pid) > 0
    return owner if usable and owner.token else None


def this_process() -> Owner:
    pid = str(os.getpid())
    return Owner(pid, _namespace(), os.uname().nodename, _machine(), _boot(), _start(pid) or "", os.urandom(12).hex())


def state(owner: Owner, me: Owner) -> str:
    """ALIVE, DEAD, or ELSEWHERE when this process cannot tell.

    An earlier boot of this machine is over. A host name alone does not prove the machine: with a
    home directory on the network two of them can have one name.
    """
    if not owner.boot or not me.boot:
        return ELSEWHERE
    if owner.boot != me.boot:
        return DEAD if owner.machine and (owner.host, owner.machine) == (me.host, me.machine) else ELSEWHERE
    if not owner.namespace or owner.namespace != me.namespace:
        return ELSEWHERE
    try:
        os.kill(int(owner.pid), 0)
    except ProcessLookupError:
        return DEAD
    except OSError:
        pass
    start = _start(owner.pid)
    if start is None:
        return ALIVE
    return ALIVE if start and (not owner.start or start == owner.start) else DEAD


def _namespace() -> str:
    if not sys.platform.startswith("linux"):
        return sys.platform
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _machine() -> str:
    """What tells this installation from others; "" where only a slow command would."""
    try:
        with open("/etc/machine-id", encoding="ascii") as handle:
            return handle.read(64).strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _boot() -> str:
    if sys.platform.startswith("linux"):
        try:
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as handle:
                return handle.read().strip()
        except OSError:
            return ""
    return _ask("sysctl", "-n", "kern.bootsessionuuid") or _ask("sysctl", "-n", "kern.boottime")


def _start(pid: str) -> str | None:
    """When the process started; "" when it is over (a zombie included), None when that cannot be seen."""
    if not sys.platform.startswith("linux"):
        answer = _ask("ps", "-o", "stat=,lstart=", "-p", pid)
        return (" ".join(answer.split()[1:]) if answer[:1] != "Z" else "") if answer else None
    try:
        with open(f"/proc/{pid}/stat", "rb") as handle:
            # The command name is in parentheses and may hold blanks and parentheses itself.
            fields = handle.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        # Gone meanwhile, or /proc hides other users' processes.
        return None
    except OSError:
        return None
    if len(fields) < 20:
        return None
    return "" if fields[0] in (b"Z", b"X", b"x") else fields[19].decode("ascii", "replace")


def _ask(*command: str) -> str:
    from adlc import programs

    try:
        _, answer, _ = programs.run(list(command), 2, env={**os.environ, "LC_ALL": "C", "TZ": "UTC"})
    except (OSError, programs.TimedOut):
        return ""
    return answer.decode("utf-8", "replace").strip()
