"""Handing out the next number of a kind."""

import os
import time

from adlc.errors import AdlcError
from adlc.ids import counter, highwater, ledger, reserve, state
from adlc.ids.kinds import MAX_NUMBER, Kind
from adlc.ids.lock import Lock

# A race for one number has one winner, so each loss means that somebody got on; past these many
# something else is wrong.
MAX_LOSSES = 40


class Allocation:
    """number; high: the HighWater it follows from; reserved: None when that was not asked for.

    warnings: a sentence each, for stderr.
    """

    __slots__ = ("number", "high", "reserved", "warnings")

    def __init__(self, number: int, high, reserved: bool | None, warnings: list[str]):
        self.number, self.high, self.reserved, self.warnings = number, high, reserved, warnings


def allocate(place, kind: Kind, reserving: bool = False) -> Allocation:
    """The next free number; nobody else who goes through the same counter (or, reserving, through
    the same remote) gets it. Raises AdlcError.

    All that can be slow happens before the lock is taken; inside, the counter and the checkouts
    are read again.
    """
    high = highwater.gather(place, kind, counter.read(kind.name))
    desk, warnings = _desk(place, high, kind) if reserving else (None, [])
    at_least = high.number + 1
    for losses in range(MAX_LOSSES + 1):
        number, took_over = _take(kind, high, at_least, place.own.top)
        warnings += took_over
        if desk is None:
            return Allocation(number, high, False if reserving else None, warnings)
        outcome, reason, reserved = desk.take(number)
        if outcome == reserve.WON:
            return Allocation(number, high, True, warnings)
        if outcome == reserve.UNRESERVED:
            warnings.append(f"{kind.id(number)} is not reserved at {desk.remote.name}: {reason}")
            return Allocation(number, high, False, warnings)
        # Losers that all step to the same next number meet again; a little luck parts them.
        at_least = max(at_least, reserved + 1 + int(_luck() * min(losses + 1, 4)))
        time.sleep(_luck() * 0.02 * min(losses, 10))
    raise AdlcError(
        "lock_timeout", f"lost the race for a reservation at {desk.remote.name} {MAX_LOSSES + 1} times",
        f"retry: adlc id next {kind.name}",
    )


def _take(kind: Kind, high, at_least: int, root: str) -> tuple[int, list[str]]:
    with Lock(state.lock_path(kind.name)) as lock:
        if lock.warnings:
            counter.sweep(kind.name)
        number = max(counter.read(kind.name) or 1, at_least, high.disk(kind) + 1)
        if number > MAX_NUMBER:
            raise AdlcError(
                "id_exhausted", f"the next number would be {number}, past {kind.id(MAX_NUMBER)}",
                f"see what holds the high number: adlc id high {kind.name}",
            )
        if not lock.held():
            # Only after a pause longer than any allocation: another one was let in meanwhile.
            raise AdlcError("lock_timeout", f"lost the lock {lock.path} while this process was stopped", f"retry: adlc id next {kind.name}")
        counter.write(kind.name, number + 1)
    warnings = list(lock.warnings)
    try:
        ledger.add(kind.name, number, root)
    except OSError as exc:
        warnings.append(f"{kind.id(number)} is not in the ledger: {exc.strerror}")
    return number, warnings


def _luck() -> float:
    return os.urandom(1)[0] / 256


def _desk(place, high, kind: Kind):
    found = next(found for found in high.surveys if found.repository is place.own)
    for remote in found.remotes:
        if remote.heads is not None:
            try:
                return reserve.Desk(found, remote, kind), []
            except OSError as exc:
                return None, [f"no reservation: {exc.filename}: {exc.strerror}"]
        return None, [f"no reservation: {remote.name}: {remote.error}"]
    return None, ["no reservation: the repository has no remote"]
