"""The ways people keep specs: which of them a directory uses, and the reader of each.

Several can coexist in one root. Where a layout keeps its documents is decided in `places`, which is
all that a call with a valid cache needs; how one of its documents is read, in the module of that name:
  read(path, corpus, id, text) -> Document     raises files.Unreadable when the text cannot be used
A layout whose documents span several files (`BESIDE`) takes these, too:
  read(path, corpus, id, text, beside)         beside: [(path, text or files.Unreadable)]
"""

import importlib

from adlc.corpus.layouts import places

BESIDE = frozenset(("llmanspec",))


def module(name: str):
    """The module that reads documents of the layout `name`."""
    return importlib.import_module(f"adlc.corpus.layouts.{name}")


def present(root: str) -> list[str]:
    """Names of the layouts that have a marker in `root`; a few stat calls."""
    return [name for name, place in places.ALL.items() if place.marked(root)]


def marked(root: str) -> bool:
    return any(place.marked(root) for place in places.ALL.values())


def markers() -> list[str]:
    return [place.shown for place in places.ALL.values()]


def sources(root: str, configured) -> list[tuple]:
    """[(layout, path prefix, candidates)] of a root: its own layouts, those of its further roots, plain directories."""
    found = [(name, "", places.ALL[name].walk(root)) for name in present(root)]
    for folder in configured.roots:
        below = f"{root}/{folder}"
        found += [(name, f"{folder}/", places.ALL[name].walk(below)) for name in present(below)]
    found += [("plain", "", places.plain(root, folder)) for folder in configured.plain]
    return found
