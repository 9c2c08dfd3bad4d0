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
from adlc.places import home, make_private, state_dir

KEYS = ("api_url", "model", "api_key_env")
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
    path = os.environ.get("ADLC_CONFIG", "")
    if path and not os.path.isabs(path):
        raise AdlcError("config_malformed", "ADLC_CONFIG must be an absolute path", "set ADLC_CONFIG to one, or unset it")
    text = _text(path or os.path.join(home(), ".claude", "adlc", "config.yml"))
    if "embedding" not in text:
        return None
    path = path or "~/.claude/adlc/config.yml"
    section = _section(text, path)
    if not section:
        return None
    if not isinstance(section, dict) or not set(section) <= {*KEYS, "allow_http"} or not all(isinstance(v, str) for v in section.values()):
        raise _malformed(path, f"embedding: may have {', '.join(KEYS)} and allow_http")
    if not section.get("api_url") or not section.get("model"):
        raise _malformed(path, "embedding: needs api_url and model")
    return Endpoint(section["api_url"], section["model"], section.get("api_key_env", ""), section.get("allow_http") == "true")


def _text(path: str) -> str:
    """The file's text, "" without one. A link is followed: people keep such files elsewhere and link them."""
    from adlc import files

    try:
        text, stat = files.read_document(os.path.realpath(path))
    except files.Vanished:
        return ""
    except files.Unreadable as exc:
        raise _malformed(path, str(exc)) from None
    if stat.st_size > MAX_BYTES:
        raise _malformed(path, f"larger than {MAX_BYTES // 1024} KiB")
    return text


def _section(text: str, path: str):
    import yaml

    from adlc.corpus.frontmatter import too_deep

    try:
        if too_deep(text):
            raise ValueError
        values = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        raise _malformed(path, "not YAML") from None
    return values.get("embedding") if isinstance(values, dict) else None


def _malformed(path: str, why: str) -> AdlcError:
    return AdlcError("config_malformed", f"{path}: {why}", f"edit {path}")
