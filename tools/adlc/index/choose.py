"""Which model embeds: for a rebuild what the user chose, for a question what the index was made with.

Vectors of two models never meet: a question is embedded by the model whose fingerprint the index has, or
not at all.
"""

import os

from adlc import env
from adlc.errors import AdlcError
from adlc.index import embed_local
from adlc.index.embed import Embedder
from adlc.index.endpoint import Endpoint, chosen
from adlc.index.metadata import Metadata
from adlc.places import data_dir

# A question must not wait as long as a rebuild may.
QUERY_LIMITS = {"connect_s": 3.0, "read_s": 8.0, "total_s": 10.0, "retries": 1}


def models_dir() -> str:
    """Where converted models lie."""
    return os.path.join(data_dir(), "models")


def for_query(root: str, metadata: Metadata) -> Embedder:
    """The embedder of questions to an index with `metadata`. Builds and installs nothing.

    Raises AdlcError model_missing, index_mismatch (another model or version than this machine's),
    embed_error (its endpoint is not one that this user chose, or cannot be used).
    """
    fingerprint = metadata.model_fingerprint
    if fingerprint == embed_local.FINGERPRINT:
        _require("meaning")
        return embed_local.load_converted(models_dir())
    if not fingerprint.startswith("api:"):
        raise AdlcError("index_mismatch", f"the index was made with another version of the model ({fingerprint[:60]})", "adlc update")
    return _endpoint_of(root, metadata)


def _endpoint_of(root: str, metadata: Metadata) -> Embedder:
    from adlc.index import embed_http

    endpoint = chosen(root)
    if endpoint is None:
        raise AdlcError(
            "embed_error", f"the index was made with {metadata.model} of an endpoint that you have not chosen on this machine",
            "adlc index rebuild (embedded model), or adlc index rebuild --api-url URL --model NAME", reasonCode="not_configured",
        )
    _require("meaning"), _require("delegate")
    embedder = embed_http.HttpEmbedder(
        endpoint.api_url, endpoint.model, endpoint.api_key_env, metadata.embedding_dim, endpoint.allow_http, **QUERY_LIMITS,
    )
    if embedder.fingerprint != metadata.model_fingerprint:
        raise AdlcError("index_mismatch", f"the index was made with {metadata.model}, not with your {endpoint.model} at {endpoint.shown()}", "adlc update")
    return embedder


def for_build(endpoint: Endpoint | None, existing: Metadata | None) -> Embedder:
    """The embedder of a rebuild, its packages installed and the embedded model converted.

    An endpoint's embedder has the dimension that `existing` was made with, when that is the same model
    of the same endpoint, else 0: not known yet.
    """
    env.require("meaning")
    if endpoint is None:
        from adlc.index import embed_convert

        embed_convert.convert(models_dir())
        return Local()
    env.require("delegate")
    from adlc.index import embed_http

    def embedder(dim: int):
        return embed_http.HttpEmbedder(endpoint.api_url, endpoint.model, endpoint.api_key_env, dim, endpoint.allow_http)

    if existing is not None and embedder(existing.embedding_dim).fingerprint == existing.model_fingerprint:
        return embedder(existing.embedding_dim)
    return embedder(0)


class Local(Embedder):
    """The embedded model, loaded by the first text."""

    fingerprint, dim, model = embed_local.FINGERPRINT, embed_local.DIM, embed_local.MODEL

    def __init__(self):
        self._loaded = None

    def embed(self, texts: list[str]):
        self._loaded = self._loaded or embed_local.load_converted(models_dir())
        return self._loaded.embed(texts)


def _require(stage: str) -> None:
    try:
        env.require(stage, allow_build=False)
    except AdlcError as exc:
        raise AdlcError("model_missing", f"the model cannot be run: {exc.message}", embed_local.FIX) from None
