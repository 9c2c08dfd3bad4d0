"""Whether a lock of the counters lies about that nobody holds."""

import os

from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, ok, warn
from adlc.ids import kinds, lock, state

# No allocation takes a minute; what is held for this long hangs.
HANGING_SECONDS = 900


def check(place: Place):
    if not os.path.isdir(state.place()):
        return ok("none")
    found, held = [], []
    for kind in kinds.KINDS:
        path = state.lock_path(kind)
        condition, who, age = lock.look(path)
        remove = command("rm", "-r", "--", path)
        if condition == "abandoned":
            found.append(warn(f"{place.shown(path)}: {who}; the next adlc id next takes it over", remove))
        elif condition == "refused":
            found.append(fail(who, remove))
        elif condition == "held" and age > HANGING_SECONDS:
            found.append(warn(f"{place.shown(path)} has been held for {age / 60:.0f} minutes by {who}", remove))
        elif condition == "held":
            held.append(f"{kind} is held by {who}")
    return found or ok(", ".join(held) or "none held")
