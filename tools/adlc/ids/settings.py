"""Whether numbers are reserved on the remote: `ids: {reserve: remote}` in the project's config."""

from adlc import config
from adlc.errors import AdlcError

_VALUES = {"remote": True, "off": False, "none": False, "": False}


def reserving(root: str) -> bool:
    """`ids.reserve` of the project's config; False without one. Raises AdlcError config_malformed."""
    if not config.mentions(root, b"reserve"):
        return False
    section = config.read(root).get("ids")
    value = section.get("reserve", "") if isinstance(section, dict) else ""
    if not isinstance(value, str) or value.lower() not in _VALUES:
        raise AdlcError("config_malformed", f"{config.FILE}: ids.reserve is {value!r}", "write `reserve: remote` or `reserve: off`")
    return _VALUES[value.lower()]
