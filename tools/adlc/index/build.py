"""Builds the index of a root: reads every document, embeds what is new, writes all files beside the old ones."""

import hashlib
import json
import os
import shutil
import time

from adlc.errors import AdlcError
from adlc.index import chunks, store, swap
from adlc.index import rows as table
from adlc.index.metadata import MAX_CHUNKS, MAX_DOCUMENTS, VERSION, Metadata
from adlc.index.vectors import Vectors

BATCH = 32


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
    folder = swap.place(root)
    with swap.locked(folder, waiting):
        try:
            swap.finish(folder)
            return _rebuild(root, folder, make_embedder, progress, api)
        except OSError as exc:
            raise swap.cannot_write(folder, exc) from None


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
        kinds = bytes(table.KINDS.index(row.kind) for _, row, _ in rows)
        size = os.path.getsize(os.path.join(fresh, store.CHUNKS))
        paths = [document.path for document, _, _ in documents]
        _write(fresh, store.ROWS, [table.pack(metadata.build, paths, starts, [number for number, _, _ in rows], kinds, size)])
        _write(fresh, store.METADATA, [metadata.text().encode("utf-8")])
        if existing is not None and existing.same_as(metadata) and swap.same_files(folder, fresh):
            return Outcome(existing, False, embedded, len(rows) - embedded, skipped)
        swap.sync(fresh)
        os.rename(fresh, os.path.join(folder, store.NEXT))
        swap.finish(folder)
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
