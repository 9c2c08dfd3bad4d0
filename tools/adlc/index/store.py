"""The index as its readers see it: opened in one consistent state, checked before it is believed.

    .adlc/.context/metadata.toml   see metadata.py; written last
                   specs.json      one object a document: path, id, corpus, hash, title, …
                   chunks.json     one object a chunk, one to a line
                   vectors.bin     float32, little-endian, [chunk_count, embedding_dim]
                   rows.bin        which document each row belongs to, and where its line in chunks.json is
                   .next/          a finished build whose files are being moved up; whatever is
                                   still in it goes before what lies beside it

A repository may hold anything under these names. Sizes are compared before a byte is mapped, links are
not followed, and what does not fit is AdlcError index_corrupted.
"""

import json
import mmap
import os
import stat as stat_module

from adlc import files
from adlc.errors import AdlcError
from adlc.index import metadata as metadata_module
from adlc.index import rows
from adlc.index.metadata import FIX, Metadata, corrupted
from adlc.index.rows import DIGEST, KINDS  # noqa: F401  readers tell rows apart by them

FOLDER = ".adlc/.context"
METADATA, SPECS, CHUNKS, VECTORS, ROWS = "metadata.toml", "specs.json", "chunks.json", "vectors.bin", rows.NAME
NEXT = ".next"
_MAX_LINE = 64 * 1024
_MAX_SPECS_BYTES = 512 << 20
_ATTEMPTS = 20
_BLOCK = 1024


class Index:
    """metadata: Metadata. paths: the documents, in code point order. chunk_document: row -> place in paths.

    kinds: row -> place in KINDS; DIGEST marks the one row a document has for its title and purpose.
    chunk_ref, chunk_title, chunk_text: row -> str, read when asked for. vectors: numpy float32
    [rows, dim], mapped when first asked for. Close it, or use it as a context manager.
    """

    def __init__(self, found: Metadata, table: rows.Rows, chunks, vectors):
        self.metadata, self._chunks, self._vectors, self._mapped = found, chunks, vectors, None
        self.paths, self.kinds, self.chunk_document, self._starts = table.paths, table.kinds, table.documents, table.starts
        self.chunk_ref, self.chunk_title, self.chunk_text = (Column(self, key) for key in ("reqId", "title", "text"))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self) -> None:
        for handle in (self._chunks, self._vectors):
            handle.close()

    @property
    def vectors(self) -> "numpy.ndarray":  # noqa: F821
        """float32 [rows, dim], read-only, mapped; rows have length 1 or are zero."""
        if self._mapped is None:
            from adlc.index.embed import numpy_one_thread

            numpy = numpy_one_thread()
            shape = (self.metadata.chunk_count, self.metadata.embedding_dim)
            if not shape[0]:
                self._mapped = numpy.zeros(shape, "float32")
            else:
                data = mmap.mmap(self._vectors.fileno(), 0, access=mmap.ACCESS_READ)
                self._mapped = numpy.frombuffer(data, "<f4").reshape(shape)
        return self._mapped

    def similarities(self, queries: "numpy.ndarray") -> "numpy.ndarray":  # noqa: F821
        """float32 [queries, rows]: the dot products of unit vectors [queries, dim] with each row.

        Reads the rows once, in blocks that fit the processor's cache. Raises AdlcError index_corrupted when a row
        cannot be a unit vector: not finite, or longer than 1.
        """
        if queries.shape[1:] != (self.metadata.embedding_dim,):
            raise AdlcError("index_mismatch", f"the question has {queries.shape[-1]} numbers, the index {self.metadata.embedding_dim}", FIX)
        from adlc.index.embed import numpy_one_thread

        numpy = numpy_one_thread()
        vectors = self.vectors
        found = numpy.empty((len(queries), len(vectors)), "float32")
        with numpy.errstate(all="ignore"):
            for start in range(0, len(vectors), _BLOCK):
                numpy.matmul(queries, vectors[start:start + _BLOCK].T, out=found[:, start:start + _BLOCK])
        if not (numpy.abs(found) <= 1.01).all():
            raise corrupted(f"{VECTORS} holds rows that are no unit vectors")
        return found

    def chunk(self, row: int) -> dict:
        """specId, path, reqId, kind, title, text and line of one row. Raises AdlcError index_corrupted."""
        start = self._starts[row]
        try:
            line = os.pread(self._chunks.fileno(), _MAX_LINE, start).split(b"\n", 1)[0].rstrip(b",")
            found = json.loads(line)
        except (OSError, ValueError, OverflowError, RecursionError):
            raise corrupted(f"{CHUNKS} cannot be read at its row {row}") from None
        if type(found) is not dict or not all(type(found.get(key)) is str for key in ("reqId", "title", "text", "path")):
            raise corrupted(f"{CHUNKS} holds something else at its row {row}")
        return found


class Column:
    """One key of the chunks, by row."""

    __slots__ = ("_index", "_key")

    def __init__(self, index: Index, key: str):
        self._index, self._key = index, key

    def __len__(self) -> int:
        return self._index.metadata.chunk_count

    def __getitem__(self, row: int) -> str:
        return self._index.chunk(row)[self._key]


