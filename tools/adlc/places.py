"""Where adlc keeps what it makes for one user: data (the environment), cache, state.

One place for each kind, for every room. The rules are those of the XDG base directories on every
platform: the ADLC_* variable, else adlc/ in the XDG directory (a value that is not absolute is
ignored, as that specification asks), else the usual directory in the home. Data and cache of the
plugin's own copy lie in the directory that Claude Code keeps for the plugin and removes with it.
bin/adlc applies the same rules in sh.
"""

import os
import sys

from adlc.errors import AdlcError


def data_dir() -> str:
    """What a rebuild would cost time or the network: environments, models."""
    return _place("ADLC_DATA_DIR", "XDG_DATA_HOME", ".local/share", "")


def cache_dir() -> str:
    """What may be deleted at any time."""
    return _place("ADLC_CACHE_DIR", "XDG_CACHE_HOME", ".cache", "/cache")


def state_dir() -> str:
    """What must outlive a call but concerns this machine only: flags, logs."""
    return _place("ADLC_STATE_DIR", "XDG_STATE_HOME", ".local/state")


def home() -> str:
    """The user's home: HOME, or the password database when that says nothing usable."""
    path = os.environ.get("HOME", "")
    if not os.path.isabs(path):
        import pwd

        try:
            path = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            path = ""
    if not os.path.isabs(path):
        raise AdlcError("environment_missing", "no home directory", "set HOME")
    return path


def make_private(path: str) -> str:
    """Create a directory and its missing parents for this user only; returns the path."""
    if not os.path.isdir(path):
        make_private(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
        else:
            os.chmod(path, 0o700)  # a umask may have taken the owner's own bits
    return path


def plugin_dir() -> str:
    """The directory that Claude Code keeps for the plugin whose copy is running; "" for any other checkout."""
    # As started, not as resolved: bin/adlc has only the path it was called by.
    started = getattr(sys.modules.get("__main__"), "__file__", None) or ""
    plugins, found, below = started.rpartition("/plugins/cache/")
    parts = below.split("/")
    if not found or not os.path.isabs(plugins) or len(parts) != 6 or parts[3:] not in (["tools", "adlc", name] for name in ("__main__.py", "env.py")):
        return ""
    market, plugin = parts[:2]
    if not all(part and part.isascii() and part.replace("-", "_").replace("_", "0").isalnum() for part in (market, plugin)):
        return ""
    return f"{plugins}/plugins/data/{plugin}-{market}"


def _place(variable: str, xdg: str, below_home: str, below_plugin: str | None = None) -> str:
    explicit = os.environ.get(variable, "")
    if os.path.isabs(explicit):
        return explicit
    if explicit:
        raise AdlcError("usage", f"{variable} must be an absolute path, not '{explicit}'")
    if below_plugin is not None and (own := plugin_dir()):
        return own + below_plugin
    base = os.environ.get(xdg, "")
    if not os.path.isabs(base):
        base = os.path.join(home(), below_home)
    return os.path.join(base, "adlc")
