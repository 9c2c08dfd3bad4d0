"""Whether this installation is whole, and agents/ holds the agent alone."""

import os

from adlc import lifecycle
from adlc.doctor import copies
from adlc.doctor.place import Place
from adlc.doctor.result import command, commands, fail, ok, warn
from adlc.errors import AdlcError

# One file of each part is enough to see that the part came along.
PARTS = (
    "bin/adlc", "bin/adlc-read", "skills/spec/SKILL.md", "skills/init/SKILL.md", "agents/spec-scout.md", "hooks/hooks.json",
    "templates/requirement-template.md", "partials/id-alloc.sh", "partials/delegate-gate.sh", "tools/delegate/skill-flag.sh",
    ".claude-plugin/plugin.json",
)


def check(place: Place):
    missing = [part for part in PARTS if not os.path.isfile(os.path.join(place.installation, part))]
    if missing:
        yield fail(f"missing in {place.shown(place.installation)}: {', '.join(missing)}", _restore(place, missing))
    else:
        try:
            lifecycle.spec_exclusions()
        except AdlcError as exc:
            yield fail(exc.message, _restore(place, ["skills/spec/SKILL.md"]))
        else:
            yield ok("whole")
    for name in _strangers(os.path.join(place.installation, "agents")):
        path = os.path.join(place.installation, "agents", name)
        yield warn(f"agents/{name} becomes an agent of every session, with all tools", command("rm", "--", path))


def _restore(place: Place, parts: list[str]) -> str:
    """From the client's source or from git; "" where this copy came by another way."""
    plugin = copies.plugin_of(place)
    if plugin:
        return commands(command("claude", "plugin", "uninstall", plugin), command("claude", "plugin", "install", plugin))
    if os.path.lexists(os.path.join(place.installation, ".git")):
        return command("git", "-C", place.installation, "checkout", "HEAD", "--", *parts)
    return ""


def _strangers(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".md") and name != "spec-scout.md")
    except OSError:
        return []
