"""A kernel lock on a file: it queues, and it ends with its process.

The kernel wakes all waiters and lets any of them in, so on a busy machine one of many can go
unserved for minutes. A waiter that has waited long therefore shuts a gate behind the others: nobody
new joins them before it is served.
"""

import fcntl
import os
import signal
import time


class _TimeUp(Exception):
    pass


class Guard:
    """held tells whether this process has it. Not reentrant."""

    def __init__(self, path: str):
        self.path, self.held, self._fd = path, False, -1

    def wait(self, seconds: float, impatient: bool = False) -> bool:
        """Queue for at most so long; False when that was too short.

        True with `held` unset means that there are no kernel locks here.
        """
        end = time.monotonic() + seconds
        gate = -1
        try:
            gate = _open(self.path + ".gate")
            if not _lock(gate, fcntl.LOCK_EX if impatient else fcntl.LOCK_SH, seconds):
                return False
            if not impatient:
                fcntl.flock(gate, fcntl.LOCK_UN)
            self._fd = _open(self.path)
            self.held = _lock(self._fd, fcntl.LOCK_EX, end - time.monotonic())
        except OSError:
            return True
        finally:
            if gate >= 0:
                os.close(gate)
        if not self.held:
            self.release()
        return self.held

    def release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self.held = -1, False


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
