"""The only place that prints: one JSON document or text on stdout, talk on stderr."""

import json
import os
import sys

from adlc.errors import AdlcError

# Marks that turn the direction of the text after them: a title could make a line read as another one.
_DIRECTION = (0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROL = {c: " " for c in (*range(32), *range(127, 160), 0x2028, 0x2029)} | dict.fromkeys(_DIRECTION)
# JSON escapes the first 32 by itself; the others can occur within its strings only.
_ESCAPED = {c: f"\\u{c:04x}" for c in _CONTROL if c >= 127}

# Whether stdout is a pipe that nobody reads any more: what is printed is then dropped.
reader_left = False


def document(name: str, body: dict) -> None:
    """Print one JSON document whose schema is `adlc.<name>/1`. It cannot steer a terminal either."""
    value = json.dumps({"schema": f"adlc.{name}/1", **body}, ensure_ascii=False, separators=(",", ":"))
    _write(value.translate(_ESCAPED) + "\n")


def size(body: dict) -> int:
    """Bytes of `body` as one JSON document, without its schema."""
    return len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))


def text(lines: list[str]) -> None:
    """Print lines for people."""
    if lines:
        _write("\n".join(lines) + "\n")


def talk(line: str) -> None:
    """One line on stderr; never fails the command."""
    try:
        sys.stderr.buffer.write((line + "\n").encode("utf-8", "replace"))
        sys.stderr.buffer.flush()
    except OSError:
        # What is still buffered would fail once more when the interpreter ends, and change the exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.stderr = None
    except (ValueError, AttributeError):
        pass


def absent(asked, others: int, unusable: int) -> str:
    """Why there is nothing to answer from. asked: the corpora that were to be looked at. others: documents that are no part of
    them. unusable: files of them that could not be used."""
    if unusable:
        return "no document here can be used"
    if others:
        return f"no {' or '.join(asked)} here; {others} other document{'s'[:others != 1]}: adlc list"
    return "no documents here yet"


class Progress:
    """A bar on stderr that a person watches; silent when stderr is no terminal. Call `end` before anything else is said."""

    WIDTH = 30

    def __init__(self, what: str):
        self._what, self._shown = what, ""
        self._on = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, done: int, total: int) -> None:
        if not self._on or not total:
            return
        full = self.WIDTH * done // total
        line = f"{self._what} [{'#' * full}{'.' * (self.WIDTH - full)}] {done}/{total}"
        if line != self._shown:
            self._shown = line
            self._say(f"\r{line}\033[K")

    def end(self) -> None:
        if self._shown:
            self._shown = ""
            self._say("\r\033[K")

    @staticmethod
    def _say(text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):
            pass


def failure(name: str, error, as_json: bool) -> None:
    """Report an AdlcError: as the document's `error` object, or as one line on stderr."""
    if as_json:
        document(name, {"error": error.as_json()})
    else:
        talk(f"adlc: {single_line(error.message)}" + (f" — {single_line(error.fix)}" if error.fix else ""))


def single_line(value: str, limit: int = 400) -> str:
    """`value` on one line without control characters, cut to `limit` characters."""
    value = " ".join(value.translate(_CONTROL).split())
    return value if len(value) <= limit else value[: limit - 1].rstrip() + "…"


def plain_lines(value: str) -> list[str]:
    """`value` line by line without control characters: a document cannot steer the terminal it is shown on."""
    return [line.translate(_CONTROL).rstrip() for line in value.strip("\n").split("\n")]


def colour() -> bool:
    """Whether text may carry colour: a terminal, and NO_COLOR is not set."""
    return "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb" and sys.stdout is not None and sys.stdout.isatty()


def bold(value: str) -> str:
    return f"\033[1m{value}\033[0m" if colour() else value


def _write(value: str) -> None:
    global reader_left
    if reader_left:
        return
    try:
        sys.stdout.buffer.write(value.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The reader has what it wanted, as `head` does. What was found keeps its exit code.
        reader_left = True
        _give_up_stdout()
    except OSError as exc:
        _give_up_stdout()
        raise AdlcError("write_failed", f"the answer cannot be written: {(exc.strerror or 'I/O error').lower()}") from None
    except AttributeError:
        raise AdlcError("write_failed", "the answer cannot be written: standard output is closed") from None


def _give_up_stdout() -> None:
    # What is still buffered would fail once more when the interpreter ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdout = None
