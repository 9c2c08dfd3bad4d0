"""The ways people keep specs. Each layout is one module; several can coexist in one root.

A layout module has
  walk(root) -> iterable of (path, corpus, id or "", lstat or OSError)
            every candidate file, in code point order of the path; id only where it depends on
            the other files
  read(path, corpus, id, text) -> Document
            raises files.Unreadable when the text cannot be used at all
It is imported when one of its markers is found: a warm call pays for the layouts in use only.
"""

import importlib
import os

# name -> directories (root-relative), one of which must exist.
MARKERS = {
    "adlc": (".adlc/specs", ".adlc/bugs", ".adlc/knowledge"),
    "spectree": (".spec",),
}


def module(name: str):
    return importlib.import_module(f"adlc.corpus.layouts.{name}")


def present(root: str) -> list[str]:
    """Names of the layouts that have a marker in `root`."""
    return [name for name, marks in MARKERS.items() if any(os.path.isdir(f"{root}/{mark}") for mark in marks)]


def marked(root: str) -> bool:
    return bool(present(root))


def markers() -> list[str]:
    """One directory a layout, for messages."""
    return [marks[0] + "/" for marks in MARKERS.values()]
