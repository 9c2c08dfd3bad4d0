"""Whether what install.sh made is still as it made it."""

import os

from adlc import files
from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, not_run, ok
from adlc.errors import AdlcError
from adlc.installation import manifest, source


def check(place: Place):
    repair = command("sh", os.path.join(place.installation, "install.sh"), "--repair")
    try:
        record = manifest.read(place.claude)
    except AdlcError as exc:
        return fail(exc.message, repair)
    if not record.checkout:
        return not_run("install.sh was not used")
    if not os.path.isdir(record.checkout):
        return fail(f"the checkout {place.shown(record.checkout)} that it leads to is gone", repair)
    broken = [path for path in record.owned if not _as_made(record, path)]
    if broken:
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        theirs = place.installation if files.same(place.installation, record.checkout) else record.checkout
        return fail(f"no longer as install.sh made it: {place.shown(broken[0])}{more}", command("sh", os.path.join(theirs, "install.sh"), "--repair"))
    skills = os.path.join(place.claude, "skills")
    covers = source.covers({os.path.basename(path) for path in record.owned if os.path.dirname(path) == skills})
    return ok(f"{len(record.owned)} paths, all leading to {place.shown(record.checkout)}" + (f"; {covers}" if covers else ""))


def _as_made(record: manifest.Manifest, path: str) -> bool:
    if "sha256" in record.owned[path]:
        # A configuration is written once, for the user to change.
        return os.path.exists(path)
    return record.owns(path) and os.path.exists(path)
