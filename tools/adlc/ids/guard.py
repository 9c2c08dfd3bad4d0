"""A kernel lock on a file: it queues, and it ends with its process."""

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

    def wait(self, seconds: float) -> bool:
        """Queue for at most so long; False when that was too short.

        True with `held` unset means that there are no kernel locks here.
        """
        try:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            return True
        try:
            self.held = self._try() or (seconds > 0 and self._queue(seconds))
        except OSError:
            return True
        if not self.held:
            self.release()
        return self.held

    def release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self.held = -1, False

    def _try(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False

    def _queue(self, seconds: float) -> bool:
        armed = True

        def ring(*_):
            nonlocal armed
            if armed:
                armed = False
                raise _TimeUp

        try:
            before = signal.signal(signal.SIGALRM, ring)
        except ValueError:  # not the main thread
            return self._poll(seconds)
        try:
            # It repeats: a signal that arrives just before the system call does not interrupt it.
            signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
            fcntl.flock(self._fd, fcntl.LOCK_EX)
            armed = False
            return True
        except _TimeUp:
            return self._try()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before or signal.SIG_DFL)

    def _poll(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not self._try():
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        return True
