"""A source cut into numbered segments, and written so that no word of it can pass for a mark of ours."""

import os
import re
import stat

from adlc import files, output
from adlc.errors import AdlcError
from adlc.intake import kinds
from adlc.telemetry.redact import redact

# Fixed: a budget that can be moved is a source that can be cut short unnoticed.
SEGMENT_LINES, MAX_SEGMENTS = 200, 40
MAX_LINES = SEGMENT_LINES * MAX_SEGMENTS
# A line has no length of its own, so lines alone bound nothing: 256 bytes for each of them.
MAX_BYTES = MAX_LINES * 256
# What file tools show of one line before they cut it.
READING_WIDTH = 2000
_BLOCK = 1 << 20
# Fewer characters do not tell what a file is.
_JUDGED = 2000
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_FOREIGN = ((b"%PDF-", "a PDF"), (b"PK\x03\x04", "an office document or archive"))


class Segment:
    """id: S01…S40. start, end: its lines in the source, from 1; both 0 for an empty source. text: redacted, LF."""

    __slots__ = ("id", "start", "end", "text")

    def __init__(self, number: int, start: int, end: int, text: str = ""):
        self.id, self.start, self.end, self.text = f"S{number:02}", start, end, text


class Parts:
    """A source that fits the budget. name: of the file, without its folder. redacted: how many credentials were taken out."""

    __slots__ = ("name", "kind", "lines", "segments", "redacted")

    def __init__(self, name: str, kind: str, lines: int, segments: list[Segment], redacted: int):
        self.name, self.kind, self.lines, self.segments, self.redacted = name, kind, lines, segments, redacted


def split(path: str) -> Parts:
    """Raises AdlcError not_found for a source that cannot be read, over_budget for one that is too long."""
    name = shown_name(path)
    data, size, lines = _read(path, name)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
        lines = count_lines(text)
    else:
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if lines > MAX_LINES or size > MAX_BYTES:
        raise _over_budget(name, lines, size)
    # A stray byte is replaced; a file of hardly anything else would be handed on as nonsense.
    if len(text) >= _JUDGED and 4 * (text.count("\ufffd") + text.count("\0")) > len(text):
        raise _unreadable(name, "not text in UTF-8; export it as text")
    text, redacted = redact(text, keep_lines=True)
    rows = [_CONTROL.sub(" ", row.removesuffix("\r")) for row in text.split("\n")]
    segments = [
        Segment(number, start, end, "".join(f"{row}\n" for row in rows[max(start - 1, 0):end]))
        for number, (start, end) in enumerate(ranges(lines), 1)
    ]
    return Parts(name, kinds.kind(os.path.basename(path), text), lines, segments, redacted)


def count_lines(text: str) -> int:
    """Lines of the text; a last one without an end counts."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def ranges(total: int) -> list[tuple[int, int]]:
    """The first and last line of every segment of a source with `total` lines. An empty one is one empty segment."""
    return [(start, min(start + SEGMENT_LINES - 1, total)) for start in range(1, total + 1, SEGMENT_LINES)] or [(0, 0)]


def range_of(number: str, total: str) -> tuple[int, int]:
    """The lines of one segment. Both arguments are decimal, however padded. Raises AdlcError usage."""
    values = []
    for what, given, most in (("segment", number, MAX_SEGMENTS), ("number of lines", total, MAX_LINES)):
        digits = given.lstrip("0")
        if not (given.isascii() and given.isdigit() and digits and len(digits) <= 6 and int(digits) <= most):
            raise AdlcError("usage", f"'{output.single_line(given, 40)}' is no {what} from 1 to {most}", "adlc intake range 2 450")
        values.append(int(digits))
    found = ranges(values[1])
    if values[0] > len(found):
        raise AdlcError("usage", f"{values[1]} lines have no segment {values[0]}: the last one is {len(found)}", f"adlc intake range {len(found)} {values[1]}")
    return found[values[0] - 1]


def corpus(parts: Parts) -> str:
    """The one document that a delegate is given. `&`, `<`, `>` and quotes of the source are entities in it."""
    lines = [f'<source name="{_escaped(parts.name)}" kind="{parts.kind}" lines="{parts.lines}" segments="{len(parts.segments)}">']
    for segment in parts.segments:
        lines += (f'<segment id="{segment.id}" lines="{segment.start}-{segment.end}">', _escaped(segment.text) + "</segment>")
    return "\n".join([*lines, "</source>"]) + "\n"


def reading(segment: Segment) -> str:
    """The segment for reading with a file tool: lines that such tools would cut go on in the next one."""
    rows = segment.text.split("\n")
    return "\n".join(row[at:at + READING_WIDTH] for row in rows for at in range(0, max(len(row), 1), READING_WIDTH))


def _read(path: str, name: str) -> tuple[bytes, int, int]:
    """-> (the first MAX_BYTES bytes, bytes of all, lines of all)."""
    kept, size, ends, last = bytearray(), 0, 0, b""
    try:
        fd = files.opened(path, follow=True)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise files.Unreadable("not a regular file")
            while block := os.read(fd, _BLOCK):
                size, ends, last = size + len(block), ends + block.count(b"\n"), block[-1:]
                if len(kept) < MAX_BYTES:
                    kept += block[:MAX_BYTES - len(kept)]
        finally:
            os.close(fd)
        for start, what in _FOREIGN:
            if kept.startswith(start):
                raise files.Unreadable(f"{what}; export it as text")
    except (OSError, ValueError) as exc:
        raise _unreadable(name, (getattr(exc, "strerror", "") or "cannot be read").lower()) from None
    except files.Unreadable as exc:
        raise _unreadable(name, str(exc)) from None
    return bytes(kept), size, ends + (last not in (b"", b"\n"))


def _unreadable(name: str, reason: str) -> AdlcError:
    return AdlcError("not_found", f"the intake source '{name}' cannot be read: {reason}", "pass a text file that can be read")


def _over_budget(name: str, lines: int, size: int) -> AdlcError:
    needed = len(ranges(lines))
    return AdlcError(
        "over_budget",
        f"the intake source '{name}' has {lines} lines ({needed} segments, {size} bytes), over the budget of {MAX_LINES} lines "
        f"({MAX_SEGMENTS} segments, {MAX_BYTES} bytes): nothing was read and nothing was cut off",
        "split the source, and specify each part by itself",
    )


def shown_name(path: str) -> str:
    """The base name as it may be written down: one line, without what would end its quotes, without credentials."""
    name = output.single_line(os.path.basename(path).encode("utf-8", "replace").decode(), 200)
    return redact(name)[0].replace("`", "'").replace("\\", "_") or "source"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
