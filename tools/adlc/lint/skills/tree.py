"""Finds the skills, agents and partials below a directory, and knows which of them belong together.

A bundle is the directory that holds `skills/` (a plugin, a project's .claude, a user's) or, where the skills
lie directly in it, the directory that holds those. Whatever lies above is not read.
"""

import os
import posixpath

from adlc import files
from adlc.corpus import walk
from adlc.lint.finding import Finding
from adlc.lint.skills.page import Page

# Beside a skill these hold what it writes or is tested with, not what an agent follows.
_MATERIAL = frozenset(("assets", "templates", "fixtures", "tests", "test", "evals"))
_FOLDERS = ("skills", "agents", "partials")


class Tree:
    """root: absolute. pages: those below the path that was asked about, by path. others: the rest of their bundles.

    faults: findings about files that cannot be read.
    """

    def __init__(self, root: str, below: str = ""):
        self.root = root
        self.faults: list[Finding] = []
        self.pages: list[Page] = []
        self._all: dict[str, Page] = {}
        listed = self._listed(_scope(below))
        self.plugins = {posixpath.dirname(posixpath.dirname(path)) for path in listed if path.endswith(".claude-plugin/plugin.json")}
        for path, (kind, home) in sorted(_kinds(listed, self.plugins).items()):
            page = self._read(path, kind, home)
            if page is None or kind == "agent" and not self._is_agent(page):
                continue
            self._all[path] = page
            if not below or path == below or path.startswith(below + "/"):
                self.pages.append(page)

    @property
    def examined(self) -> int:
        """How many files were looked at, unreadable ones included; 0 when no skill and no agent is among them."""
        if not self.faults and not any(page.kind in ("skill", "agent", "page") for page in self.pages):
            return 0
        return len(self.pages) + len(self.faults)

    def siblings(self, page: Page) -> list[Page]:
        """The skills of the same bundle, this one included."""
        return [other for other in self._all.values() if other.kind == "skill" and other.home == page.home]

    def partial(self, page: Page, name: str) -> Page | None:
        return self._all.get(posixpath.join(page.home, "partials", name))

    def text(self, home: str, path: str) -> str:
        """The text of another file of a bundle; "" when it has none such."""
        full = os.path.join(self.root, home, path)
        try:
            return files.read_document(full)[0] if files.inside(self.root, full) else ""
        except files.Unreadable:
            return ""

    def _listed(self, scope: str) -> list[str]:
        found = []
        for path, status in walk.files(self.root, scope or ".", _wanted):
            path = path.removeprefix("./")
            if isinstance(status, OSError):
                self.faults.append(Finding(path, 1, "unreadable", (status.strerror or "cannot be read").lower()))
            elif os.path.isdir(os.path.join(self.root, path)):
                # Inside the root it is read where it lies.
                if os.path.isfile(os.path.join(self.root, path, "SKILL.md")) and not files.inside(self.root, os.path.join(self.root, path)):
                    self.faults.append(Finding(path, 1, "unreadable", "a link that leaves the directory; check its target by itself"))
            else:
                found.append(path)
        return found

    def _read(self, path: str, kind: str, home: str) -> Page | None:
        full = os.path.join(self.root, path)
        if os.path.islink(full):
            real = files.inside(self.root, full)
            if real is not None:
                return None  # read where it lies
        try:
            text, _ = files.read_document(full)
            page = Page(path, kind, home, text)
            with open(full, "rb") as handle:
                page.marked = handle.read(3) == b"\xef\xbb\xbf"
        except files.Vanished:
            return None
        except files.Unreadable as exc:
            reason = "a link that leaves the directory" if os.path.islink(full) else str(exc)
            self.faults.append(Finding(path, 1, "unreadable", reason))
            return None
        except OSError as exc:
            self.faults.append(Finding(path, 1, "unreadable", (exc.strerror or "cannot be read").lower()))
            return None
        return page

    def _is_agent(self, page: Page) -> bool:
        """Every .md in there is one for Claude Code; elsewhere `agents` can be any directory."""
        loaded = page.home in self.plugins or posixpath.basename(page.home) == ".claude"
        return loaded or page.raw is not None or page.unclosed


def _wanted(name: str) -> bool:
    return name == "plugin.json" or name[-3:].casefold() in (".md", ".sh")


def _scope(below: str) -> str:
    """The bundle that a path belongs to, so that its neighbours are known too."""
    parts = below.split("/")
    for folder in _FOLDERS:
        if folder in parts:
            return "/".join(parts[: len(parts) - 1 - parts[::-1].index(folder)])
    return posixpath.dirname(below) if posixpath.basename(below).casefold().endswith(".md") else below


def _kinds(paths: list[str], plugins: set[str]) -> dict[str, tuple[str, str]]:
    """path -> (kind, bundle) of the paths that are part of a bundle."""
    skills = {posixpath.dirname(path): path for path in paths if _is_skill(path)}
    homes = {folder: _home(folder) for folder in skills}
    bundles = {*homes.values(), *plugins, *(path.split("/.claude/")[0] + "/.claude" for path in paths if "/.claude/agents/" in path)}
    if any(path.startswith(".claude/agents/") for path in paths):
        bundles.add(".claude")
    found: dict[str, tuple[str, str]] = {}
    for path in paths:
        folder, name = posixpath.split(path)
        if name == "plugin.json":
            continue
        owner = next((up for up in _upwards(folder) if up in skills), None)
        if owner is not None and (owner or folder == ""):
            inner = path[len(owner) + 1:] if owner else path
            if path == skills[owner]:
                found[path] = ("skill", homes[owner])
            elif name[-3:].casefold() == ".md" and not _MATERIAL & set(inner.split("/")[:-1]) and (owner or "/" not in inner):
                found[path] = ("page", homes[owner])
            continue
        for part in ("agents", "partials"):
            home = next((up for up in _upwards(folder) if posixpath.join(up, part) in (folder, *_upwards(folder)) and up in bundles), None)
            if home is None:
                continue
            script = name[-3:].casefold() == ".sh"
            if part == "agents" and not script:
                found[path] = ("agent", home)
            elif part == "partials":
                found[path] = ("partial" if script else "notes", home)
    return found


def _is_skill(path: str) -> bool:
    """SKILL.md anywhere; in another spelling only where nothing but a skill can be meant."""
    folder, name = posixpath.split(path)
    return name == "SKILL.md" or name.casefold() == "skill.md" and posixpath.basename(posixpath.dirname(folder)) == "skills"


def _home(folder: str) -> str:
    parts = folder.split("/")
    if "skills" in parts:
        return "/".join(parts[: len(parts) - 1 - parts[::-1].index("skills")])
    return posixpath.dirname(folder)


def _upwards(folder: str):
    """A directory and those above it, "" last."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""
