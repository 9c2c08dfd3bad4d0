"""Every id in an `(informed by …)` has the strict form and names a document that exists."""

import re

_CITED = re.compile(r"\(informed by\b([^()]*)(\)?)", re.I)
_ID = re.compile(r"(?:REQ|BUG|LESSON)-[0-9]{3,6}", re.A)


def check(page, corpus):
    text, starts = _joined(page.prose)
    for match in _CITED.finditer(text):
        line = _line(starts, match.start())
        if not match[2]:
            yield line, "'(informed by' is not closed"
            continue
        names = [name.strip() for name in match[1].split(",")]
        for name in names:
            shown = name[:60] or "nothing"
            if not _ID.fullmatch(name):
                yield line, f"cites {shown}, which is no id such as REQ-042, BUG-042 or LESSON-042"
            elif name == page.id:
                yield line, f"cites itself ({name})"
            elif name not in corpus.ids:
                yield line, f"cites {name}, which does not exist"


def _joined(lines: list[str]) -> tuple[str, list[int]]:
    """The lines in one string, so that a citation may be wrapped, and where each begins."""
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line) + 1
    return "\n".join(lines), starts


def _line(starts: list[int], position: int) -> int:
    import bisect

    return bisect.bisect_right(starts, position)
