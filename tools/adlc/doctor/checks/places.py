"""Whether adlc's own directories can be written, and have room."""

import os

from adlc import files, places
from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, ok, warn

MEBIBYTES = 20
WHAT = {
    "data": (places.data_dir, fail, "environments cannot be made"),
    "cache": (places.cache_dir, warn, "every call reads all documents again"),
    "state": (places.state_dir, fail, "marks, logs and choices are lost"),
}


def check(place: Place):
    found = []
    for name, (folder_of, level, consequence) in WHAT.items():
        folder = folder_of()
        there = _nearest(folder)
        if not os.path.isdir(there):
            found.append(level(f"{name}: {place.shown(there)} is no directory: {consequence}", command("mv", "--", there, f"{there}.old")))
        elif not os.access(there, os.R_OK | os.W_OK | os.X_OK):
            own = os.stat(there).st_uid == os.geteuid()
            advice = "" if own else f"; ADLC_{name.upper()}_DIR can name a directory of yours"
            fix = command("chmod", "u+rwx", "--", there) if own else ""
            found.append(level(f"{name}: {place.shown(there)} cannot be written: {consequence}{advice}", fix))
        elif (free := _free(there)) < MEBIBYTES:
            found.append(warn(f"{name}: only {free} MiB free in {place.shown(there)}", command("df", "-h", there)))
    shown = ", ".join(place.shown(folder_of()) for folder_of, _, _ in WHAT.values())
    return found or ok(shown)


def _nearest(folder: str) -> str:
    """`folder`, or what would be written into to make it."""
    return next(up for up in files.upwards(folder) if os.path.lexists(up))


def _free(folder: str) -> int:
    st = os.statvfs(folder)
    return st.f_bavail * st.f_frsize >> 20
