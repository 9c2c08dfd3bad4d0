"""Running other programs: bounded in time, and ended together with everything that they started.

Each gets a process group of its own. A helper of theirs (ssh, git-remote-https) outlives its parent and keeps the
pipes open, so it is always the group that is killed.
"""

import contextlib
import os
import signal
import subprocess
import threading

PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL
# What a program that was asked to end gets to put its things in order.
PARTING_SECONDS = 10.0


class TimedOut(Exception):
    """The program did not end in time, and was killed."""


def start(command: list[str], **options) -> subprocess.Popen:
    """Start a program, without standard input unless the options say otherwise. options: those of Popen. Raises OSError."""
    return subprocess.Popen(command, **{"stdin": DEVNULL, "start_new_session": True} | options)


def run(
    command: list[str], seconds: float, *, stdin: bytes | None = None, ending: signal.Signals = signal.SIGKILL, **options,
) -> tuple[int, bytes, bytes]:
    """-> (exit code, negative for a signal; standard output; standard error, which is thrown away unless options ask for it).

    ending: how it is asked to end when its time is up, or when this process is interrupted; one that does not is killed.
    Raises OSError when it cannot be started, TimedOut.
    """
    streams = {"stdin": DEVNULL if stdin is None else PIPE, "stdout": PIPE, "stderr": DEVNULL}
    process = start(command, **streams | options)
    try:
        out, err = process.communicate(stdin, timeout=seconds)
    except BaseException as stop:
        _end(process, ending)
        if isinstance(stop, subprocess.TimeoutExpired):
            raise TimedOut from None
        raise
    return process.returncode, out or b"", err or b""


@contextlib.contextmanager
def limited(process: subprocess.Popen, seconds: float):
    """Bound the reading of a started program's output: it is killed after `seconds`, and has ended when this is left.

    Gives an Event, which is set once the time was up.
    """
    late = threading.Event()

    def stop():
        late.set()
        kill(process)

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        if process.poll() is None:
            kill(process)
            process.wait()
        process.stdout.close()


def kill(process: subprocess.Popen, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to a started program and all its descendants; one that is over is no error."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def absolute_path() -> str:
    """PATH without the entries that depend on the working directory: nothing that lies there is run."""
    return os.pathsep.join(entry for entry in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(entry))


def _end(process: subprocess.Popen, ending: signal.Signals) -> None:
    for number in dict.fromkeys((ending, signal.SIGKILL)):
        kill(process, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=PARTING_SECONDS)
            return
