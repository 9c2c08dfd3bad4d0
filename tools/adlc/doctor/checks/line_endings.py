"""Whether the installed scripts and skills have LF line ends: a carriage return is part of a word to a shell."""

import os

from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, ok

FOLDERS = ("bin", "partials", "tools/delegate", "skills", "agents", "hooks")
# `sed -i` differs between systems; writing through the old file keeps its mode.
STRIP = 'for f do tr -d "\\r" <"$f" >"$f.lf" && cat "$f.lf" >"$f"; rm -f "$f.lf"; done'


def check(place: Place):
    found = [path for path in _files(place.installation) if _has_return(path)]
    if not found:
        return ok("LF everywhere")
    return fail(f"Windows line ends in {place.names(found)}", command("sh", "-c", STRIP, "sh", *found))


def _files(root: str):
    for top in FOLDERS:
        for folder, below, names in os.walk(os.path.join(root, top)):
            below.sort()
            yield from (os.path.join(folder, name) for name in sorted(names))


def _has_return(path: str) -> bool:
    try:
        with open(path, "rb") as handle:
            return b"\r\n" in handle.read()
    except OSError:
        return False  # for the check of modes to tell
