"""Decides, file by file, what happens to a project's `.adlc/`, and does it."""

from adlc import __version__
from adlc.scaffold import contents, manifest, place

NEW = ".new"


class Action:
    """path, and what is done to it: created, unchanged, kept, refreshed, stale, removed. note: why, or ""."""

    __slots__ = ("path", "action", "note", "content")

    def __init__(self, path: str, action: str, note: str = "", content: bytes | None = None):
        self.path, self.action, self.note, self.content = path, action, note, content


def plan(root: str, refresh: bool) -> list[Action]:
    """The actions for every file, in order. Reads only. Raises AdlcError write_failed."""
    written = place.read(root, manifest.FILE)
    before, by = manifest.parse(written), manifest.version(written)
    # What a newer adlc wrote is not old: this one would take the project back.
    refresh = refresh and not manifest.newer(by, __version__)
    after = {}
    actions = []
    for item in contents.items():
        if item.path.endswith("/.gitkeep") and place.filled(root, item.path):
            continue
        present = place.read(root, item.path)
        if item.kind == contents.OWN:
            actions.append(
                Action(item.path, "created", content=item.content) if present is None
                else Action(item.path, "kept", "the project's own") if present != item.content
                else Action(item.path, "unchanged")
            )
        else:
            actions += _copy(root, item, present, before, after, refresh, by)
    recorded = manifest.render(after, by if any(action.action == "stale" for action in actions) else __version__)
    present = place.read(root, manifest.FILE)
    if present != recorded:
        actions.append(Action(manifest.FILE, "created" if present is None else "refreshed", content=recorded))
    else:
        actions.append(Action(manifest.FILE, "unchanged"))
    return actions


def apply(root: str, actions: list[Action]) -> None:
    """Do what `plan` said. Raises AdlcError write_failed; what was done until then is whole."""
    for action in actions:
        if action.content is not None:
            place.write(root, action.path, action.content)
        elif action.action == "removed":
            place.remove(root, action.path)


def _copy(root: str, item, present: bytes | None, before: dict, after: dict, refresh: bool, by: str) -> list[Action]:
    beside = item.path + NEW
    ours = manifest.digest(item.content)
    if present is None or present == item.content:
        after[item.path] = ours
        done = Action(item.path, "unchanged") if present is not None else Action(item.path, "created", content=item.content)
        return [done, *_tidy(root, beside, before)]
    if before.get(item.path) == manifest.digest(present):
        after[item.path] = ours if refresh else before[item.path]
        if refresh:
            return [Action(item.path, "refreshed", content=item.content), *_tidy(root, beside, before)]
        why = f"from adlc {by}, which is newer than this one: update adlc" if manifest.newer(by, __version__) else "an older copy; adlc init --refresh replaces it"
        return [Action(item.path, "stale", why)]
    if item.path in before:
        after[item.path] = before[item.path]
    kept = Action(item.path, "kept", f"edited; ours is in {beside}")
    there = place.read(root, beside)
    if there is not None and there != item.content and before.get(beside) != manifest.digest(there):
        kept.note = f"edited; {beside} is there already and was not written by adlc"
        return [kept]
    after[beside] = ours
    if there == item.content:
        return [kept, Action(beside, "unchanged")]
    return [kept, Action(beside, "created" if there is None else "refreshed", content=item.content)]


def _tidy(root: str, beside: str, before: dict) -> list[Action]:
    """Take away a .new of ours that has served its purpose."""
    there = place.read(root, beside) if beside in before else None
    if there is not None and before[beside] == manifest.digest(there):
        return [Action(beside, "removed", "the file beside it is ours again")]
    return []
