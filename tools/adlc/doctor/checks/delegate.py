"""Whether delegated reading is on, and if so, whether it can work. No provider is called."""

import os

from adlc import programs
from adlc.delegate import config, gate
from adlc.doctor.place import Place
from adlc.doctor.result import command, commands, fail, ok
from adlc.user import config as user

OFF = {
    "disabled-via-env": "off, by ADLC_DISABLE_DELEGATE", "disabled-via-config": "off, by the configuration",
    "not-opted-in": "off, as nobody switched it on", "no-binary": "off",
}


def check(place: Place):
    decision = config.decide()
    if decision.fault:
        return fail(f"switched on, but {decision.fault}", _edit(place))
    found = gate.check()
    if found.code == gate.PASS:
        provider = decision.provider
        return ok(f"on: {provider.model} at {provider.host}, read by {place.shown(found.binary)}" if provider else f"on, by {place.shown(found.binary)}")
    if decision.on and found.code == gate.NO_BINARY:
        return fail("switched on, but there is no adlc-read on the PATH outside this project", _link(place))
    return ok(OFF.get(found.reason, found.reason))


def _edit(place: Place) -> str:
    try:
        path = user.path()
    except user.Malformed:
        # Not absolute, or no home to look in.
        return "unset ADLC_CONFIG" if os.environ.get("ADLC_CONFIG") else ""
    quoted = command(path)
    if os.path.islink(path) and not os.path.exists(path):
        return command("rm", "--", path)
    return f'"${{EDITOR:-vi}}" {quoted}' if quoted else ""


def _link(place: Place) -> str:
    entries = programs.absolute_path().split(os.pathsep)
    folder = next((f for f in (os.path.join(place.home, ".local", "bin"),) if f in entries), os.path.join(place.home, "bin"))
    reader = os.path.join(place.installation, "bin", gate.PROGRAM)
    return commands(command("mkdir", "-p", folder), command("ln", "-sfn", reader, os.path.join(folder, gate.PROGRAM)))
