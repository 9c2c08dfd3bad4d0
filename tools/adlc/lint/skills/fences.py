"""Finds the code blocks of a page as a person and a model see them, in every spelling of a fence.

Wider than CommonMark where pages are: a block may be indented to any depth (list items), stand behind a
list marker or in a quotation. Stricter nowhere: a fence is closed by the first line that CommonMark takes
for its end, which is what cuts off a block that contains another of the same length.
"""

import re

from adlc.lint.skills.shell import Shell

_QUOTE = re.compile(r"[ \t]*((?:>[ \t]?)*)")
_OPEN = re.compile(r"([ \t]*)((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)$")
_SHELLS = {
    "sh": "posix", "shell": "posix", "posix": "posix", "dash": "posix", "ash": "posix", "shellscript": "posix", "shell-script": "posix",
    "bash": "bash", "zsh": "zsh", "ksh": "ksh",
}
_SHEBANG = re.compile(r"#![ \t]*\S*/(?:env[ \t]+(?:-S[ \t]+)?)?([\w.-]+)")
_PROMPT = re.compile(r"^([ \t]*)\$ ", re.M)
# A block without a language is shell when its first line can hardly be anything else.
_STARTS = re.compile(
    r"(?:[A-Za-z_]\w*=(?:[\"'$]|[^\s|<>{]*(?:[ \t]|$))|(?:if|while|until)[ \t]+!?[ \t]*(?:\[|test\b|[\w./-]+[ \t].*;)|for[ \t]+\w+[ \t]+in\b|case[ \t].+\bin\b"
    r"|[\w-]+[ \t]*\(\)[ \t]*\{|\.[ \t]+[~./$\"\w]|source[ \t]+[~./$\"\w]|export[ \t]+\w+=|set[ \t]+-[a-z]|local[ \t]+\w+=|\[\[?[ \t]+[^\]\s]"
    r"|(?:adlc|adlc-read|awk|bash|cargo|cd|chmod|cp|curl|docker|echo|eval|gh|git|grep|jq|ln|ls|mkdir|mktemp|mv|npm|npx|pip|pip3|pnpm|printf|python|python3"
    r"|rg|rm|sed|sudo|tar|uv|uvx|wc|wget|xargs|yarn|zsh)(?:[ \t]+[-\w\"'$./~<{&|>*@:]|[ \t]*$)"
    # These are words of English, too.
    r"|(?:cat|command|exec|exit|find|go|head|make|node|sh|sleep|sort|tail|tee|test|touch|trap)[ \t]+[-\"'$./~<>|])"
)


class Fence:
    """start: 0-based line of the opening. end: of the closing, or the number of lines when there is none.

    info: what stands behind the opening. code: the content, without the block's own indentation. first: 0-based
    line of the code's first line. dialect: posix, bash, zsh or ksh for shell, else "". nested: lines inside that
    look like openings of the same kind. script: it begins with a shebang, so it is a file of its own.
    """

    def __init__(self, start: int, mark: str, info: str):
        self.start, self.first, self.mark, self.info = start, start + 1, mark, info
        self.end, self.closed, self.code, self.dialect, self.script = start, False, "", "", False
        self.nested: list[int] = []
        self._shell: Shell | None = None

    @property
    def language(self) -> str:
        """The first word of the info string, without {.braces}, in lower case."""
        match = re.match(r"\{?[ \t]*\.?([A-Za-z0-9+#_-]+)", self.info)
        return match[1].casefold() if match else ""

    @property
    def shell(self) -> Shell:
        if self._shell is None:
            self._shell = Shell(self.code)
        return self._shell

    def settle(self, content: list[str]) -> None:
        """Set code and dialect from the lines between the fences."""
        self.code = "\n".join(content)
        language, shebang = self.language, _SHEBANG.match(self.code.lstrip())
        self.script = bool(shebang)
        if language in _SHELLS:
            self.dialect = _SHELLS[language]
            if shebang and _SHELLS.get(shebang[1]) in ("bash", "zsh", "ksh"):
                self.dialect = _SHELLS[shebang[1]]
            self.code = _PROMPT.sub(r"\1  ", self.code)
        elif not self.info and shebang:
            self.dialect = _SHELLS.get(shebang[1], "")
        elif not self.info and _looks_like_shell(content):
            self.dialect = "posix"
            self.code = _PROMPT.sub(r"\1  ", self.code)


