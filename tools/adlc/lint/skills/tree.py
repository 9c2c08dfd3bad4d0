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
from adlc.lint.skills.place import Place

# Beside a skill these hold what it writes or is tested with, not what an agent follows.
_MATERIAL = frozenset(("assets", "templates", "fixtures", "tests", "test", "evals"))
# These are for people, who work in one shell.
_FOR_PEOPLE = frozenset(("readme.md", "changelog.md", "contributing.md", "license.md"))


class Tree:
    """pages: those below the path that was asked about, by path. faults: findings about files that cannot be read.

    plugins: the bundles, root-relative, that are plugins of Claude Code.
    """

    def __init__(self, place: Place):
        self.root, self._below = place.root, place.below
        self.faults: list[Finding] = []
        listed = self._listed(place.scope)
        self.plugins = {posixpath.dirname(posixpath.dirname(path)) for path in listed if path.endswith(".claude-plugin/plugin.json")}
        self._kinds = _kinds(listed, self._loaded(listed))
        self._all: dict[str, Page] = {}
        for path, (kind, home) in sorted(self._kinds.items()):
            page = self._read(path, kind, home)
            if page is not None and (kind != "agent" or self._is_agent(page)):
                self._all[path] = page
        self.pages = [page for path, page in self._all.items() if self._asked(path)]

    @property
    def examined(self) -> int:
        """How many files were looked at, unreadable ones included; 0 when there is neither a skill nor an agent."""
        if not self._below and not self.faults and not any(page.kind in ("skill", "agent") for page in self.pages):
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

    def _asked(self, path: str) -> bool:
        return not self._below or path == self._below or path.startswith(self._below + "/")

    def _fault(self, path: str, reason: str) -> None:
        if self._asked(path):
            self.faults.append(Finding(path, 1, "unreadable", reason))

    def _listed(self, scope: str) -> list[str]:
        found = []
        for path, status in walk.files(self.root, scope or ".", _wanted):
            path = path.removeprefix("./")
            full = os.path.join(self.root, path)
            if isinstance(status, OSError):
                self._fault(path, (status.strerror or "cannot be read").lower())
            elif not os.path.isdir(full):
                found.append(path)
            elif os.path.isfile(os.path.join(full, "SKILL.md")) and not files.inside(self.root, full):
                # One that stays inside is read where it lies.
                self._fault(path, "a link that leaves the directory; check its target by itself")
        return found

    def _loaded(self, listed: list[str]) -> set[str]:
        """The bundles whose agents Claude Code loads, or that were asked for by name."""
        found = {path.partition(".claude/agents/")[0] + ".claude" for path in listed if "/.claude/agents/" in "/" + path}
        if posixpath.basename(self.root) == ".claude":
            found.add("")
        parts = self._below.split("/")
        if "agents" in parts and "skills" not in parts:
            found.add("/".join(parts[: parts.index("agents")]))
        return found | self.plugins

    def _read(self, path: str, kind: str, home: str) -> Page | None:
        full = os.path.join(self.root, path)
        if os.path.islink(full):
            real = files.inside(self.root, full)
            if real is None:
                return self._fault(path, "a link that leaves the directory; check its target by itself")
            if os.path.relpath(real, self.root) in self._kinds:
                return None  # read where it lies
            full = real
        try:
            text, _ = files.read_document(full)
            with open(full, "rb") as handle:
                return Page(path, kind, home, text, marked=handle.read(3) == b"\xef\xbb\xbf")
        except files.Vanished:
            return None
        except files.Unreadable as exc:
            return self._fault(path, str(exc))
        except OSError as exc:
            return self._fault(path, (exc.strerror or "cannot be read").lower())

    def _is_agent(self, page: Page) -> bool:
        """Every .md in there is one for Claude Code; elsewhere `agents` can be any directory."""
        loaded = page.home in self.plugins or posixpath.basename(posixpath.join(self.root, page.home).rstrip("/")) == ".claude"
        return loaded or page.raw is not None or page.unclosed


def _wanted(name: str) -> bool:
    return name == "plugin.json" or name[-3:].casefold() in (".md", ".sh")


def _kinds(paths: list[str], loaded: set[str]) -> dict[str, tuple[str, str]]:
    """path -> (kind, bundle) of the paths that are part of a bundle. loaded: bundles that need no skill to be one."""
    skills = {posixpath.dirname(path): path for path in paths if _is_skill(path)}
    bundles = {_home(folder) for folder in skills} | loaded
    found: dict[str, tuple[str, str]] = {}
    for path in paths:
        folder, name = posixpath.split(path)
        if name == "plugin.json":
            continue
        owner = next((up for up in _upwards(folder) if up in skills), None)
        if owner is not None and path == skills[owner]:
            found[path] = ("skill", _home(owner))
        elif owner is not None and _beside(path, owner):
            found[path] = ("page", _home(owner))
        elif not owner and (place := _part(folder, bundles)):
            part, home = place
            script = name[-3:].casefold() == ".sh"
            if part == "partials":
                found[path] = ("partial" if script else "notes", home)
            elif not script:
                found[path] = ("agent", home)
    return found


def _beside(path: str, owner: str) -> bool:
    """Whether a path is a page that the skill in directory `owner` may send its reader to."""
    inner = path[len(owner) + 1:] if owner else path
    if not owner and not inner.startswith("references/"):
        return False  # a repository that is one skill has other pages too
    *folders, name = inner.casefold().split("/")
    return name.endswith(".md") and name not in _FOR_PEOPLE and not _MATERIAL & set(folders)


def _part(folder: str, bundles: set[str]) -> tuple[str, str] | None:
    """("agents" or "partials", bundle) when the directory is that part of a bundle, or lies in it."""
    for up in _upwards(folder):
        if posixpath.basename(up) in ("agents", "partials") and posixpath.dirname(up) in bundles:
            return posixpath.basename(up), posixpath.dirname(up)
    return None


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
