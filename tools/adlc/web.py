"""What the two clients of OpenAI-compatible endpoints have in common: how to read what a server says about itself."""

import json
import re

_MOST_OF_AN_ERROR = 64 * 1024


def is_loopback(host: str) -> bool:
    """Whether a host name, without brackets and port, can only mean this machine."""
    import ipaddress

    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def retry_after(value: str) -> float | None:
    """Seconds that a Retry-After header asks for (RFC 9110: a number or a date), at least 0; None when it says neither."""
    if re.fullmatch(r"[0-9]{1,9}", value.strip()):
        return float(value)
    import time
    from email.utils import parsedate_to_datetime

    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError, OverflowError):
        return None


def error_message(answer: bytes) -> str:
    """The server's own words in the body of a refusal, as they are; "" for none."""
    try:
        said = json.loads(answer[:_MOST_OF_AN_ERROR])
        said = said.get("error", said)
        said = said.get("message", "") if isinstance(said, dict) else said
    except (ValueError, AttributeError, RecursionError):
        return ""
    return said if isinstance(said, str) else ""
