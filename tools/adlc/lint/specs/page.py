"""A document as the checks see it: its lines, frontmatter and sections, with what is masked left blank."""

import re

from adlc.corpus import frontmatter, markdown

_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_KEY = re.compile(r"[A-Za-z_][\w.-]*(?=[ \t]*:)")


class Page:
    """path, corpus, id: of the document. lines: as written. shown: the same, frontmatter, fences and comments blank.

    prose: shown, with code spans blanked too. head: Frontmatter. sections: of any level, in order.
    """

    def __init__(self, path: str, corpus: str, id: str, text: str):
        self.path, self.corpus, self.id = path, corpus, id
        self.lines = text.split("\n")
        self.head = frontmatter.parse(self.lines)
        self.shown = [""] * self.head.body + markdown.visible(self.lines[self.head.body:])
        self.prose = [_CODE_SPAN.sub(lambda match: " " * len(match[0]), line) for line in self.shown]
        self.sections = markdown.sections(self.shown)

    def section(self, title: str):
        """The first level-2 section of that title, or None."""
        return next((s for s in self.sections if s.level == 2 and s.title.casefold() == title.casefold()), None)

    def items(self, section) -> list[tuple[int, str]]:
        """(0-based line, text) of the section's top-level list items."""
        return markdown.items(self.shown, section.start, section.end)

    def filled(self, section) -> bool:
        """Whether the section has text or a code block; comments do not count."""
        lines = range(section.start, section.end)
        return any(self.shown[n].strip() or markdown.FENCE.match(self.lines[n]) for n in lines)

    def key_line(self, key: str) -> int:
        """The 1-based line of a frontmatter key; that of the first line when it is not there."""
        for number in range(min(self.head.body, len(self.lines))):
            match = _KEY.match(self.lines[number])
            if match and match[0] == key:
                return number + 1
        return 1
