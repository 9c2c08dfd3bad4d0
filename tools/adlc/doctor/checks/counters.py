"""Whether the counters of ids hold numbers and can be written."""

import os

from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, ok
from adlc.errors import AdlcError
from adlc.ids import counter, journal, kinds, state


def check(place: Place):
    folder = state.place()
    if not os.path.lexists(folder):
        return ok("none yet; adlc id next makes them from branches and documents")
    if not os.path.isdir(folder):
        return fail(f"{place.shown(folder)} is no directory", command("mv", "--", folder, f"{folder}.old"))
    if not os.access(folder, os.W_OK | os.X_OK):
        return fail(f"{place.shown(folder)} cannot be written: no number can be handed out", command("chmod", "u+rwx", "--", folder))
    found, values = [], []
    for kind in kinds.KINDS:
        try:
            number = counter.read(kind)
        except AdlcError as exc:
            # The counter is a cache: the next call makes it anew from branches and documents.
            found.append(fail(exc.message, command("rm", "-r", "--", state.counter_path(kind))))
        else:
            values.append(f"{kind} {number if number is not None else 'none yet'}")
    if place.root and os.path.isdir(os.path.join(folder, ".adlc-ids")) and (unfinished := journal.pending(place.root)):
        again = place.adlc("id", "renumber", *map(str, unfinished.asked[:2]), "--yes", "--root", place.root)
        found.append(fail(f"renumbering {unfinished.old} to {unfinished.new} was interrupted", command(*again)))
    return found or ok("next: " + ", ".join(values))
