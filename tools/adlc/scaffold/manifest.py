"""`.adlc/vendored.json`: the hashes of the copies as they were written, which tell an old copy from an edited one,
and the version of adlc that wrote them, which tells an old copy from a newer one.

A project can lack it, or hold a false one. Then an old copy counts as edited, and nothing is overwritten.
"""

import hashlib
import json

from adlc import files

FILE = ".adlc/vendored.json"
SCHEMA = "adlc.vendored/1"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def version(content: bytes | None) -> str:
    """The version of adlc that wrote the copies; "" when the manifest does not say."""
    try:
        value = json.loads(files.decode(content or b"{}")).get("version", "")
        return value if isinstance(value, str) else ""
    except (ValueError, AttributeError, RecursionError, files.Unreadable):
        return ""


def newer(one: str, other: str) -> bool:
    """Whether version `one` is certainly later than `other`: both are numbers and dots."""
    try:
        a, b = ([int(part) for part in text.split(".")] for text in (one, other))
    except ValueError:
        return False
    return a > b


def parse(content: bytes | None) -> dict[str, str]:
    """path -> sha256 of what was written there; {} when there is no manifest or it cannot be read."""
    if content is None:
        return {}
    try:
        value = json.loads(files.decode(content))
        known = value["files"] if value["schema"] == SCHEMA else {}
        return {path: hash for path, hash in known.items() if isinstance(hash, str)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, files.Unreadable):
        return {}


def render(hashes: dict[str, str], version: str) -> bytes:
    value = {"schema": SCHEMA, "version": version, "files": dict(sorted(hashes.items()))}
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogateescape")
