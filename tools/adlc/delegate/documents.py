"""The block of documents that is sent: each with its id and relative path, written so that no body can forge another."""

import os
import re

from adlc import files
from adlc.corpus import frontmatter
from adlc.errors import AdlcError
from adlc.telemetry.redact import redact

MAX_BYTES = 512 * 1024
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.A)
_NUMBERED = re.compile(r"(?:REQ|BUG|LESSON)-[0-9]+", re.A)


class Sent:
    """One document: id (unique among those sent), path as shown (never absolute), text without credentials."""

    __slots__ = ("id", "path", "text", "redacted")

    def __init__(self, id: str, path: str, text: str, redacted: int):
        self.id, self.path, self.text, self.redacted = id, path, text, redacted


def load(paths: list[str], project: str) -> tuple[list[Sent], list[tuple[str, str]]]:
    """-> (the documents that can be read, in order and each once; [(path, reason)] of the others).

    project: the directory that paths are shown relative to. Raises AdlcError usage over MAX_BYTES.
    """
    project = os.path.realpath(project)
    documents, skipped, seen, size = [], [], set(), 0
    for path in paths:
        try:
            real, shown = _place(path, project)
            if real in seen:
                continue
            seen.add(real)
            text, _ = files.read_document(real)
        except files.Vanished:
            skipped.append((path, "no such file"))
            continue
        except files.Unreadable as exc:
            skipped.append((path, str(exc)))
            continue
        size += len(text.encode())
        clean, count = redact(text)
        documents.append(Sent(_id(text, shown), shown, clean, count))
    if size > MAX_BYTES:
        raise AdlcError(
            "usage", f"{len(documents)} documents are {-(-size // 1024)} KiB, over the budget of {MAX_BYTES // 1024} KiB",
            "pass fewer --paths and read the rest yourself",
        )
    _make_unique(documents)
    return documents, skipped


def block(documents: list[Sent]) -> str:
    """The documents as one text. `&`, `<` and `>` of ids, paths and bodies are written as entities."""
    parts = []
    for item in documents:
        parts += (f'<document id="{_escaped(item.id)}" path="{_escaped(item.path)}">', _escaped(item.text).rstrip("\n"), "</document>")
    return "\n".join(parts) + "\n"


def _place(path: str, project: str) -> tuple[str, str]:
    """-> (real path, path as shown). A path of the project must stay in it; others are shown by their name alone."""
    lexical = os.path.normpath(os.path.join(os.getcwd(), path))
    try:
        real = os.path.realpath(lexical)
    except (OSError, ValueError):
        raise files.Unreadable("cannot be read") from None
    prefix = project.rstrip("/") + "/"
    if real.startswith(prefix):
        return real, _text(real[len(prefix):])
    if os.path.join(os.path.realpath(os.path.dirname(lexical)), "").startswith(prefix):
        raise files.Unreadable("a symbolic link that leaves the project")
    return real, _text(os.path.basename(lexical))


def _text(name: str) -> str:
    """The name of a file as text: bytes that are none become `?`, for what is sent is UTF-8."""
    return name.encode("utf-8", "replace").decode()


def _id(text: str, shown: str) -> str:
    head = frontmatter.parse(text.split("\n", 400)[:400])
    name = head.scalar("id")
    if _ID.fullmatch(name):
        return name
    parts = shown.split("/")
    for part in (parts[-1], *parts[-2:-1]):
        match = _NUMBERED.match(part)
        if match:
            return match[0]
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.splitext(parts[-1])[0]).strip("-.")[:80]
    return stem or "document"


def _make_unique(documents: list[Sent]) -> None:
    counts: dict[str, int] = {}
    for item in documents:
        counts[item.id] = counts.get(item.id, 0) + 1
    taken = {id for id, count in counts.items() if count == 1}
    for item in documents:
        if counts[item.id] > 1:
            name, number = item.path, 2
            while name in taken:
                name, number = f"{item.path}#{number}", number + 1
            item.id = name
            taken.add(name)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;") if text else ""
