"""Where each layout keeps its documents, and what shows that a directory uses it.

Each function lists candidates as (path, corpus, id, stat, beside), in code point order of the path:
path is relative to the given root; id is "" where the reader finds it; stat is an lstat or the
OSError that stands for it; beside holds (path, lstat) of further files the document is made of.
"""

import os
import re
from stat import S_ISDIR

from adlc.corpus import walk

# Compiled where a directory calls for them: most roots have neither.
_NUMBERED = r"\d{3,}-."
_DECISION = r"(?i)(?:adr[-_ ]?)?\d{1,5}(?!\d)(?![-_]\d\d[-_]\d\d\D).*\.md$|\d{4}-?\d\d-?\d\d\D.*\.md$"
_TEMPLATE = r"(?i)[\W_]template\.md$"
DECISIONS = (
    "doc/adr", "docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "docs/architecture/adr", "adr",
)


def adlc(root: str):
    """`.adlc/specs/<dir>/requirement.md`, `.adlc/bugs/*.md`, `.adlc/knowledge/lessons/*.md`"""
    yield from _one_each(root, ".adlc/specs", "requirement.md")
    for folder, corpus in ((".adlc/bugs", "bug"), (".adlc/knowledge/lessons", "lesson")):
        if linked := walk.link(root, folder):
            yield linked[0], corpus, "", linked[1], ()
            continue
        try:
            names = walk.names(root, folder)
        except OSError as exc:
            yield folder, corpus, "", exc, ()
            continue
        for name in names:
            if name.endswith(".md"):
                yield from _candidate(root, f"{folder}/{name}", corpus)


def spectree(root: str):
    """`.spec/**/spec.md`; an id is the directory's name with as many parents as make it unique"""
    found = walk.files(root, ".spec", "spec.md".__eq__)
    nodes = [path for path, _ in found if path.endswith("/spec.md")]
    ids = dict(zip(nodes, short_ids([path.split("/")[1:-1] or [".spec"] for path in nodes]), strict=True))
    for path, stat in found:
        yield path, "spec", ids.get(path, ""), stat, ()


def openspec(root: str):
    """`openspec/specs/**/spec.md`; changes and their archive are proposals, not specs"""
    for path, stat in walk.files(root, "openspec/specs", "spec.md".__eq__):
        yield path, "spec", "/".join(path.split("/")[2:-1]) or "openspec", stat, ()


def llmanspec(root: str):
    """`llmanspec/specs/<id>/spec.toon` (or spec.md) with *.feature beside it, or a lone <id>.feature"""
    folders: dict[str, dict[str, tuple]] = {}
    base = "llmanspec/specs"
    for path, stat in walk.files(root, base, lambda name: name in ("spec.toon", "spec.md") or name.endswith(".feature")):
        id, _, name = path[len(base) + 1:].rpartition("/")
        if not id and name.endswith(".feature"):
            id = name.removesuffix(".feature")
        folders.setdefault(id or name, {})[path] = stat
    chosen = []
    for id, group in folders.items():
        main = min(group, key=lambda path: (_rank(path.rpartition("/")[2], id), path))
        beside = tuple((p, s) for p, s in sorted(group.items()) if p != main and p.endswith(".feature"))
        chosen.append((main, "spec", id, group[main], beside))
    yield from sorted(chosen, key=lambda item: item[0])


def _rank(name: str, id: str) -> int:
    order = ("spec.toon", "spec.md", f"{id.rpartition('/')[2]}.feature")
    return order.index(name) if name in order else len(order)


def speckit(root: str):
    """`specs/NNN-slug/spec.md`; any name once `.specify/` shows that the tool is in use"""
    named = os.path.isdir(f"{root}/.specify")
    for folder in (".specify/specs", "specs"):
        yield from _one_each(root, folder, "spec.md", lambda name: named or re.match(_NUMBERED, name))


def _numbered_specs(root: str) -> bool:
    # Many a `specs/` holds tests, so the name alone shows nothing.
    return any(
        re.match(_NUMBERED, name) and os.path.lexists(f"{root}/specs/{name}/spec.md") for name in walk.names(root, "specs")
    )


