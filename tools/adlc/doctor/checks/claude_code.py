"""Which Claude Code is there."""

import re
import shutil

from adlc import programs
from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, not_run, ok, warn

# The oldest version that the plugin is tried with.
OLDEST = (2, 1, 197)
SECONDS = 10


def check(place: Place):
    program = shutil.which("claude", path=programs.absolute_path())
    if program is None:
        return not_run("claude is not on the PATH")
    answer = _ask(program)
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", answer or "")
    if found is None:
        return fail(f"{place.shown(program)} --version " + ("gives no version" if answer is not None else f"did not answer within {SECONDS} s"), command(program, "doctor"))
    if tuple(map(int, found.groups())) < OLDEST:
        return warn(f"{found[0]}; adlc is tried with {'.'.join(map(str, OLDEST))} and newer", command(program, "update"))
    return ok(f"{found[0]}, {place.shown(program)}")


def _ask(program: str) -> str | None:
    """What it says; "" when it cannot be run, None when it does not answer."""
    try:
        return programs.run([program, "--version"], SECONDS, cwd="/")[1].decode("utf-8", "replace")
    except OSError:
        return ""
    except programs.TimedOut:
        return None
