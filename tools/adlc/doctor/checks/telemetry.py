"""Whether the local log of delegated steps can be written, and only this user can read it."""

import os
import stat

from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, ok, warn
from adlc.telemetry import record


def check(place: Place):
    path = record.log_path()
    if record.is_off():
        return ok("off")
    try:
        st = os.lstat(path)
    except FileNotFoundError:
        return ok(f"nothing recorded yet; will be {place.shown(path)}")
    except OSError as exc:
        return fail(f"{place.shown(path)}: {(exc.strerror or 'unreadable').lower()}: nothing is recorded", command("ls", "-ld", os.path.dirname(path)))
    if not stat.S_ISREG(st.st_mode):
        what = "a symbolic link" if stat.S_ISLNK(st.st_mode) else "no regular file"
        return fail(f"{place.shown(path)} is {what}: nothing is recorded", command("mv", "--", path, f"{path}.old"))
    if st.st_mode & 0o077:
        return warn(f"others can read {place.shown(path)}", argv=("chmod", "600", path))
    if not os.access(path, os.R_OK | os.W_OK):
        return fail(f"{place.shown(path)} cannot be written: nothing is recorded", argv=("chmod", "600", path))
    return ok(f"{place.shown(path)}, {st.st_size} bytes")