def kiro(root: str):
    """`.kiro/specs/<name>/requirements.md`"""
    yield from _one_each(root, ".kiro/specs", "requirements.md")


def adr(root: str):
    """Numbered or dated Markdown files in one of the usual directories of decision records"""
    for folder in DECISIONS:
        for path, stat in walk.files(root, folder, _is_decision):
            yield path, "spec", "", stat, ()


def _is_decision(name: str) -> bool:
    return bool(re.match(_DECISION, name)) and not re.search(_TEMPLATE, name)


def _decisions(root: str) -> bool:
    return any(_is_decision(name) for folder in DECISIONS for name in walk.names(root, folder))


def plain(root: str, folder: str):
    """`**/*.md` of a directory that the configuration names"""
    for path, stat in walk.files(root, folder, lambda n: n.endswith(".md"), walk.UNWALKED | walk.VENDORED, hidden=False):
        yield path.removeprefix("./"), "spec", path[len(folder) + 1:].removesuffix(".md"), stat, ()


def _one_each(root: str, folder: str, file: str, wanted=None):
    """root/folder/<name>/<file>; the name is the id."""
    if linked := walk.link(root, folder):
        yield linked[0], "spec", "", linked[1], ()
        return
    base = f"{root}/{folder}"
    try:
        folders = walk.folders(root, folder)
    except OSError as exc:
        yield folder, "spec", "", exc, ()
        return
    for name, stat in folders:
        if wanted and not wanted(name):
            continue
        if stat is not None:
            yield f"{folder}/{name}", "spec", "", stat, ()
            continue
        # In line, and not by _candidate: this loop is most of what a call on a large corpus does.
        try:
            stat = os.lstat(f"{base}/{name}/{file}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as exc:
            stat = exc
        yield f"{folder}/{name}/{file}", "spec", name, stat, ()


def _candidate(root: str, path: str, corpus: str, id: str = ""):
    try:
        yield path, corpus, id, os.lstat(f"{root}/{path}"), ()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as exc:
        yield path, corpus, id, exc, ()


def short_ids(paths: list[list[str]]) -> list[str]:
    """For each list of directory names, its shortest suffix that no other one ends with, joined by `_`."""
    counts: dict = {}
    for parts in paths:
        for size in range(1, len(parts) + 1):
            suffix = tuple(parts[-size:])
            counts[suffix] = counts.get(suffix, 0) + 1
    ids = []
    for parts in paths:
        size = next((n for n in range(1, len(parts) + 1) if counts[tuple(parts[-n:])] == 1), len(parts))
        ids.append("_".join(parts[-size:]))
    return ids


def _is_directory(path: str) -> bool:
    """Also where that cannot be seen: the listing then reports it, for what cannot be looked into is not empty."""
    try:
        return S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


class Place:
    """walk: one of the functions above. markers: directories one of which shows the layout, or a test of the root."""

    __slots__ = ("walk", "markers", "shown", "test")

    def __init__(self, walk, markers: tuple[str, ...], shown: str, test=None):
        self.walk, self.markers, self.shown, self.test = walk, markers, shown, test

    def marked(self, root: str) -> bool:
        if any(_is_directory(f"{root}/{m}") for m in self.markers):
            return True
        try:
            return self.test is not None and self.test(root)
        except OSError:
            return False


ALL = {
    "adlc": Place(adlc, (".adlc/specs", ".adlc/bugs", ".adlc/knowledge"), ".adlc/specs/"),
    "spectree": Place(spectree, (".spec",), ".spec/"),
    "openspec": Place(openspec, ("openspec/specs", "openspec/changes"), "openspec/specs/"),
    "llmanspec": Place(llmanspec, ("llmanspec/specs", "llmanspec/changes"), "llmanspec/specs/"),
    "speckit": Place(speckit, (".specify",), "specs/NNN-*/spec.md", _numbered_specs),
    "kiro": Place(kiro, (".kiro/specs",), ".kiro/specs/"),
    "adr": Place(adr, (), "docs/adr/", _decisions),
}
