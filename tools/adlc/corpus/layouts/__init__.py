"""The ways people keep specs. Each layout is one module; several can coexist in one root.

A layout module has
  NAME      its name in answers
  MARKERS   directories (root-relative) one of which must exist
  walk(root) -> iterable of (path, corpus, id or "", lstat or Skipped-reason)
            every candidate file, in code point order of the path; id only where it depends on
            the other files
  read(path, corpus, id, text) -> Document
            raises files.Unreadable when the text cannot be used at all
"""

import os

from adlc.corpus.layouts import adlc, spectree

ALL = (adlc, spectree)
BY_NAME = {layout.NAME: layout for layout in ALL}


def present(root: str) -> list:
    """The layouts that have a marker in `root`."""
    return [layout for layout in ALL if any(os.path.isdir(os.path.join(root, m)) for m in layout.MARKERS)]


def marked(root: str) -> bool:
    return bool(present(root))


def markers() -> list[str]:
    return [layout.MARKERS[0].rstrip("/") + "/" for layout in ALL]
