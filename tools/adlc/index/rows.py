"""`rows.bin`: which document each row of the index belongs to, its kind, and where its line in chunks.json is.

All of it also stands in the JSON files, whose parsing costs more than an answer where there are many
documents. Little-endian: the head, then for n rows n uint64 (offsets in chunks.json), n uint32
(documents), n bytes (kinds), then the documents' paths, joined by NUL.
"""

import os
import struct
import sys
from array import array

from adlc.errors import AdlcError
from adlc.index.metadata import FIX, Metadata, corrupted

NAME = "rows.bin"
# The order of a document's rows: its digest, then its chunks.
KINDS = ("digest", "rule", "criterion", "requirement", "scenario", "story", "section")
DIGEST = 0

_MAGIC = b"adlcrow1"
_HEAD = struct.Struct("<8s32sIIQQ")  # magic, build, documents, rows, bytes of paths, bytes of chunks.json
# Bytes of a path, on average: bounds what is read of a hostile file.
_MEAN_PATH = 512


class Rows:
    """paths: of the documents. By row: starts (array of uint64), documents (array of uint32), kinds (bytes)."""

    __slots__ = ("paths", "starts", "documents", "kinds")

    def __init__(self, paths: list[str], starts: array, documents: array, kinds: bytes):
        self.paths, self.starts, self.documents, self.kinds = paths, starts, documents, kinds


def pack(build: str, paths: list[str], starts: list[int], documents: list[int], kinds: bytes, chunks_size: int) -> bytes:
    """The content of the file. build: sha256 (hex) over all rows. chunks_size: bytes of chunks.json."""
    names = "\0".join(paths).encode("utf-8")
    head = _HEAD.pack(_MAGIC, bytes.fromhex(build), len(paths), len(starts), len(names), chunks_size)
    return head + _bytes("Q", starts) + _bytes("I", documents) + kinds + names


def read(handle, found: Metadata, chunks_size: int) -> Rows:
    """From the open file, whose head must agree with the metadata and with the sizes before the rest is read.

    Raises AdlcError index_corrupted, and index_mismatch when the metadata is of another build.
    """
    try:
        head = handle.read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise corrupted(f"{NAME} is too short")
        magic, build, documents, rows, paths_size, expected = _HEAD.unpack(head)
        if magic != _MAGIC:
            raise corrupted(f"{NAME} is not one of adlc's files")
        if build.hex() != found.build:
            raise AdlcError("index_mismatch", "metadata.toml tells of another build than the one that lies here", FIX)
        if rows != found.chunk_count or documents != found.spec_count + found.other_count:
            raise corrupted(f"{NAME} and metadata.toml do not agree")
        if os.fstat(handle.fileno()).st_size != _HEAD.size + rows * 13 + paths_size or paths_size > _MEAN_PATH * documents:
            raise corrupted(f"{NAME} is not as long as it says")
        if expected != chunks_size:
            raise corrupted("chunks.json is not the one that was built")
        data = handle.read(rows * 13 + paths_size)
    except OSError as exc:
        raise corrupted(f"{NAME} cannot be read: {(exc.strerror or 'I/O error').lower()}") from None
    if len(data) != rows * 13 + paths_size:
        raise corrupted(f"{NAME} changed while it was read")
    return _checked(data, documents, rows)


def _checked(data: bytes, documents: int, rows: int) -> Rows:
    starts, owners = _array("Q", data[:8 * rows]), _array("I", data[8 * rows:12 * rows])
    kinds, names = data[12 * rows:13 * rows], data[13 * rows:]
    try:
        paths = names.decode("utf-8").split("\0") if names else []
    except UnicodeDecodeError:
        raise corrupted(f"{NAME} holds a path that is not UTF-8") from None
    if len(paths) != documents or (rows and max(owners) >= documents):
        raise corrupted(f"{NAME} does not fit its documents")
    if rows and max(kinds) >= len(KINDS):
        raise corrupted(f"{NAME} holds an unknown kind of chunk")
    return Rows(paths, starts, owners, kinds)


def _array(code: str, data: bytes) -> array:
    values = array(code, data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _bytes(code: str, values: list[int]) -> bytes:
    packed = array(code, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()
