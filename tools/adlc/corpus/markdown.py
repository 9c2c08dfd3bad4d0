"""Headings, sections and list items of Markdown, with code fences and comments masked."""

import re

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_CLOSING = re.compile(r"(?:^|[ \t])#+$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_PLAIN = re.compile(r"(?! {4}|\t|\s*$| {0,3}(?:[-*+>#|]|\d+[.)]|---))")


def visible(lines: list[str]) -> list[str]:
    """The same lines with those inside code fences and HTML comments blanked: same count, same numbers."""
    out, fence, comment = [], "", False
    for line in lines:
        if not fence and not comment and "`" not in line and "~" not in line and "<" not in line:
            out.append(line)
            continue
        if fence:
            closing = FENCE.match(line)
            if closing and closing[1][0] == fence[0] and len(closing[1]) >= len(fence) and not line[closing.end():].strip():
                fence = ""
            out.append("")
            continue
        if not comment:
            opening = FENCE.match(line)
            # An info string with a backtick is inline code, not a fence (CommonMark 4.5).
            if opening and not (opening[1][0] == "`" and "`" in line[opening.end():]):
                fence = opening[1]
                out.append("")
                continue
        if comment or "<!--" in line:
            line, comment = _without_comments(line, comment)
        out.append(line)
    return out


def _without_comments(line: str, inside: bool) -> tuple[str, bool]:
    kept = []
    while True:
        if inside:
            end = line.find("-->")
            if end < 0:
                return "".join(kept), True
            line, inside = line[end + 3:], False
        start = line.find("<!--")
        while start >= 0 and line.count("`", 0, start) % 2 and "`" in line[start:]:
            start = line.find("<!--", start + 4)  # inline code that shows one
        if start < 0:
            kept.append(line)
            return "".join(kept), False
        kept.append(line[:start])
        line, inside = line[start + 4:], True


class Section:
    """A heading and the lines up to the next heading of the same or a higher level.

    line: 0-based index of the heading; start, end: 0-based half-open range of its body lines.
    """

    __slots__ = ("level", "title", "line", "start", "end", "own_end")

    def __init__(self, level: int, title: str, line: int, start: int):
        self.level, self.title, self.line, self.start, self.end, self.own_end = level, title, line, start, start, start


def sections(lines: list[str]) -> list[Section]:
    """Sections in order; `lines` as returned by `visible`. own_end stops at the next heading of any level."""
    found: list[Section] = []
    for number, line in enumerate(lines):
        if not line or line[0] not in "#=- ":
            continue
        if "#" in line and (match := _HEADING.match(line)):
            found.append(Section(len(match[1]), _clean(match[2] or ""), number, number + 1))
        elif number and (line[1:2] == line[0] or line[0] == " ") and (match := _UNDERLINE.match(line)):
            # A paragraph of one line above the underline is a setext heading; of more, it is prose.
            above, before = lines[number - 1], lines[number - 2] if number > 1 else ""
            if len(match[1]) > 1 and _PLAIN.match(above) and not before.strip():
                found.append(Section(1 if match[1][0] == "=" else 2, _clean(above), number - 1, number + 1))
    opened: list[Section] = []
    for index, section in enumerate(found):
        section.own_end = found[index + 1].line if index + 1 < len(found) else len(lines)
        section.end = len(lines)
        while opened and opened[-1].level >= section.level:
            opened.pop().end = section.line
        opened.append(section)
    return found


def _clean(title: str) -> str:
    title = title.strip()
    if "  " in title or "\t" in title:
        title = " ".join(title.split())
    return _CLOSING.sub("", title).rstrip() if title.endswith("#") else title


def paragraph(lines: list[str], start: int = 0, end: int | None = None) -> str:
    """The first paragraph of prose in the range, on one line; "" when there is none."""
    words = []
    for line in lines[start:end]:
        text = line.strip()
        if not text:
            if words:
                break
        elif text[0] == "#":
            if words:
                break
        else:
            words.append(text)
    return " ".join(words)


def block(lines: list[str], start: int, end: int) -> str:
    """The lines of the range without blank ones at either side."""
    return "\n".join(lines[start:end]).strip("\n")


_ITEM = re.compile(r"( *)(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")


def items(lines: list[str], start: int, end: int) -> list[tuple[int, str]]:
    """Top-level list items of the range: (0-based line, text on one line with its continuation)."""
    found, indent = [], None
    for number in range(start, end):
        match = _ITEM.match(lines[number])
        if match and (indent is None or len(match[1]) <= indent):
            indent = len(match[1])
            found.append([number, match[2]])
        elif found and lines[number].strip():
            if lines[number][:1] in " \t":
                found[-1][1] += " " + lines[number].strip()
            else:
                indent = None
    return [(number, text) for number, text in found]
