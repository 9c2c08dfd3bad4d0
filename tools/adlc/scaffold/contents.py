"""The files of a fresh `.adlc/`: which are the project's own from then on, and which are copies of ours."""

import os

from adlc import config
from adlc.lifecycle import HOME

OWN, COPY = "own", "copy"
FOLDERS = (".adlc/specs", ".adlc/bugs", ".adlc/knowledge/lessons")
_STARTED_FROM = {
    ".adlc/context/project-overview.md": "project-overview-template.md",
    ".adlc/context/taxonomy.md": "taxonomy-template.md",
}
_COPIED = ("requirement-template.md", "design-template.md", "bug-template.md", "lesson-template.md")
_CONFIG = b"""\
# What adlc is told about this project. Every key is optional.
#
# Directories that hold specs of their own; * stands for one part of a path.
# roots: [packages/*]
#
# Directories of plain Markdown pages that count as specs.
# plain: [docs/design]
#
# Reserve each new number on the remote, so that two machines cannot take the same one.
# ids:
#   reserve: remote
#
# The coding harnesses that adlc materialize renders its agent for; by default those in use here.
# harnesses: [claude, codex]
"""


class Item:
    """path: root-relative. kind: OWN, written once and never again, or COPY, kept equal to `content`."""

    __slots__ = ("path", "kind", "content")

    def __init__(self, path: str, kind: str, content: bytes):
        self.path, self.kind, self.content = path, kind, content


def items() -> list[Item]:
    """Everything `adlc init` writes, by path. Raises OSError when the installation lacks a file."""
    found = [Item(f"{folder}/.gitkeep", OWN, b"") for folder in FOLDERS]
    found += [Item(path, OWN, _installed("templates", name)) for path, name in _STARTED_FROM.items()]
    found.append(Item(config.FILE, OWN, _CONFIG))
    found += [Item(f".adlc/templates/{name}", COPY, _installed("templates", name)) for name in _COPIED]
    partials = sorted(name for name in os.listdir(os.path.join(HOME, "partials")) if name.endswith(".sh"))
    found += [Item(f".adlc/partials/{name}", COPY, _installed("partials", name)) for name in partials]
    return sorted(found, key=lambda item: item.path)


def _installed(folder: str, name: str) -> bytes:
    with open(os.path.join(HOME, folder, name), "rb") as handle:
        return handle.read()
