"""Whether the command `adlc` leads here, as the skills and agents call it."""

import os
import shutil

from adlc import files, programs
from adlc.doctor import copies
from adlc.doctor.place import Place
from adlc.doctor.result import command, commands, fail, ok, warn


def check(place: Place):
    found = shutil.which("adlc", path=programs.absolute_path())
    if found and files.same(copies.leads_to(place, found), place.installation):
        yield ok(place.shown(found))
    elif found:
        # What is in the way is replaced where it is a link, and overtaken where PATH allows it.
        yield fail(f"adlc leads to {place.shown(found)}, not to this copy", _link(place, os.path.dirname(found)))
    else:
        linked = _linked(place)
        if linked:
            what = f"{place.shown(linked)} leads here, but its directory is not on the PATH of this shell"
            quoted = command(os.path.dirname(linked))
            yield warn(f"{what}: skills outside a plugin session cannot call it", f"export PATH={quoted}:$PATH" if quoted else "")
        else:
            yield warn("adlc is not on the PATH: skills outside a plugin session cannot call it", _link(place, None))
    for path, _ in copies.on_path(place):
        if os.path.islink(path) and not os.path.exists(path):
            yield fail(f"{place.shown(path)} leads nowhere: {os.readlink(path)}", command("ln", "-sfn", place.launcher, path))


def _own_folders(place: Place) -> tuple[str, ...]:
    return os.path.join(place.home, ".local", "bin"), os.path.join(place.home, "bin")


def _linked(place: Place) -> str:
    """The command in a directory of the user's that already leads here, "" without one."""
    for folder in _own_folders(place):
        target = os.path.join(folder, "adlc")
        if os.path.exists(target) and files.same(copies.leads_to(place, target), place.installation):
            return target
    return ""


def _link(place: Place, before: str | None) -> str:
    """A link in a directory of the user's that PATH has (ahead of `before`), else a longer PATH for this shell."""
    entries = programs.absolute_path().split(os.pathsep)
    if before in entries:
        entries = entries[:entries.index(before) + 1]
    for folder in _own_folders(place):
        target = os.path.join(folder, "adlc")
        if folder in entries and not (os.path.lexists(target) and not os.path.islink(target)):
            # ln would put the link into a directory that the old one leads to.
            return commands(command("mkdir", "-p", folder), command("ln", "-sfn", place.launcher, target))
    quoted = command(os.path.dirname(place.launcher))
    return f"export PATH={quoted}:$PATH" if quoted else ""
