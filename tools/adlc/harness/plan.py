"""Decides, file by file, what rendering would do. Reads only.

A file is written only where there is none, or where the one there is byte for byte what was rendered last
time. Anything else there belongs to somebody: it is kept, and ours lies beside it as `.new`.
"""

import os

from adlc import git
from adlc.errors import AdlcError
from adlc.harness import adapters, detect, skill
from adlc.harness.agent import Agent
from adlc.harness.manifest import Manifest, digest
from adlc.harness.target import Target

CREATED, UPDATED, UNCHANGED, KEPT, REMOVED, REFUSED, SKIPPED = "created", "updated", "unchanged", "kept", "removed", "refused", "skipped"
# What tells that the files are not as they should be.
DRIFT = {CREATED, UPDATED, KEPT, REMOVED, REFUSED}


class Step:
    """What is done for one harness at one path; skipped has no path. content: what is to be written, if anything."""

    __slots__ = ("harness", "action", "note", "target", "content")

    def __init__(self, harness: str, action: str, note: str = "", target: Target | None = None, content: bytes | None = None):
        self.harness, self.action, self.note, self.target, self.content = harness, action, note, target, content

    @property
    def path(self) -> str | None:
        return self.target and self.target.key


def target(root: str | None, harness: str, path: str) -> Target:
    """Where a path that an adapter gave lies: below the root, or with None below the harness' own directory of the user."""
    if root is not None:
        return Target(root, path, path)
    base = detect.directory(adapters.get(harness))
    return Target(base, path, os.path.join(base, path))


def render(agent: Agent, root: str | None, names: list[str], manifest: Manifest) -> list[Step]:
    """The steps for these harnesses, the removal of what they no longer have included. Raises AdlcError."""
    steps = []
    for name in names:
        reason = _superfluous(root, name, steps, manifest)
        wanted = []
        if reason:
            steps.append(Step(name, SKIPPED, reason))
        if not reason or name in adapters.WITHOUT:
            adapter = adapters.get(name)
            what = skill.load() if name in adapters.WITHOUT else agent
            path, content = adapter.render(what, "user" if root is None else "project")
            fault = adapter.FORM.fault(what, content)
            if fault:
                raise AdlcError("internal", f"{name}: what was rendered is not valid there: {fault}", "report this")
            wanted = _file(root, name, target(root, name, path), content, manifest)
            wanted[0].note = wanted[0].note or adapter.NOTE
        steps += wanted
        steps += remove(root, [name], manifest, {step.path for step in wanted}, "no longer rendered")
    return steps


def remove(root: str | None, names: list[str], manifest: Manifest, wanted=frozenset(), note: str = "") -> list[Step]:
    """Steps that take away what was rendered for these harnesses and is not wanted any more."""
    steps = []
    for key, (harness, hash) in sorted(manifest.files.items()):
        if harness not in names or key in wanted:
            continue
        place = _recorded(root, key)
        obstacle = place.obstacle()
        present = None if obstacle else place.read()
        if obstacle:
            steps.append(Step(harness, REFUSED, obstacle, place))
        elif present is not None and digest(present) != hash:
            steps.append(Step(harness, KEPT, "edited by hand; it is yours from now on", place))
        else:
            steps.append(Step(harness, REMOVED, note, place))
    return steps


def _recorded(root: str | None, key: str) -> Target:
    # The paths of the user's files were real when they were recorded: a link on the way is new.
    return Target(root, key, key) if root is not None else Target("/", key.lstrip("/"), key)


def _superfluous(root: str | None, name: str, steps: list[Step], manifest: Manifest) -> str:
    if name in adapters.WITHOUT:
        return "it has no sub-agents: no agent is rendered"
    if name == "claude" and detect.plugin_enabled(root):
        return "the plugin is enabled and brings adlc:spec-scout"
    if name == "copilot" and root is not None:
        now = {step.action for step in steps if step.harness == "claude"}
        before = any(harness == "claude" for harness, _ in manifest.files.values())
        if now & {CREATED, UPDATED, UNCHANGED} or not now and before:
            return "it reads .claude/agents, where the agent is"
    return ""


def _file(root: str | None, name: str, place: Target, content: bytes, manifest: Manifest) -> list[Step]:
    """[the step for the file, and when that is not ours the one for `.new` beside it]"""
    obstacle = place.obstacle()
    if obstacle:
        return [Step(name, REFUSED, f"{obstacle}: nothing is written through it", place)]
    present = place.read()
    if present is None:
        return [Step(name, CREATED, "", place, content)]
    recorded = manifest.files.get(place.key, ("", ""))[1]
    if present == content:
        # After an interrupted run it is ours without a record; one that is committed is the project's.
        owned = recorded or not _tracked(root, place)
        return [Step(name, UNCHANGED, "" if owned else "committed, so the project's own", place, content if owned else None)]
    if recorded == digest(present):
        return [Step(name, UPDATED, "", place, content)]
    whose = "edited by hand" if recorded else "somebody else's"
    return [Step(name, KEPT, f"{whose}; ours is beside it as .new", place), *_beside(name, place.beside(), content, manifest)]


def _beside(name: str, place: Target, content: bytes, manifest: Manifest) -> list[Step]:
    obstacle = place.obstacle()
    if obstacle:
        return [Step(name, REFUSED, obstacle, place)]
    present = place.read()
    if present == content:
        return [Step(name, UNCHANGED, "", place, content)]
    recorded = manifest.files.get(place.key, ("", ""))[1]
    if present is not None and recorded != digest(present):
        return [Step(name, KEPT, "not written by adlc, or edited since", place)]
    return [Step(name, CREATED if present is None else UPDATED, "", place, content)]


def _tracked(root: str | None, place: Target) -> bool:
    if root is None:
        return False
    try:
        git.run(root, "ls-files", "--error-unmatch", "-z", "--", place.path)
    except git.GitFailed:
        return False
    return True
