"""Which project this is, and whether what it says about itself can be read."""

import os

from adlc import config
from adlc.corpus import layouts
from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, not_run, ok
from adlc.errors import AdlcError
from adlc.harness import detect
from adlc.ids import settings as ids_settings


def check(place: Place):
    if place.root is None:
        return not_run(place.without, command(*place.adlc("init")))
    try:
        values = config.read(place.root)
        for name in config.HOOKS:
            config.hook_is_on(place.root, name)
        detect.configured(place.root)
        ids_settings.reserving(place.root)
        for key in ("roots", "plain"):
            config.directories(values, key)
    except AdlcError as exc:
        quoted = command(os.path.join(place.root, config.FILE))
        return fail(f"{exc.message}: commands that need it refuse to work", f'"${{EDITOR:-vi}}" {quoted}' if quoted else "")
    return ok(f"{place.shown(place.root)} ({', '.join(layouts.present(place.root))})")
