"""`metadata.toml`: what an index was made of, by which model, and when. Small, committed, never trusted.

Read without tomllib where that is possible: importing it costs as much as a whole search.
"""

import json
import re

from adlc.errors import AdlcError

VERSION = 1
FIX = "adlc update"
MAX_BYTES = 64 * 1024
MAX_DOCUMENTS, MAX_CHUNKS, MAX_DIM, MAX_VECTOR_BYTES = 500_000, 2_000_000, 65_536, 8 << 30

_HEX = re.compile(r"[0-9a-f]{64}")
_LINE = re.compile(r'([a-z_]{1,40}) = ("(?:[^"\\\x00-\x1f]|\\["\\])*"|\d{1,12})\s*')
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Metadata:
    """spec_hash, spec_count: of the specs. other_hash, other_count: of lessons and bugs.

    chunk_count: rows of vectors.bin. build: sha256 (hex) over all rows; rows.bin repeats it, so that the
    metadata of another build (a pull brought it) is told from one's own. chunker: version of the rule
    that makes chunks. api_url, api_key_env: what the index was made with, "" for the embedded model; for
    people, and never followed (see choose.py).
    """

    KEYS = {
        "version": int, "spec_hash": str, "spec_count": int, "chunk_count": int, "build_timestamp": str,
        "model": str, "model_fingerprint": str, "embedding_dim": int, "chunker": int, "build": str,
        "other_hash": str, "other_count": int, "api_url": str, "api_key_env": str,
    }
    __slots__ = tuple(KEYS)

    def __init__(self, **values):
        for key in self.KEYS:
            setattr(self, key, values[key])

    def text(self) -> str:
        """The TOML that `parse` reads."""
        head = "# Made by `adlc index rebuild`. Commit it or not; the vectors beside it are never committed.\n"
        return head + "".join(f"{key} = {_value(getattr(self, key))}\n" for key in self.KEYS)

    def same_as(self, other: "Metadata") -> bool:
        """Whether both tell of the same index, whenever it was built."""
        return all(getattr(self, key) == getattr(other, key) for key in self.KEYS if key != "build_timestamp")


def parse(data: bytes) -> Metadata:
    """Raises AdlcError index_corrupted, and index_mismatch when another version of adlc wrote it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise corrupted("metadata.toml is not UTF-8") from None
    values = _fast(text)
    if values is None:
        values = _toml(text)
    if values.get("version") != VERSION:
        if type(values.get("version")) is int:
            raise AdlcError("index_mismatch", f"the index has version {values['version']}, this adlc reads {VERSION}", FIX)
        raise corrupted("metadata.toml has no version")
    values = {"api_url": "", "api_key_env": ""} | values
    for key, kind in Metadata.KEYS.items():
        if type(values.get(key)) is not kind:
            raise corrupted(f"{key} in metadata.toml is {'missing' if key not in values else 'of the wrong type'}")
        if kind is str and len(values[key]) > 500:
            raise corrupted(f"{key} in metadata.toml is too long")
    found = Metadata(**{key: values[key] for key in Metadata.KEYS})
    _check(found)
    return found


def _check(found: Metadata) -> None:
    for key in ("spec_hash", "other_hash", "build"):
        if not _HEX.fullmatch(getattr(found, key)):
            raise corrupted(f"{key} in metadata.toml is not a sha256")
    limits = {
        "spec_count": (0, MAX_DOCUMENTS), "other_count": (0, MAX_DOCUMENTS), "chunk_count": (0, MAX_CHUNKS),
        "embedding_dim": (1, MAX_DIM), "chunker": (0, 10**6),
    }
    for key, (least, most) in limits.items():
        if not least <= getattr(found, key) <= most:
            raise corrupted(f"{key} in metadata.toml is out of range")
    if found.chunk_count * found.embedding_dim * 4 > MAX_VECTOR_BYTES:
        raise corrupted("metadata.toml names more vectors than any index has")
    if not _TIME.fullmatch(found.build_timestamp):
        raise corrupted("build_timestamp in metadata.toml is not a time")


def corrupted(why: str) -> AdlcError:
    return AdlcError("index_corrupted", f"the index cannot be used: {why}", "adlc index rebuild")


def _fast(text: str) -> dict | None:
    """The lines that `Metadata.text` writes; None when there is any other."""
    values = {}
    for line in text.split("\n"):
        if not line or line[0] == "#":
            continue
        match = _LINE.fullmatch(line)
        if match is None or match[1] in values:
            return None
        values[match[1]] = json.loads(match[2]) if match[2][0] == '"' or match[2] == "0" or match[2][0] != "0" else None
    return values


def _toml(text: str) -> dict:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as exc:
        raise corrupted(f"metadata.toml is not TOML ({str(exc)[:100]})") from None


def _value(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    plain = "".join(c for c in value if c.isprintable())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
