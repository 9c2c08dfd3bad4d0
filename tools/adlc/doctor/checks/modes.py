"""Whether programs can be run, files be read, and nobody else can change them. Some installers lose these bits."""

import os
import stat

from adlc.doctor.place import Place
from adlc.doctor.result import fail, ok, warn

FOLDERS = ("bin", "tools", "partials", "skills", "agents", "hooks", "templates")
PROGRAMS = (("bin", ""), ("tools/delegate", ".sh"))


def check(place: Place):
    programs = [path for path in _programs(place.installation) if not stat.S_IMODE(os.stat(path).st_mode) & 0o100]
    unreadable, writable = [], []
    for path in _everything(place.installation):
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        if not os.access(path, os.R_OK):
            unreadable.append(path)
        if mode & 0o002 and not os.path.islink(path):
            writable.append(path)
    found = []
    if programs:
        found.append(fail(f"not executable: {place.names(programs)}", argv=("chmod", "u+x", *programs)))
    if unreadable:
        found.append(fail(f"not readable: {place.names(unreadable)}", argv=_chmod(place, "u+r", unreadable)))
    if writable:
        found.append(warn(f"anybody on this machine can change {place.names(writable)}", argv=_chmod(place, "o-w", writable)))
    return found or ok("programs are executable, files readable")


def _chmod(place: Place, change: str, paths: list[str]) -> tuple[str, ...]:
    """Of the files alone, or where they are too many to read of everything."""
    if len(paths) <= 20:
        return ("chmod", change, *paths)
    folders = [os.path.join(place.installation, name) for name in FOLDERS]
    return ("chmod", "-R", change, *(folder for folder in folders if os.path.isdir(folder)))


def _programs(root: str) -> list[str]:
    found = []
    for folder, suffix in PROGRAMS:
        for name in sorted(os.listdir(os.path.join(root, folder))):
            path = os.path.join(root, folder, name)
            if name.endswith(suffix) and os.path.isfile(path):
                found.append(path)
    return found


def _everything(root: str) -> list[str]:
    found = []
    for top in FOLDERS:
        for folder, below, names in os.walk(os.path.join(root, top)):
            below[:] = sorted(name for name in below if name != "__pycache__")
            found += [folder, *(os.path.join(folder, name) for name in sorted(names))]
    return [path for path in found if os.path.exists(path)]
