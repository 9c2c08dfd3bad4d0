"""The block that tells an agent about adlc, kept between two markers in CLAUDE.md or AGENTS.md."""

import re

from adlc.errors import AdlcError
from adlc.scaffold import place
from adlc.scaffold.scaffold import Action

FILES = ("CLAUDE.md", "AGENTS.md")
BLOCK = """\
<!-- adlc:begin (written by adlc init --onboard; changes between these markers are overwritten) -->
## Specs first

This repository keeps its requirements, bugs and lessons in `.adlc/`. They say what must hold; the code only says
what does.

- Before you change or explain behaviour: `adlc context --task "<what you're doing>" --paths "<files>"` names the
  specs to read. Read those under `direct` in full.
- If it answers `quality: "unavailable"`, run `adlc update` first.
- A question in words: `adlc search "<question>"`.
- A new feature starts with `/adlc:spec`, a bug with `/adlc:bugfix`, a small change with `/adlc:quick`.
<!-- adlc:end -->
"""
_BEGIN = re.compile(rb"^<!-- adlc:begin\b[^\n]*-->[ \t]*\r?$", re.M)
_END = re.compile(rb"^<!-- adlc:end -->[ \t]*\r?$", re.M)


def plan(root: str, name: str) -> Action:
    """What --onboard NAME does. Raises AdlcError write_failed when the markers do not pair."""
    present = place.read(root, name)
    if present is None:
        return Action(name, "created", content=BLOCK.encode())
    newline = b"\r\n" if b"\r\n" in present else b"\n"
    block = BLOCK.encode().rstrip(b"\n").replace(b"\n", newline)
    begins, ends = list(_BEGIN.finditer(present)), list(_END.finditer(present))
    if not begins and not ends:
        gap = b"" if not present.strip() else newline if present.endswith(b"\n") else newline * 2
        return Action(name, "refreshed", "block added", present + gap + block + newline)
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        raise AdlcError(
            "write_failed", f"{name}: the markers adlc:begin and adlc:end do not pair", f"remove them from {name}, then run this again"
        )
    start, end = begins[0].start(), ends[0].end()
    # The pattern takes the \r of a CRLF line along; the block ends before it.
    if present[end - 1:end] == b"\r":
        end -= 1
    changed = present[:start] + block + present[end:]
    return Action(name, "unchanged") if changed == present else Action(name, "refreshed", "block replaced", changed)


def present(root: str) -> list[str]:
    """Which of the files carry the block."""
    return [name for name in FILES if _BEGIN.search(place.read(root, name) or b"")]


def suggested(root: str) -> str:
    """The file to offer: the one that is there, else the first."""
    return next((name for name in FILES if place.read(root, name) is not None), FILES[0])
