"""The lock of one counter: a directory that holds the record of its owner.

Taking it is `mkdir LOCK` (which other tools of this kind respect) and then a rename of a prepared
directory over the empty one. Only the rename admits: it fails as long as LOCK has content, so two
processes can never both be inside, not even when one of them is stopped between the two steps.

Before that, a process queues for a kernel lock on a guard file and keeps it to the end. The kernel
wakes the next one at once, where polling would starve on a busy machine, and frees the guard when
its process dies. Holding it, one process at a time decides that a lock is abandoned, and the next one
sees a new, live owner. Where the file system has no kernel locks, the directory alone excludes, and
no lock is taken over.
"""

import errno
import os
import stat
import time

from adlc import files
from adlc.errors import AdlcError
from adlc.ids import owner as owners
from adlc.ids import state
from adlc.ids.guard import Guard

DEFAULT_TIMEOUT = 10.0
# A lock without an owner record was made by another tool, or by a process that was killed between
# the two steps. Nothing tells which, so it gets the time that those tools grant.
INCOMPLETE_SECONDS = 5.0
# What another host or container holds longer than any allocation can take.
FOREIGN_SECONDS = 300.0
# A waiter gives up when one owner keeps the lock, not because many others are served before it.
_PERIODS = 6
_RECORD = "owner"
_RECORD_BYTES = 4096
_GARBAGE_SECONDS = 3600.0


class Lock:
    """`with Lock(path) as lock:` holds it or raises; `lock.warnings` tells about a takeover.

    timeout: seconds to wait; None reads ADLC_LOCK_TIMEOUT (default 10). While the lock passes from
    owner to owner, a waiter that is not served yet waits up to six times as long. Raises AdlcError
    lock_timeout, lock_refused or write_failed, and then nothing has been changed.
    """

    def __init__(self, path: str, timeout: float | None = None):
        self.path = path
        self.timeout = _timeout() if timeout is None else timeout
        self.warnings: list[str] = []
        self.me = owners.this_process()
        self._prepared = ""
        self._judged: str | None = None
        self._watched = (0, 0, 0.0)

    def __enter__(self):
        self._deadline = time.monotonic() + self.timeout
        folder = state.ensure(os.path.join(state.private(), "tmp"))
        self._prepared = os.path.join(folder, f"{self.me.pid}-{self.me.token}")
        self._guard = Guard(os.path.join(state.private(), os.path.basename(self.path) + ".guard"), self._prepared + ".ticket")
        try:
            self._prepare()
            self._queue()
            self._wait()
        except BaseException:
            self._forget()
            raise
        return self

    def __exit__(self, *_):
        # One rename takes the lock away whole: a process killed here leaves none, or a complete one.
        if self.held():
            try:
                os.rename(self.path, self._prepared)
            except OSError:
                pass
        self._forget()

    def _queue(self) -> None:
        for _ in range(_PERIODS):
            seen = self._identity()
            if self._guard.wait(self.timeout):
                return
            if seen is not None and self._identity() == seen:
                break
        raise self._timed_out()

    def _identity(self) -> tuple | None:
        """Tells one taking of the lock from the next; None while it is passed on."""
        try:
            st = os.lstat(self.path)
        except OSError:
            return None
        return st.st_ino, st.st_mtime_ns

    def _wait(self) -> None:
        pause = 0.001
        while not self._claim():
            self._take_over()
            left = self._deadline - time.monotonic()
            if left <= 0:
                if self._claim():
                    return
                raise self._timed_out()
            # Without the random part, waiters that collide once collide every time.
            time.sleep(min(left, pause * (0.5 + os.urandom(1)[0] / 256)))
            pause = min(pause * 1.6, 0.05)

    def held(self) -> bool:
        """Whether the lock on disk is still this one."""
        try:
            current = owners.read(_record(self.path))
        except OSError:
            return False
        return current is not None and current.token == self.me.token

    def _prepare(self) -> None:
        folder = os.path.dirname(self._prepared)
        try:
            os.mkdir(self._prepared, 0o700)
            with open(os.path.join(self._prepared, _RECORD), "xb") as handle:
                handle.write(self.me.record())
        except OSError as exc:
            self._forget()
            raise AdlcError("write_failed", f"cannot write to {folder}: {exc.strerror}", "make room and make it yours") from None
        _sweep(folder)

    def _claim(self) -> bool:
        try:
            os.mkdir(self.path, 0o700)
        except FileExistsError:
            return False
        except OSError as exc:
            raise AdlcError("write_failed", f"cannot create {self.path}: {exc.strerror}", f"make {os.path.dirname(self.path)} writable") from None
        try:
            os.rename(self._prepared, self.path)
        except OSError as exc:
            if exc.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
                # Taken for an abandoned one while this process was stopped.
                return False
            try:
                os.rmdir(self.path)
            except OSError:
                pass
            raise AdlcError("write_failed", f"cannot take {self.path}: {exc.strerror}", "retry") from None
        return True

    def _take_over(self) -> None:
        """Remove the lock when its owner is certainly gone."""
        reason = self._abandoned()
        if reason and self._guard.held and self._remove_judged():
            self.warnings.append(f"took over {self.path}: {reason}")

    def _remove_judged(self) -> bool:
        """Remove the lock that was judged abandoned, and no other that took its place meanwhile."""
        if self._judged is None:
            try:
                os.rmdir(self.path)
                return True
            except OSError as exc:
                if exc.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    return False
        grave = f"{self._prepared}.old"
        try:
            os.rename(self.path, grave)
        except OSError:
            return False
        try:
            buried = owners.read(_record(grave))
        except OSError:
            buried = None
        if buried is not None and buried.token != self._judged:
            try:
                os.rename(grave, self.path)
            except OSError:
                pass
            return False
        _remove(grave)
        return True

    def _abandoned(self) -> str:
        """Why nobody holds the lock any more; "" when somebody does or may. Raises lock_refused."""
        try:
            st = os.lstat(self.path)
        except FileNotFoundError:
            return ""
        except OSError as exc:
            raise self._refused(_unreadable(exc)) from None
        if not stat.S_ISDIR(st.st_mode):
            raise self._refused("is a symbolic link" if stat.S_ISLNK(st.st_mode) else "is not a directory")
        try:
            record = _record(self.path)
        except FileNotFoundError:
            record = b""
        except OSError as exc:
            raise self._refused("has a symbolic link inside" if exc.errno == errno.ELOOP else _unreadable(exc)) from None
        owner = owners.read(record)
        self._judged = owner.token if owner else None
        age = self._age(st)
        if owner is None:
            return f"it names no owner and is {age:.0f} s old" if age >= INCOMPLETE_SECONDS else ""
        condition = owners.state(owner, self.me)
        if condition == owners.DEAD:
            return f"its owner, {owner}, is gone"
        if condition == owners.ELSEWHERE and age >= FOREIGN_SECONDS:
            return f"its owner, {owner}, cannot be seen from here and has held it for {age:.0f} s"
        return ""

    def _age(self, st: os.stat_result) -> float:
        """Seconds since the lock was made, by the clock that stamped it (a file server's can differ
        from this machine's), or since this waiter first saw it: a stamp may lie in the future."""
        try:
            os.utime(self._prepared)
            now = os.lstat(self._prepared).st_mtime
        except OSError:
            now = time.time()
        if self._watched[:2] != (st.st_ino, st.st_mtime_ns):
            self._watched = (st.st_ino, st.st_mtime_ns, time.monotonic())
        return max(now - st.st_mtime, time.monotonic() - self._watched[2])

    def _timed_out(self) -> AdlcError:
        try:
            owner = owners.read(_record(self.path))
            who = f"held by {owner}" if owner else "which names no owner"
        except OSError:
            who = "which names no owner" if os.path.lexists(self.path) else "which others queue for"
        return AdlcError(
            "lock_timeout", f"no lock within {self.timeout:g} s: {self.path}, {who}",
            f"retry; if that process is no longer at work: rm -r '{self.path}'",
        )

    def _refused(self, why: str) -> AdlcError:
        return AdlcError("lock_refused", f"the lock {self.path} {why}; not touched", f"look at it, then: rm -r '{self.path}'")

    def _forget(self) -> None:
        self._guard.release()
        if self._prepared:
            _remove(self._prepared)


