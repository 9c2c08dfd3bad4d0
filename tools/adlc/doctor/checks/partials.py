"""Whether the project's copies of the partials are the installed ones, and come along into clones and worktrees."""

import os

from adlc import __version__, git, vendored
from adlc.doctor import copies
from adlc.doctor.place import Place
from adlc.doctor.result import Result, command, commands, not_run, ok, warn
from adlc.errors import AdlcError
from adlc.scaffold import manifest, scaffold
from adlc.scaffold import place as scaffold_place


def check(place: Place):
    if place.root is None:
        return not_run(place.without)
    found = [_state(place), _tracked(place)]
    return [result for result in found if result is not None] or ok("current")


def _state(place: Place) -> Result | None:
    state = vendored.state(place.root)
    if state == "absent":
        return ok("none here: fences use the installed ones")
    if state == "current":
        return None
    folder = place.below_root(vendored.PARTIALS)
    names = vendored.differing(folder)
    shown = ", ".join(names[:3])
    try:
        by = manifest.version(scaffold_place.read(place.root, manifest.FILE))
        planned = {action.path: action for action in scaffold.plan(place.root, True)}
    except (AdlcError, OSError):
        by, planned = "", {}
    if manifest.newer(by, __version__):
        return warn(f"from adlc {by}, which is newer than this one ({__version__}), so /spec uses none of them: {shown}", _update(place))
    steps = [planned.get(f"{vendored.PARTIALS}/{name}") for name in names]
    if steps and all(step and step.action == "refreshed" for step in steps):
        refresh = place.adlc("init", "--refresh", "--root", place.root)
        if manifest.newer(__version__, by):
            return warn(f"from an older adlc ({by}), so /spec uses none of them: {shown}", argv=refresh)
        # Nobody edited them, but the version does not tell which copy is the older one.
        return warn(f"from another copy of adlc, older or newer than this one (unverified), so /spec uses none of them: {shown}", command(*refresh))
    fixes = []
    for name in names:
        ours, theirs = os.path.join(place.installation, "partials", name), os.path.join(folder, name)
        if os.path.lexists(ours):
            # Not through a link: what it leads to is somebody's.
            fixes += [command("rm", "-f", "--", theirs)] if os.path.islink(theirs) else []
            fixes.append(command("cp", "--", ours, theirs))
        else:
            fixes.append(command("rm", "--", theirs))
    return warn(f"not the installed ones, so /spec uses none of them: {shown}", commands(*fixes))


def _update(place: Place) -> str:
    plugin = copies.plugin_of(place)
    return command("claude", "plugin", "update", plugin) if plugin else command("git", "-C", place.installation, "pull", "--ff-only")


def _tracked(place: Place) -> Result | None:
    """Files that git does not have are missing in every other worktree and clone."""
    wanted = [path for path in (vendored.PARTIALS, ".adlc/templates") if os.path.isdir(place.below_root(path))]
    try:
        others = git.run(place.root, "ls-files", "-z", "--others", "--", *wanted) if wanted else b""
    except git.GitFailed:
        return None
    names = [name for name in os.fsdecode(others).split("\0") if name and not name.endswith(".new")]
    if not names:
        return None
    folders = sorted({path for path in wanted for name in names if name.startswith(path + "/")})
    return warn(
        f"git does not have {', '.join(names[:2])}" + (f" and {len(names) - 2} more" if len(names) > 2 else "") + ": worktrees and clones lack them",
        command("git", "-C", place.root, "add", "-f", "--", *folders),
    )
