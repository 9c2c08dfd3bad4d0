"""Carries out a plan wholly or not at all, also when it is killed half-way.

All steps are written into a journal before the first one is taken. A step that fails undoes those before
it. A journal that is still there belongs to a run that was killed: the next run undoes what it had done.
"""

import contextlib
import json
import os

from adlc import files
from adlc.errors import AdlcError
from adlc.installation import states

FILE = ".adlc-installing.json"
# Another run may be making its environment.
LOCK_SECONDS = 900


class Step:
    """Make `after` of `before` at a path. says: what that is, for people."""

    __slots__ = ("path", "before", "after", "says")

    def __init__(self, path: str, before: dict | None, after: dict | None, says: str):
        self.path, self.before, self.after, self.says = path, before, after, says


def take(steps: list[Step], claude: str) -> None:
    """Take all steps. Raises AdlcError write_failed, or the interruption; then everything is as it was."""
    if not steps:
        return
    journal = os.path.join(states.nearest_folder(os.path.dirname(claude)), FILE)
    value = {"process": os.getpid(), "steps": [[step.path, step.before, step.after] for step in steps]}
    taken, step = [], None
    try:
        states.bring_about(journal, None, {"file": json.dumps(value), "mode": 0o600})
        for step in steps:
            if "folder" in (step.after or {}) and os.path.isdir(step.path):
                continue  # made in the meantime, on the way to an environment
            if not states.is_at(step.path, step.before) and not (step.before is None and "block" in step.after):
                raise OSError(0, "it changed while this ran", step.path)
            taken.append(step)
            try:
                states.bring_about(step.path, step.before, step.after)
            except OSError:
                # A directory that somebody else put something into stays with them.
                if not (step.after is None and "folder" in step.before and os.path.isdir(step.path) and os.listdir(step.path)):
                    raise
    except BaseException as exc:
        _undo([(step.path, step.before, step.after) for step in taken])
        _forget(journal)
        if isinstance(exc, OSError):
            where = step.path if step else journal
            raise AdlcError("write_failed", f"{where}: {(exc.strerror or 'I/O error').lower()}; everything is as it was", "put that right, then run install.sh again") from None
        raise
    _forget(journal)


def interrupted(claude: str) -> list[tuple] | None:
    """What a killed run had in hand: (path, before, after) of each step. None when there was none."""
    found = _journal(claude)
    return None if found is None else found[1]


def recover(claude: str) -> None:
    """Undo what a killed run had done."""
    found = _journal(claude)
    if found:
        path, steps, process = found
        for step in steps:
            with contextlib.suppress(OSError):
                os.unlink(states.temporary_of(os.path.realpath(step[0]) if "block" in (step[1] or step[2] or {}) else step[0], process))
        _undo(steps)
        _forget(path)


@contextlib.contextmanager
def alone(home: str, waiting=None):
    """Hold off other runs for the same home; a lock on a directory leaves nothing behind. waiting: as in files.exclusive.

    Raises AdlcError environment_missing, lock_timeout.
    """
    try:
        fd = os.open(home, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as exc:
        raise AdlcError("environment_missing", f"{home}: {(exc.strerror or 'I/O error').lower()}", "set HOME to a directory of yours") from None
    try:
        try:
            mine = files.exclusive(fd, LOCK_SECONDS, waiting)
        except OSError:
            mine = True  # a file system without locks
        if not mine:
            raise AdlcError("lock_timeout", "another install.sh is at work", "end it, then run install.sh again")
        yield
    finally:
        os.close(fd)


def _undo(steps: list[tuple]) -> None:
    for path, before, after in reversed(steps):
        try:
            if states.is_at(path, after) and not (before is None and after is None):
                states.bring_about(path, after, before)
        except OSError:
            pass  # what can be put back is put back


def _journal(claude: str) -> tuple[str, list[tuple], int] | None:
    for folder in files.upwards(os.path.dirname(claude)):
        path = os.path.join(folder, FILE)
        try:
            fd = files.opened(path)
            with os.fdopen(fd, "rb") as handle:
                # One of another user is not a journal but a trap.
                if os.fstat(fd).st_uid == os.geteuid():
                    value = json.loads(handle.read(states.MAX_START_FILE))
                    return path, [(at, before, after) for at, before, after in value["steps"]], int(value["process"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
    return None


def _forget(journal: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(journal)
