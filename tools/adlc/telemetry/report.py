"""What the log of events says: how often each skill delegated, fell back or skipped the call."""

import json
import os
import re
import time

from adlc import files
from adlc.errors import AdlcError
from adlc.telemetry import record

DEFAULT_WINDOW = "7d"
COLUMNS = ("delegated", "fallback", "ghost-skip", "other")
_WINDOW = re.compile(r"([0-9]{1,5})([hdw])", re.A)
_decode = json.JSONDecoder().raw_decode
_HOURS = {"h": 1, "d": 24, "w": 168}


class Row:
    """One skill: how many events of each mode, and the milliseconds of the delegated ones that have them."""

    __slots__ = ("skill", "counts", "durations")

    def __init__(self, skill: str):
        self.skill, self.counts, self.durations = skill, dict.fromkeys(COLUMNS, 0), []

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def median_ms(self) -> int | None:
        values = sorted(self.durations)
        return values[(len(values) - 1) // 2] if values else None


class Report:
    """rows: by first appearance. malformed: lines that are no event. reasons: reason -> events not delegated."""

    def __init__(self):
        self.rows: list[Row] = []
        self.malformed = 0
        self.reasons: dict[str, int] = {}

    def total(self) -> Row:
        total = Row("TOTAL")
        for row in self.rows:
            for name in COLUMNS:
                total.counts[name] += row.counts[name]
            total.durations += row.durations
        return total


def window_seconds(text: str) -> int:
    """`7d`, `12h`, `2w` -> seconds. Raises AdlcError usage."""
    match = _WINDOW.fullmatch(text)
    if not match or not int(match[1]):
        from adlc.output import single_line

        raise AdlcError("usage", f"--window '{single_line(text, 40)}': not a span of time", "hours, days or weeks: --window 12h, 7d, 2w")
    return int(match[1]) * _HOURS[match[2]] * 3600


def report(path: str, seconds: int) -> Report:
    """Count the events of the last `seconds` in the log and its rotated predecessor."""
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - seconds))
    answer, rows = Report(), {}
    for item in events(path):
        if item is None:
            answer.malformed += 1
            continue
        if item["timestamp"] < since:
            continue
        row = rows.get(item["skill"])
        if row is None:
            row = rows[item["skill"]] = Row(item["skill"])
            answer.rows.append(row)
        mode = item["mode"]
        row.counts[mode if mode in record.MODES else "other"] += 1
        if mode == "delegated":
            duration = _duration(item.get("duration_ms"))
            if duration is not None:
                row.durations.append(duration)
        else:
            reason = str(item.get("reason", ""))
            answer.reasons[reason] = answer.reasons.get(reason, 0) + 1
    return answer


def events(path: str):
    """Every line of `<path>.1` and then `path`, oldest first: the event, or None for a line that is none.

    Older logs, whose values are all strings, read the same.
    """
    for name in (path + ".1", path):
        for line in _lines(name):
            yield _event(line)


def prune(path: str, seconds: int | None) -> tuple[int, int]:
    """Drop events older than `seconds` (None: all, with the rotated log) -> (kept, dropped). Lines that are no event go too.

    Raises AdlcError write_failed.
    """
    since = None if seconds is None else time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - seconds))
    kept = dropped = 0
    try:
        for name in (path + ".1", path):
            lines = []
            # New events must not fall between reading and replacing.
            with record.locked(name) as present:
                if not present:
                    continue
                for line in _lines(name):
                    item = _event(line)
                    if since is not None and item is not None and item["timestamp"] >= since:
                        lines.append(line)
                    else:
                        dropped += 1
                kept += len(lines)
                record.replace(name, b"".join(lines))
    except OSError as exc:
        raise AdlcError("write_failed", f"cannot prune the log: {exc.strerror or exc}") from None
    return kept, dropped


def _lines(path: str):
    try:
        fd = files.opened(path)
    except OSError:
        return
    with os.fdopen(fd, "rb") as handle:
        for line in handle:
            if line.strip():
                yield line


def _event(line: bytes) -> dict | None:
    # json.loads guesses the encoding of bytes, which doubles the time of a large log.
    text = line.decode("utf-8", "replace").strip()
    try:
        item, end = _decode(text)
    except (ValueError, RecursionError):
        return None
    if end == len(text) and isinstance(item, dict) and all(type(item.get(key)) is str for key in ("timestamp", "skill", "mode")):
        return item
    return None


def _duration(value) -> int | None:
    if type(value) is int:
        return value
    return int(value) if type(value) is str and value.isascii() and value.isdigit() and len(value) < 16 else None
