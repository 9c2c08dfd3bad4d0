"""Whether what install.sh made is still as it made it."""

import os

from adlc.doctor import copies, jsonfile
from adlc.doctor.place import Place, same
from adlc.doctor.result import command, fail, not_run, ok


def check(place: Place):
    repair = command("sh", os.path.join(place.installation, "install.sh"), "--repair")
    try:
        record = copies.recorded(place)
    except jsonfile.Malformed as exc:
        return fail(f"{place.shown(copies.record_path(place))}: {exc}", repair)
    if record is None:
        return not_run("install.sh was not used")
    checkout, owned = record
    if not os.path.isdir(checkout):
        return fail(f"the checkout {place.shown(checkout)} that it leads to is gone", repair)
    broken = [entry["path"] for entry in owned if not _as_made(entry)]
    if broken:
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        theirs = place.installation if same(place.installation, checkout) else checkout
        return fail(f"no longer as install.sh made it: {place.shown(broken[0])}{more}", command("sh", os.path.join(theirs, "install.sh"), "--repair"))
    return ok(f"{len(owned)} paths, all leading to {place.shown(checkout)}")


def _as_made(entry: dict) -> bool:
    path = entry["path"]
    if isinstance(entry.get("link"), str):
        return os.path.islink(path) and os.readlink(path) == entry["link"] and os.path.exists(path)
    # Directories are noted for the day they are empty, the ones that are made later, too. Of a file only
    # that it is there: a configuration is written once, for the user to change.
    return bool(entry.get("folder")) or os.path.lexists(path)
