"""Builds the index: whole, beside the old one, and moved up in an order that never shows a mixture.

All files are written to a directory of their own, which is renamed to `.next` once they are complete:
that is the moment from which readers see the new index. Then they are moved up one by one, the metadata
last. Whoever is killed on the way leaves a `.next` that readers use and the next rebuild finishes.
"""

import contextlib
import hashlib
import json
import os
import shutil
import time

from adlc.errors import AdlcError
from adlc.index import chunks, store
from adlc.index.metadata import MAX_CHUNKS, MAX_DOCUMENTS, VERSION, Metadata
from adlc.index.vectors import Vectors

BATCH = 32
LOCK_SECONDS = 600
_IGNORE = b"# Derived; metadata.toml says from what.\n*\n!.gitignore\n!metadata.toml\n"
_FILES = (store.SPECS, store.ROWS, store.CHUNKS, store.VECTORS, store.METADATA)


class Outcome:
    """metadata; changed: whether files were written; embedded, reused: rows made now, and those known before;
    skipped: documents that could not be read."""

    __slots__ = ("metadata", "changed", "embedded", "reused", "skipped")

    def __init__(self, metadata: Metadata, changed: bool, embedded: int, reused: int, skipped: list):
        self.metadata, self.changed, self.embedded, self.reused, self.skipped = metadata, changed, embedded, reused, skipped


def rebuild(root: str, make_embedder, progress=None, waiting=None, api: tuple[str, str] = ("", "")) -> Outcome:
    """Bring the index of `root` up to date.

    make_embedder: existing Metadata or None -> Embedder. progress(done, total) counts rows while texts are
    embedded; waiting() is called once when another rebuild is at work. api: address and key variable to
    note in the metadata. Raises AdlcError write_failed, lock_timeout, index_corrupted (the place is a
    link), and what the embedder raises; the old index then stays.
    """
    folder = _place(root)
    with _locked(folder, waiting):
        try:
            _finish(folder)
            for left in os.listdir(folder):
                if left.startswith(".build-"):
                    shutil.rmtree(os.path.join(folder, left), ignore_errors=True)
            return _rebuild(root, folder, make_embedder, progress, api)
        except OSError as exc:
            raise _cannot_write(folder, exc) from None


def _rebuild(root: str, folder: str, make_embedder, progress, api) -> Outcome:
    documents, skipped = _documents(root)
    try:
        existing = store.read_metadata(root)
    except AdlcError:
        existing = None
    embedder = make_embedder(existing)
    rows = [(number, row, row.hash()) for number, item in enumerate(documents) for row in item[2]]
    if len(documents) > MAX_DOCUMENTS or len(rows) > MAX_CHUNKS:
        raise AdlcError("write_failed", f"{len(documents)} documents with {len(rows)} parts are more than an index holds", "index fewer: roots: in .adlc/config.yml")
    found, embedded = _vectors(embedder, rows, progress)
    hashes = [hashlib.sha256(), hashlib.sha256()]
    for document, hash, _ in documents:
        hashes[document.corpus != "spec"].update(f"{document.path}\0{hash}\n".encode())
    specs = sum(document.corpus == "spec" for document, _, _ in documents)
    build = hashlib.sha256(f"{embedder.fingerprint}\0{chunks.CHUNKER}\0".encode())
    metadata = Metadata(
        version=VERSION, spec_hash=hashes[0].hexdigest(), spec_count=specs, chunk_count=len(rows),
        build_timestamp=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), model=embedder.model,
        model_fingerprint=embedder.fingerprint, embedding_dim=embedder.dim, chunker=chunks.CHUNKER, build="",
        other_hash=hashes[1].hexdigest(), other_count=len(documents) - specs, api_url=api[0], api_key_env=api[1],
    )
    fresh = os.path.join(folder, f".build-{os.getpid()}")
    os.mkdir(fresh)
    try:
        _write(fresh, store.SPECS, [_array(_spec(*item) for item in documents)], build)
        lines = [json.dumps(_chunk(documents[number][0], row), ensure_ascii=False).encode("utf-8") for number, row, _ in rows]
        _write(fresh, store.CHUNKS, [b"[\n", b",\n".join(lines), b"\n]\n"], build)
        _write(fresh, store.VECTORS, (found[hash] for _, _, hash in rows), build)
        starts, at = [], 2
        for line in lines:
            starts.append(at)
            at += len(line) + 2
        metadata.build = build.hexdigest()
        kinds = bytes(store.KINDS.index(row.kind) for _, row, _ in rows)
        size = os.path.getsize(os.path.join(fresh, store.CHUNKS))
        paths = [document.path for document, _, _ in documents]
        _write(fresh, store.ROWS, [store.pack_rows(metadata.build, paths, starts, [number for number, _, _ in rows], kinds, size)])
        _write(fresh, store.METADATA, [metadata.text().encode("utf-8")])
        if existing is not None and existing.same_as(metadata) and _same_files(folder, fresh):
            return Outcome(existing, False, embedded, len(rows) - embedded, skipped)
        _sync(fresh)
        os.rename(fresh, os.path.join(folder, store.NEXT))
        _finish(folder)
        return Outcome(metadata, True, embedded, len(rows) - embedded, skipped)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _documents(root: str) -> tuple[list[tuple], list]:
    """-> ([(Document, content hash, its rows)] by path, Skipped files), each read anew."""
    from adlc import files
    from adlc.corpus import load, read
    from adlc.corpus.model import Skipped

    listed, skipped = load.answer(root, lambda corpus: (corpus.listed(), corpus.skipped()))
    known = {item.path for item in skipped}
    found = []
    for path, layout, corpus, id, _, beside in listed:
        try:
            document, hash, _, _ = read.one(root, layout, corpus, id, path, beside)
        except files.Unreadable as exc:
            if path not in known:
                skipped.append(Skipped(path, corpus, str(exc)))
            continue
        found.append((document, hash, chunks.rows(document)))
        document.body, document.chunks = "", []
    found.sort(key=lambda item: item[0].path)
    return found, skipped


