"""Whether the settings of Claude Code can be read, and whether they let it run adlc without asking (which is a choice)."""

import os

from adlc.doctor import jsonfile
from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, ok
from adlc.scaffold import permission


def check(place: Place):
    files = [os.path.join(place.claude, "settings.json")]
    if place.root:
        files += [place.below_root(".claude/settings.json"), place.below_root(permission.FILE)]
    found, allowed = [], ""
    for path in files:
        try:
            if permission.allows(jsonfile.read(path)):
                allowed = allowed or path
        except jsonfile.Malformed as exc:
            quoted = command(path)
            found.append(fail(f"{place.shown(path)}: {exc}: Claude Code ignores all of it", f'"${{EDITOR:-vi}}" {quoted}' if quoted else ""))
    if allowed:
        found.append(ok(f"{permission.RULE} in {place.shown(allowed)}"))
    elif not found and place.root:
        found.append(ok("Claude Code asks before it runs adlc; to allow it here:", command(*place.adlc("init", "--allow", "--root", place.root))))
    return found or [ok("Claude Code asks before it runs adlc")]
