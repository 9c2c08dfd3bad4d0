"""The form of a remark: what Claude Code reads from a hook's standard output, never longer than LIMIT."""

import json

from adlc import output

LIMIT = 400
_TITLE, _PATH = 60, 160


def compose(event: str, head: str, items: list[str], more: str) -> str | None:
    """`head` and as many whole items as fit, then `more` with the number of those left out; None when none fits."""
    for count in range(len(items), 0, -1):
        rest = len(items) - count
        text = _json(event, head + "; ".join(items[:count]) + (more.format(rest) if rest else ""))
        if len(text) <= LIMIT:
            return text
    return None


def sentence(event: str, text: str) -> str | None:
    """`text` as a whole; None when it does not fit."""
    text = _json(event, text)
    return text if len(text) <= LIMIT else None


def named(document) -> str:
    """A document as data: its path, and its title in quotes where that says more."""
    path, title = output.single_line(document.path, _PATH), output.single_line(document.title, _TITLE).replace('"', "'")
    return f"{path} “{title}”" if title and title != document.id else path


def _json(event: str, text: str) -> str:
    return json.dumps(
        {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}, ensure_ascii=False, separators=(",", ":"),
    )