def look(path: str) -> tuple[str, str, float]:
    """-> (free | held | abandoned | refused, who holds it or why not, its age in seconds). Changes nothing."""
    lock = Lock(path, 0)
    try:
        reason = lock._abandoned()
        age = max(0.0, time.time() - os.lstat(path).st_mtime)
    except FileNotFoundError:
        return "free", "", 0.0
    except AdlcError as exc:
        return "refused", exc.message, 0.0
    if reason:
        return "abandoned", reason, age
    try:
        owner = owners.read(_record(path))
    except OSError:
        owner = None
    return "held", str(owner) if owner else "nobody that it names", age


def _unreadable(exc: OSError) -> str:
    return f"cannot be read: {(exc.strerror or 'failed').lower()}"


def _timeout() -> float:
    text = os.environ.get("ADLC_LOCK_TIMEOUT", "")
    if not text:
        return DEFAULT_TIMEOUT
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise AdlcError("usage", f"ADLC_LOCK_TIMEOUT={text[:40]}: not a number of seconds from 0 to 3600", "for example ADLC_LOCK_TIMEOUT=10")
    return value


def _record(path: str) -> bytes:
    fd = files.opened(os.path.join(path, _RECORD))
    try:
        return os.read(fd, _RECORD_BYTES)
    finally:
        os.close(fd)


def _remove(folder: str) -> None:
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            os.unlink(folder)
            return
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
    except OSError:
        pass


def _sweep(folder: str) -> None:
    """Remove what killed processes prepared and never used."""
    try:
        names = os.listdir(folder)
        if len(names) < 16:
            return
        for name in names:
            path = os.path.join(folder, name)
            if time.time() - os.lstat(path).st_mtime > _GARBAGE_SECONDS:
                _remove(path)
    except OSError:
        pass
