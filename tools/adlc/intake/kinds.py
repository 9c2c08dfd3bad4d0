"""What kind of source a text is: told by the file's name, else by the shape of its lines."""

import os
import re

from adlc import files

KINDS = ("transcript", "notes", "ticket", "prose")
_NAMED = (("transcript", ("transcript",)), ("ticket", ("ticket", "issue", "jira")), ("notes", ("notes", "meeting")))
_CLOCK = re.compile(r"\s*[\[(]?\d{1,2}:\d{2}(?!\d)")
_SPEAKER = re.compile(r"\s*(?:[^\W\d_a-z])[\w .'’()-]{0,40}:(?:\s|$)")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")
_MIN_CLOCKS, _MIN_SPEAKERS, _MIN_BULLETS = 3, 5, 5
# The shape shows long before this.
_LOOKED_AT = 1024 * 1024


def kind(name: str, text: str) -> str:
    """One of KINDS."""
    name = name.lower()
    for found, words in _NAMED:
        if any(word in name for word in words):
            return found
    clocks = speakers = bullets = 0
    for line in text[:_LOOKED_AT].split("\n"):
        clocks += bool(_CLOCK.match(line))
        speakers += bool(_SPEAKER.match(line))
        bullets += bool(_BULLET.match(line))
    if clocks >= _MIN_CLOCKS or speakers >= _MIN_SPEAKERS:
        return "transcript"
    return "notes" if bullets >= _MIN_BULLETS else "prose"


def of_file(path: str) -> str:
    """The kind of a file; one that cannot be read has the kind that its name tells."""
    try:
        with open(files.opened(path, follow=True), "rb") as handle:
            text = handle.read(_LOOKED_AT).decode("utf-8", "replace")
    except OSError:
        text = ""
    return kind(os.path.basename(path), text)
