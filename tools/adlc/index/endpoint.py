"""Which endpoint may be sent this user's texts: decided by the user, never by a repository.

An index says in its metadata what it was made with, but metadata is repository content: following the
address in it would send questions (and the value of whatever variable it names) to whoever wrote it. So
an address counts only when it comes from this user: from the flags of `adlc index rebuild`, which are
remembered for the root in the user's state directory, or from the section `embedding` of the user's own
configuration file. The project's .adlc/config.yml has no such key.
"""

import json
import os

from adlc.errors import AdlcError
from adlc.places import make_private, state_dir
from adlc.user import config

MAX_BYTES = 64 * 1024


class Endpoint:
    """api_url, model; api_key_env: name of a variable or ""; allow_http: plain http to another machine is meant."""

    __slots__ = ("api_url", "model", "api_key_env", "allow_http")

    def __init__(self, api_url: str, model: str, api_key_env: str = "", allow_http: bool = False):
        self.api_url, self.model, self.api_key_env, self.allow_http = api_url, model, api_key_env, allow_http

    def shown(self) -> str:
        """The address without a query, which can hold a key."""
        return self.api_url.split("?", 1)[0].split("#", 1)[0]


def chosen(root: str) -> Endpoint | None:
    """What this user chose for `root`; None is the embedded model. Raises AdlcError config_malformed."""
    kept = _remembered(root)
    if kept is not None:
        return kept or None
    return configured()


def remember(root: str, endpoint: Endpoint | None) -> None:
    """Keep the choice for the next rebuild and for questions; None is the embedded model."""
    from adlc import files

    values = {"root": root, "local": True} if endpoint is None else {"root": root} | {
        name: getattr(endpoint, name) for name in Endpoint.__slots__
    }
    try:
        path = _file(root)
        make_private(os.path.dirname(path))
        files.atomic_write(path, json.dumps(values).encode(), 0o600)
    except OSError as exc:
        raise AdlcError("write_failed", f"cannot keep the choice of a model: {exc.strerror}", "set ADLC_STATE_DIR to a directory of yours") from None


def _remembered(root: str) -> Endpoint | bool | None:
    """The endpoint, False for the embedded model, None when nothing was chosen for this root."""
    try:
        with open(_file(root), "rb") as handle:
            values = json.loads(handle.read(MAX_BYTES))
        if values["root"] != root:
            return None
        if values.get("local"):
            return False
        return Endpoint(str(values["api_url"]), str(values["model"]), str(values["api_key_env"]), values["allow_http"] is True)
    except (OSError, AdlcError, ValueError, KeyError, TypeError):
        return None


def _file(root: str) -> str:
    import hashlib

    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:24]
    return os.path.join(state_dir(), "embedding", f"{name}.json")


def configured() -> Endpoint | None:
    """The section `embedding` of the user's configuration. Raises AdlcError config_malformed."""
    try:
        data = config.content(config.path())
        # Without the word there is nothing to parse, and no fault of another section to be stopped by.
        if data is None or b"embedding" not in data:
            return None
        section = config.checked(data).get("embedding") or {}
        if section and not {"api_url", "model"} <= section.keys():
            raise config.Malformed("embedding needs api_url and model")
    except config.Malformed as exc:
        shown = os.environ.get("ADLC_CONFIG") or "~/.claude/adlc/config.yml"
        raise AdlcError("config_malformed", f"{shown}: {exc}", f"edit {shown}") from None
    return Endpoint(**section) if section else None
