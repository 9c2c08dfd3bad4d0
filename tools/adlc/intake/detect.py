"""Whether the argument of /spec is a source for intake: it has the flag, is the name of a file, or is long.

The argument is text to be looked at. No part of it reaches a shell.
"""

import os
import re
import stat

from adlc.intake import kinds

# More lines than this are a source.
MAX_REQUEST_LINES = 25
MAX_ARGUMENT_BYTES = 8 * 1024 * 1024
_FLAG = "--intake"
_WORD_ENDS = re.compile(r"(?=\s)|$")
_FILE_NAME = re.compile(r"/|\w\.[A-Za-z]\w{0,4}$")
_MAX_WORDS = 40


class Source:
    """What intake runs on.

    reason: flag | path | lines. path: the file's absolute path, or None for text that stood in the argument itself.
    body: that text. rest: what the argument says beside the file.
    """

    __slots__ = ("reason", "path", "body", "rest")

    def __init__(self, reason: str, path: str | None, body: str = "", rest: str = ""):
        self.reason, self.path, self.body, self.rest = reason, path, body, rest


class Missing:
    """The flag was given for a file that cannot be read."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name


def detect(argument: str, folder: str) -> Source | Missing | None:
    """What the argument asks for; None: no intake. Relative names are looked up in `folder`.

    The flag counts as the first word, and as the last one behind the name of a file; anywhere else it is
    something that the request talks about. A bare name counts when it has a dot or a slash: a request of one
    word is no file because a file happens to be called so.
    """
    text = argument.strip()
    if text.startswith(_FLAG) and (len(text) == len(_FLAG) or text[len(_FLAG)] == "=" or text[len(_FLAG)].isspace()):
        return _flagged(text[len(_FLAG):], folder)
    if text.endswith(_FLAG):
        before = text[:-len(_FLAG)]
        path = readable(before.strip(), folder) if before[-1:].isspace() else None
        if path:
            return Source("flag", path)
    if "\n" not in text and ("." in text or "/" in text):
        path = readable(text, folder)
        if path:
            return Source("path", path)
    body = without_blank_ends(argument)
    if body.count("\n") + 1 > MAX_REQUEST_LINES:
        return Source("lines", None, body)
    return None


def kind_of(source: Source) -> str:
    if source.path is None:
        return kinds.kind("", source.body)
    return kinds.of_file(source.path)


def readable(name: str, folder: str) -> str | None:
    """The absolute path of the regular file that `name` names, or None."""
    if len(name) >= 2 and name[0] == name[-1] and name[0] in "\"'":
        name = name[1:-1]
    if not name or len(name) > 4000 or "\0" in name or "\n" in name:
        return None
    if name.startswith("~/"):
        name = os.path.expanduser(name)
    path = os.path.join(folder, name)
    try:
        found = stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.R_OK)
    except (OSError, ValueError):
        return None
    return path if found else None


def without_blank_ends(text: str) -> str:
    """The text without the blank lines around it."""
    return re.sub(r"\A(?:[^\S\n]*\n)+", "", text).rstrip()


def _flagged(text: str, folder: str) -> Source | Missing:
    is_path = text.startswith("=")
    rest = text[1:] if is_path else text.lstrip(" \t")
    line = rest.strip().split("\n", 1)[0]
    ends = [match.start() for match in _WORD_ENDS.finditer(line) if match.start()][:_MAX_WORDS]
    # The longest beginning that is a file: names can hold blanks.
    for end in dict.fromkeys([len(line), *reversed(ends)]):
        path = readable(line[:end].strip(), folder)
        if path:
            return Source("flag", path, rest=rest.strip()[end:].strip())
    first = line.split(None, 1)[0] if line else ""
    if is_path or not re.search(r"\s", rest.strip()) or _is_quoted(line) or _FILE_NAME.search(first):
        return Missing(first if _FILE_NAME.search(first) else line)
    return Source("flag", None, without_blank_ends(rest))


def _is_quoted(text: str) -> bool:
    return text[:1] in ("'", '"') and text.find(text[0], 1) == len(text) - 1
