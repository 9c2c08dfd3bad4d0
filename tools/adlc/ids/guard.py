"""A kernel lock on a file: it ends with its process, and it is served in the order of arrival.

The kernel wakes all waiters of one lock and lets any of them in, so on a busy machine one of many can
go unserved for minutes. Each process therefore holds a lock on a ticket of its own and waits for the
ticket of the one before it; only then does it want the lock itself. When a waiter dies, the one behind
it moves up and meets the others at the lock: the order suffers, the exclusion does not.
"""

import fcntl
import os
import signal
import time

_NAME_BYTES = 256


class _TimeUp(Exception):
    pass


class Guard:
    """held tells whether this process has it. Not reentrant.

    path: the lock file; beside it, `path`.tail names the last ticket. ticket: a path for this
    process alone, in a directory that is only used for these.
    """

    def __init__(self, path: str, ticket: str):
        self.path, self.ticket, self.held = path, ticket, False
        self._fd = self._own = self._before = -1

    def wait(self, seconds: float) -> bool:
        """Queue for at most so long; False when that was too short. A second call keeps the place.

        True with `held` unset means that there are no kernel locks here.
        """
        end = time.monotonic() + seconds
        try:
            if self._own < 0:
                self._line_up(seconds)
            if self._before >= 0:
                if not _lock(self._before, fcntl.LOCK_SH, seconds):
                    return False
                self._before = _close(self._before)
            if self._fd < 0:
                self._fd = _open(self.path)
            self.held = _lock(self._fd, fcntl.LOCK_EX, end - time.monotonic())
        except OSError:
            return True
        if self.held:
            self._step_out()
        return self.held

    def release(self) -> None:
        self._step_out()
        self._fd, self.held = _close(self._fd), False

    def _line_up(self, seconds: float) -> None:
        self._own = _open(self.ticket)
        fcntl.flock(self._own, fcntl.LOCK_EX)
        tail = _open(self.path + ".tail")
        try:
            # Held for three system calls, unless its process is stopped just then: no order, in that case.
            if not _lock(tail, fcntl.LOCK_EX, seconds):
                return
            last = os.pread(tail, _NAME_BYTES, 0).decode("utf-8", "replace")
            os.ftruncate(tail, 0)
            os.pwrite(tail, os.path.basename(self.ticket).encode(), 0)
        finally:
            os.close(tail)
        if last and "/" not in last and "\0" not in last:
            try:
                self._before = os.open(os.path.join(os.path.dirname(self.ticket), last), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            except OSError:
                pass  # served already

    def _step_out(self) -> None:
        self._before = _close(self._before)
        if self._own >= 0:
            self._own = _close(self._own)
            try:
                os.unlink(self.ticket)
            except OSError:
                pass


def _close(fd: int) -> int:
    if fd >= 0:
        os.close(fd)
    return -1


def _open(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _lock(fd: int, how: int, seconds: float) -> bool:
    """Whether the lock was to be had in time. Raises OSError where there are no kernel locks."""
    return _try(fd, how) or (seconds > 0 and _queue(fd, how, seconds))


def _try(fd: int, how: int) -> bool:
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


def _queue(fd: int, how: int, seconds: float) -> bool:
    armed = True

    def ring(*_):
        nonlocal armed
        if armed:
            armed = False
            raise _TimeUp

    try:
        before = signal.signal(signal.SIGALRM, ring)
    except ValueError:  # not the main thread
        return _poll(fd, how, seconds)
    try:
        # It repeats: a signal that arrives just before the system call does not interrupt it.
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
        fcntl.flock(fd, how)
        armed = False
        return True
    except _TimeUp:
        return _try(fd, how)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)


def _poll(fd: int, how: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not _try(fd, how):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True
