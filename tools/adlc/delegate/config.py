"""Whether delegation is on, and to which provider: the one decision that gate and reader share.

Sources, strongest first: ADLC_DISABLE_DELEGATE=1, ADLC_DELEGATE_ENABLED=1, `enabled` as written in the
user's configuration file; without any of them it is off. A file that cannot be read with certainty
switches delegation off: it is never taken for a missing one.
"""

import os
import re

from adlc import web
from adlc.user import config as user
from adlc.user.config import Malformed

MAX_TOKENS = 20000
TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS = 110, 3600
_NUMBER = re.compile(r"-?[0-9]{1,12}", re.A)
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,99}", re.A)
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}", re.A)
# Upper-case credentials would pass for a name: AWS ids, and long runs of letters and digits.
_KEY_IDS = re.compile(r"A(?:KIA|SIA|BIA|CCA|GPA|ROA|IDA|NPA)[A-Z0-9]{12,}", re.A)
_LONG_RUN = re.compile(r"(?=[A-Z0-9]*[0-9])[A-Z0-9]{16,}", re.A)
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})", re.A)


class Provider:
    """Where requests go. key: the credential itself, or "" for a provider that wants none."""

    __slots__ = ("base_url", "host", "model", "key_name", "key", "max_tokens", "timeout", "local")

    def __init__(self, **values):
        for name in self.__slots__:
            setattr(self, name, values[name])

    def __repr__(self):
        return f"Provider({self.base_url}, {self.model}, {self.key_name})"


class Decision:
    """on, reason (one of gate.REASONS), fault: why an opted-in delegation is off all the same; provider when on."""

    __slots__ = ("on", "reason", "fault", "provider")

    def __init__(self, on: bool, reason: str, fault: str = "", provider: Provider | None = None):
        self.on, self.reason, self.fault, self.provider = on, reason, fault, provider


def decide(model: str | None = None, base_url: str | None = None, environ=os.environ) -> Decision:
    """The decision for this environment and these overriding flags. Never raises."""
    if environ.get("ADLC_DISABLE_DELEGATE") == "1":
        return Decision(False, "disabled-via-env")
    file = ""
    try:
        file = user.path(environ)
        written = read(file) or {}
    except Malformed as exc:
        return Decision(False, "disabled-via-config", malformed(exc, file))
    if environ.get("ADLC_DELEGATE_ENABLED") != "1":
        if "enabled" not in written:
            return Decision(False, "not-opted-in")
        if not written["enabled"]:
            return Decision(False, "disabled-via-config")
    try:
        return Decision(True, "ok", provider=_provider(written, model, base_url, environ))
    except Malformed as exc:
        return Decision(False, "disabled-via-config", str(exc))


def malformed(exc: Malformed, file: str) -> str:
    """The sentence for people: what is wrong, and where."""
    return f"the configuration {file} is malformed: {exc}" if file and file.isprintable() else f"the configuration is malformed: {exc}"


def read(file: str) -> dict | None:
    """The section `delegate` of a configuration file; {} when it says nothing, None when there is no file.

    Raises Malformed.
    """
    document = user.load(file)
    return None if document is None else document.get("delegate") or {}


def _provider(written: dict, model: str | None, base_url: str | None, environ) -> Provider:
    configured = environ.get("ADLC_DELEGATE_BASE_URL") or written.get("base_url")
    url, host, origin, local = _endpoint(base_url or configured, bool(written.get("allow_http")))
    model = model or environ.get("ADLC_DELEGATE_MODEL") or written.get("model")
    if not model:
        raise Malformed("no model is configured: set delegate.model, ADLC_DELEGATE_MODEL or --model")
    if not _MODEL.fullmatch(model) or looks_like_key(model):
        raise Malformed("the model's name is not usable: letters, digits and . _ : / @ + - only")
    name = environ.get("ADLC_DELEGATE_API_KEY_ENV") or written.get("api_key_env") or ""
    key = ""
    if name:
        check_key_name(name)
        key = environ.get(name, "").strip()
        if not key:
            raise Malformed(f"the environment variable {name} is not set")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise Malformed(f"the value of {name} is not usable as a key")
        # A key belongs to the endpoint it was configured for; another one given for a single call gets none.
        if base_url and configured and origin != _endpoint(configured, True)[2]:
            name = key = ""
    timeout = environ.get("ADLC_DELEGATE_TIMEOUT", "")
    if timeout and not (_NUMBER.fullmatch(timeout) and 1 <= int(timeout) <= MAX_TIMEOUT_SECONDS):
        raise Malformed(f"ADLC_DELEGATE_TIMEOUT must be seconds from 1 to {MAX_TIMEOUT_SECONDS}")
    return Provider(
        base_url=url, host=host, model=model, key_name=name, key=key, local=local,
        max_tokens=written.get("max_tokens", MAX_TOKENS), timeout=int(timeout or written.get("timeout", TIMEOUT_SECONDS)),
    )


def check_key_name(name: str) -> None:
    """Raises Malformed unless `name` can only be the name of a variable; the value is never repeated."""
    if not _NAME.fullmatch(name) or looks_like_key(name):
        raise Malformed("api_key_env must be the NAME of an environment variable (A-Z, 0-9, _), not the key itself")


def looks_like_key(value: str) -> bool:
    """Whether a value that should be a name is shaped like a credential."""
    from adlc.telemetry.redact import redact

    return bool(_KEY_IDS.search(value) or any(_LONG_RUN.fullmatch(part) for part in value.split("_")) or redact(value)[1])


def _endpoint(url: str | None, allow_http: bool) -> tuple[str, str, str, bool]:
    """-> (base URL without a closing slash, host[:port] for people, origin, whether it is this machine)."""
    from urllib.parse import urlsplit

    if not url:
        raise Malformed("no endpoint is configured: set delegate.base_url, ADLC_DELEGATE_BASE_URL or --base-url")
    try:
        if len(url) > 500 or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
            raise ValueError
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if parts.scheme not in ("http", "https") or port == 0 or not (_HOST.fullmatch(host) or ":" in host and _address(host)):
            raise ValueError
    except ValueError:
        raise Malformed("base_url is not usable: it must be https://host[:port]/path") from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Malformed("base_url must not hold a user, a password, a query or a fragment")
    local = web.is_loopback(host)
    if parts.scheme == "http" and not (local or allow_http):
        raise Malformed("base_url is plain http to another machine: use https, or set delegate.allow_http: true")
    shown = parts.netloc.lower()
    return url.rstrip("/"), shown, f"{parts.scheme}://{host}:{port or (443 if parts.scheme == 'https' else 80)}", local


def _address(host: str):
    if not (":" in host or host.replace(".", "").isdigit()):
        return None
    import ipaddress

    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
