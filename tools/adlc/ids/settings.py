"""Whether numbers are reserved on the remote: `ids: {reserve: remote}` in the project's config."""

import os

from adlc.errors import AdlcError

_VALUES = {"remote": True, "off": False, "none": False, "": False}


def reserving(root: str) -> bool:
    """`ids.reserve` of `.adlc/config.yml` below `root`; False without one. Raises AdlcError config_malformed."""
    path = os.path.join(root, ".adlc", "config.yml")
    try:
        with open(path, "rb") as handle:
            data = handle.read(64 * 1024)
    except OSError:
        return False
    # The YAML reader costs more than everything else an allocation does.
    if b"reserve" not in data:
        return False
    import yaml

    try:
        settings = yaml.load(data.decode("utf-8-sig"), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as exc:
        raise AdlcError("config_malformed", f"{path} cannot be read: {str(exc).splitlines()[0]}", "correct the file") from None
    section = settings.get("ids") if isinstance(settings, dict) else None
    value = section.get("reserve", "") if isinstance(section, dict) else ""
    if not isinstance(value, str) or value.lower() not in _VALUES:
        raise AdlcError("config_malformed", f"{path}: ids.reserve is {value!r}", "write remote or off")
    return _VALUES[value.lower()]