def load(root: str) -> Index:
    """The index of `root`. Reading its metadata, paths and rows needs no numpy.

    Raises AdlcError index_missing (also when only the metadata is there, as in a fresh clone),
    index_corrupted, index_mismatch.
    """
    return _steady(root, _open)


def read_metadata(root: str) -> Metadata:
    """The metadata alone. Raises as `load`, but does not look whether the rest is there."""
    return _steady(root, lambda folder, following: metadata_module.parse(_bytes(folder, METADATA, following, metadata_module.MAX_BYTES)))


def read_specs(root: str) -> dict[str, tuple[str, str]]:
    """path -> (content hash, corpus) of the documents that were indexed. Raises AdlcError index_missing, index_corrupted."""
    data = _steady(root, lambda folder, following: _bytes(folder, SPECS, following, _MAX_SPECS_BYTES))
    try:
        listed = json.loads(data)
        if type(listed) is not list:
            raise TypeError
        found = {row["path"]: (row["hash"], row["corpus"]) for row in listed}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise corrupted(f"{SPECS} cannot be read") from None
    if not all(type(path) is str and type(hash) is str and type(corpus) is str for path, (hash, corpus) in found.items()):
        raise corrupted(f"{SPECS} holds something else")
    return found


def folder_of(root: str) -> str:
    """The index directory of a root. Raises AdlcError index_corrupted when a link leads it out of the root."""
    folder = os.path.join(root, FOLDER)
    if os.path.islink(folder) or files.inside(root, folder) is None:
        raise corrupted(f"{FOLDER} is a symbolic link, which is not followed")
    return folder


def _steady(root: str, read):
    """`read(folder, whether .next goes first)` over one state of the directory.

    A rebuild moves its files up one by one and the metadata last, so a reader that finds the same
    metadata before and after has seen one build only.
    """
    folder = folder_of(root)
    for _ in range(_ATTEMPTS):
        before = _identity(folder)
        try:
            found = read(folder, before[0] is not None and not os.path.islink(f"{folder}/{NEXT}"))
        except AdlcError:
            if _identity(folder) == before:
                raise
            continue
        if _identity(folder) == before:
            return found
        if isinstance(found, Index):
            found.close()
    raise AdlcError("index_missing", "the index is being replaced over and over", "try again")


def _identity(folder: str) -> tuple:
    found = []
    for name in (f"{NEXT}/{METADATA}", METADATA):
        try:
            stat = os.lstat(f"{folder}/{name}")
            found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        except OSError:
            found.append(None)
    return tuple(found)


def _open(folder: str, following: bool) -> Index:
    found = metadata_module.parse(_bytes(folder, METADATA, following, metadata_module.MAX_BYTES))
    handles = []
    try:
        for name in (CHUNKS, VECTORS):
            try:
                handles.append(_handle(folder, name, following))
            except FileNotFoundError:
                raise AdlcError("index_missing", f"the index is not built here: {METADATA} is there, {name} is not", FIX) from None
        try:
            with _handle(folder, ROWS, following) as handle:
                table = rows.read(handle, found, os.fstat(handles[0].fileno()).st_size)
        except FileNotFoundError:
            raise AdlcError("index_missing", f"the index is not built here: {ROWS} is missing", FIX) from None
        index = Index(found, table, *handles)
        expected = found.chunk_count * found.embedding_dim * 4
        size = os.fstat(handles[1].fileno()).st_size
        if size != expected:
            raise corrupted(f"{VECTORS} has {size} bytes, {METADATA} asks for {expected}")
        return index
    except BaseException:
        for handle in handles:
            handle.close()
        raise


def _bytes(folder: str, name: str, following: bool, limit: int) -> bytes:
    try:
        with _handle(folder, name, following) as handle:
            size = os.fstat(handle.fileno()).st_size
            if size > limit:
                raise corrupted(f"{name} is {size} bytes long")
            data = handle.read(size + 1)
    except FileNotFoundError:
        raise AdlcError("index_missing", "there is no index here" if name == METADATA else f"the index is not built here: {name} is missing", FIX) from None
    except OSError as exc:
        raise corrupted(f"{name} cannot be read: {(exc.strerror or 'I/O error').lower()}") from None
    return data


def _handle(folder: str, name: str, following: bool):
    """The file, open for reading. Raises FileNotFoundError, and AdlcError index_corrupted for what is no plain file."""
    for place in ((f"{folder}/{NEXT}/{name}", f"{folder}/{name}") if following else (f"{folder}/{name}",)):
        try:
            fd = files.opened(place)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as exc:
            raise corrupted(f"{name} cannot be read: {'a symbolic link' if os.path.islink(place) else (exc.strerror or '').lower()}") from None
        if not stat_module.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise corrupted(f"{name} is not a regular file")
        return os.fdopen(fd, "rb", buffering=0)
    raise FileNotFoundError(name)