def _vectors(embedder, rows: list, progress) -> tuple[dict[bytes, bytes], int]:
    """-> (text's hash -> vector as bytes, how many texts had to be embedded). Each text is embedded once."""
    known = embedder.dim
    try:
        return _embedded(embedder, rows, progress)
    except AdlcError as exc:
        if exc.detail.get("reasonCode") != "dim_mismatch" or not known:
            raise
    # The endpoint's model is another one than last time, under the same name: start anew with its dimension.
    embedder.dim = 0
    return _embedded(embedder, rows, progress)


def _embedded(embedder, rows: list, progress) -> tuple[dict[bytes, bytes], int]:
    texts = {hash: row.text for _, row, hash in rows}
    if not embedder.dim:
        if not texts:
            embedder.dim = 1  # nothing is asked, so nothing is known
        else:
            embedder.learn_dim()
    with Vectors(embedder.fingerprint, embedder.dim) as kept:
        found = kept.get(list(texts))
        missing = [hash for hash in texts if hash not in found]
        for start in range(0, len(missing), BATCH):
            some = missing[start:start + BATCH]
            if progress:
                progress(len(rows) - len(missing) + start, len(rows))
            made = embedder.embed([texts[hash] for hash in some]).astype("<f4")
            new = [(hash, row.tobytes()) for hash, row in zip(some, made, strict=True)]
            kept.put(new)
            found.update(new)
        if progress:
            progress(len(rows), len(rows))
    return found, len(missing)


def _spec(document, hash: str, rows: list) -> dict:
    from adlc import output

    return {
        "path": document.path, "id": document.id, "corpus": document.corpus, "layout": document.layout, "hash": hash,
        "title": output.single_line(document.title, 200), "purpose": output.single_line(document.purpose),
        "scope": document.scope, "reqCount": document.requirements, "rows": len(rows),
    }


def _chunk(document, row: chunks.Row) -> dict:
    return {
        "specId": document.id[:200], "reqId": row.ref, "kind": row.kind, "title": row.title, "text": row.text,
        "line": row.line, "path": row.path,
    }


def _array(rows) -> bytes:
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{lines}\n]\n".encode()


def _write(folder: str, name: str, parts, digest=None) -> None:
    with open(os.path.join(folder, name), "xb") as handle:
        for part in parts:
            handle.write(part)
            if digest is not None:
                digest.update(part)
        handle.flush()
        os.fsync(handle.fileno())


def _same_files(folder: str, fresh: str) -> bool:
    """Whether what lies there is, byte for byte, what was just built; the metadata was compared before."""
    import filecmp

    try:
        return all(
            not os.path.islink(os.path.join(folder, name))
            and filecmp.cmp(os.path.join(folder, name), os.path.join(fresh, name), shallow=False)
            for name in _FILES if name != store.METADATA
        )
    except OSError:
        return False


def _finish(folder: str) -> None:
    """Move up what a finished build left in `.next`, the metadata last."""
    following = os.path.join(folder, store.NEXT)
    if not os.path.lexists(following):
        return
    if os.path.islink(following) or not os.path.isdir(following):
        os.unlink(following)
        return
    if os.path.lexists(os.path.join(following, store.METADATA)):
        for name in _FILES:
            with contextlib.suppress(FileNotFoundError):
                os.replace(os.path.join(following, name), os.path.join(folder, name))
    _sync(folder)
    shutil.rmtree(following, ignore_errors=True)


def _place(root: str) -> str:
    """The index directory, made if need be, with its .gitignore."""
    folder = store.folder_of(root)
    try:
        os.makedirs(folder, exist_ok=True)
        ignore = os.path.join(folder, ".gitignore")
        if not os.path.lexists(ignore):
            from adlc import files

            files.atomic_write(ignore, _IGNORE)
    except OSError as exc:
        raise _cannot_write(folder, exc) from None
    return folder


def _cannot_write(folder: str, exc: OSError) -> AdlcError:
    return AdlcError("write_failed", f"the index cannot be written to {folder}: {(exc.strerror or 'I/O error').lower()}", "make that directory writable")


@contextlib.contextmanager
def _locked(folder: str, waiting):
    """One rebuild at a time; the kernel frees the lock of one that is killed."""
    import fcntl

    try:
        fd = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
    except OSError as exc:
        raise _cannot_write(folder, exc) from None
    try:
        deadline, told = time.monotonic() + LOCK_SECONDS, False
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise AdlcError("lock_timeout", f"another rebuild of {folder} does not end", "end it, then adlc index rebuild") from None
                if waiting and not told:
                    told = True
                    waiting()
                time.sleep(0.05)
            except OSError as exc:
                raise AdlcError("lock_refused", f"{folder} cannot be locked: {exc.strerror}", "use a file system with locks") from None
        yield
    finally:
        os.close(fd)


def _sync(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError:
        pass  # some file systems cannot, and lose nothing but the newest build
    finally:
        os.close(fd)