def _looks_like_shell(content: list[str]) -> bool:
    lines = [line.strip().removeprefix("$ ") for line in content if line.strip() and not line.lstrip().startswith("#")]
    return bool(lines) and bool(_STARTS.match(lines[0]))


def find(lines: list[str], start: int = 0) -> list[Fence]:
    """The blocks in order, from line `start` on; those inside HTML comments are none."""
    found: list[Fence] = []
    fence, content, column, quotes, comment = None, [], 0, 0, False
    for number in range(start, len(lines)):
        line = lines[number]
        if fence is not None:
            body, depth = _unquoted(line, quotes)
            closing = _OPEN.match(body)
            if depth < quotes:  # the quotation is over, and the block with it
                fence.end = number
                fence.settle(content)
                fence = None
            elif closing and _closes(closing, fence, column):
                fence.end, fence.closed = number, True
                fence.settle(content)
                fence = None
                continue
            else:
                if closing and _seems_to_open(closing, fence, column):
                    fence.nested.append(number)
                content.append(_outdented(body, column))
                continue
        if comment or "<!--" in line and not _OPEN.match(line):
            comment = _comment(line, comment)
            continue
        body, depth = _unquoted(line, 99)
        opening = _OPEN.match(body)
        # An info string with a backtick is inline code, not a fence (CommonMark 4.5).
        if opening and not (opening[3][0] == "`" and "`" in opening[4]):
            fence, content, quotes = Fence(number, opening[3], opening[4].strip()), [], depth
            column = len((opening[1] + opening[2]).expandtabs(4))
            found.append(fence)
    if fence is not None:
        fence.end = len(lines)
        fence.settle(content)
    return found


def _like(match, fence: Fence, column: int) -> bool:
    """Whether a line within a block has fence characters that count for it: its own, enough, not indented as code."""
    near = len(match[1].expandtabs(4)) < column + 4
    return near and not match[2] and match[3][0] == fence.mark[0] and len(match[3]) >= len(fence.mark)


def _closes(match, fence: Fence, column: int) -> bool:
    return _like(match, fence, column) and not match[4].strip()


def _seems_to_open(match, fence: Fence, column: int) -> bool:
    return _like(match, fence, column) and "`" not in match[4] and len(match[4].split()) < 3


def _unquoted(line: str, limit: int) -> tuple[str, int]:
    """The line without up to `limit` quotation marks in front, and how many there were."""
    if ">" not in line[:12] or not limit:
        return line, 0
    match = _QUOTE.match(line)
    depth = match[1].count(">")
    if depth > limit:
        rest = line
        for _ in range(limit):
            rest = rest[rest.index(">") + 1:].removeprefix(" ")
        return rest, limit
    return (line[match.end():] if depth else line), depth


def _outdented(line: str, column: int) -> str:
    expanded = line.expandtabs(4) if "\t" in line[:column] else line
    blank = len(expanded) - len(expanded.lstrip(" "))
    return expanded[min(column, blank):]


def _comment(line: str, inside: bool) -> bool:
    """Whether a comment is open at the end of the line."""
    while True:
        at = line.find("-->" if inside else "<!--")
        while not inside and at >= 0 and line.count("`", 0, at) % 2 and "`" in line[at:]:
            at = line.find("<!--", at + 4)  # inline code that shows one
        if at < 0:
            return inside
        line, inside = line[at + (3 if inside else 4):], not inside
