"""Vectors from any OpenAI-compatible /embeddings endpoint, bounded in time, size and trust.

Every failure is AdlcError("embed_error", message, fix, reasonCode=…) with one of REASONS. No
message holds the key or the URL's query. httpx is imported by the first request.
"""

import hashlib
import json
import os
import re
import threading
import time
from urllib.parse import urlsplit

from adlc import output, web
from adlc.errors import AdlcError
from adlc.index.embed import Embedder, clean, numpy_one_thread

BATCH = 64  # texts in one request
MAX_RESPONSE = 32 << 20  # bytes; 64 vectors of 4,096 numbers take about 6 MB of JSON
MAX_DIM = 65_536
CONNECT_S, READ_S, TOTAL_S = 5.0, 30.0, 120.0
RETRIES = 4  # after the first try, on 429, 5xx and broken connections
BACKOFF_S = 0.5  # doubled with each retry; Retry-After may ask for more

REASONS = {  # reasonCode -> what to do about it
    "not_configured": "adlc index rebuild --api-url URL --model NAME --api-key-env VARIABLE",
    "timeout": "try again, or index with the embedded model: adlc index rebuild",
    "refused": "check the address and that the server runs, or index with the embedded model: adlc index rebuild",
    "auth": "check the key in the environment variable named by --api-key-env",
    "rate_limited": "wait, then try again",
    "server": "try again later, or index with the embedded model: adlc index rebuild",
    "dim_mismatch": "adlc index rebuild with the same --api-url and --model",
    "bad_response": "check that --api-url is an OpenAI-compatible embeddings endpoint and serves --model",
}


def failure(reason: str, message: str) -> AdlcError:
    """The error for one of REASONS."""
    return AdlcError("embed_error", message, REASONS[reason], reasonCode=reason)


class HttpEmbedder(Embedder):
    """An endpoint and a model name.

    url: the endpoint, with or without its final /embeddings. key_env: the name of the
    environment variable that holds the key; "" sends none. dim: the length every vector must
    have; 0 learns it from the first answer (see learn_dim). Plain http is accepted for loopback
    addresses only, unless allow_insecure. connect_s and read_s bound one network step, total_s
    a batch with all its retries, in seconds. Raises reason not_configured at once.
    """

    def __init__(self, url: str, model: str, key_env: str = "", dim: int = 0, allow_insecure: bool = False,
                 *, connect_s: float = CONNECT_S, read_s: float = READ_S, total_s: float = TOTAL_S,
                 retries: int = RETRIES):
        if not model:
            raise failure("not_configured", "no embedding model is named")
        self._url, self._place, self._secure = endpoint(url, allow_insecure)
        self._key = read_key(key_env)
        self.model, self.dim = model, dim
        self._connect_s, self._read_s, self._total_s, self._retries = connect_s, read_s, total_s, retries
        self._client = None

    @property
    def fingerprint(self) -> str:
        """As Embedder.fingerprint. ValueError while the dimension is unknown."""
        if not self.dim:
            raise ValueError("the dimension is not known yet: call learn_dim first")
        place = hashlib.sha256(self._place.encode()).hexdigest()[:12]
        return f"api:{self.model}:{place}:{self.dim}"

    def learn_dim(self) -> int:
        """The vectors' length, asked of the endpoint once when it was not given."""
        if not self.dim:
            self.dim = len(self._batch(["dimension"])[0])
        return self.dim

    def embed(self, texts: list[str]) -> "numpy.ndarray":  # noqa: F821
        """As Embedder.embed, in requests of at most BATCH texts; blank texts are not sent."""
        np = numpy_one_thread()
        if texts:
            self.learn_dim()
        rows = np.zeros((len(texts), self.dim), "float32")
        wanted = [(i, text) for i, text in enumerate(map(clean, texts)) if not is_blank(text)]
        for first in range(0, len(wanted), BATCH):
            numbers, part = zip(*wanted[first:first + BATCH])
            rows[list(numbers)] = self._batch(list(part))
        return rows

    def _batch(self, texts: list[str]) -> "numpy.ndarray":  # noqa: F821
        body = json.dumps({"model": self.model, "input": texts}).encode()
        return vectors(self._answer(body), len(texts), self.dim, self._place)

    def _answer(self, body: bytes) -> bytes:
        """The response to one request, tried again while that may help and total_s allows."""
        deadline = time.monotonic() + self._total_s
        for attempt in range(self._retries + 1):
            status, retry_after, answer = self._once(body, deadline - time.monotonic())
            if status == 200:
                return answer
            error = self._refusal(status, answer)
            wait = max(BACKOFF_S * 2 ** attempt, retry_after)
            worth_it = error.detail["reasonCode"] in ("rate_limited", "server")
            if not worth_it or attempt == self._retries or wait >= deadline - time.monotonic():
                raise error
            time.sleep(wait)

    def _once(self, body: bytes, seconds: float) -> tuple[int, float, bytes]:
        """(status, seconds of Retry-After, response) of one request; status 0 when the connection
        broke on the way. Never takes longer than `seconds`: name resolution and a peer that
        sends a byte now and then escape the library's own time-outs, so it runs in a thread
        that is left behind."""
        done = []

        def run():
            try:
                done.append(self._request(body, seconds))
            except BaseException as error:  # handed to the caller's thread
                done.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(max(seconds, 0))
        if not done:
            self._client = None
            raise failure("timeout", f"{self._place} did not answer within {self._total_s:g} s")
        if isinstance(done[0], BaseException):
            raise done[0] from None
        return done[0]

    def _request(self, body: bytes, seconds: float) -> tuple[int, float, bytes]:
        httpx = import_httpx()
        client = self._client = self._client or self._connection(httpx)
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "adlc"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        limits = httpx.Timeout(min(self._read_s, seconds), connect=min(self._connect_s, seconds))
        try:
            with client.stream("POST", self._url, content=body, headers=headers, timeout=limits) as response:
                answer = bytearray()
                for part in response.iter_raw():
                    answer += part
                    if len(answer) > MAX_RESPONSE:
                        raise failure("bad_response", f"{self._place} answers more than {MAX_RESPONSE >> 20} MB")
                return response.status_code, web.retry_after(response.headers.get("Retry-After", "")) or 0.0, bytes(answer)
        except httpx.TimeoutException:
            raise failure("timeout", f"{self._place} did not answer in time") from None
        except httpx.ConnectError as error:
            raise failure("refused", f"cannot connect to {self._place}: {output.single_line(str(error), 160)}") from None
        except httpx.TransportError:
            return 0, 0.0, b""

    def _connection(self, httpx):
        """A client that goes where it is told: no redirects, and for plain http no proxy from the
        environment, so that it reaches the very host that was checked."""
        try:
            return httpx.Client(follow_redirects=False, trust_env=self._secure)
        except (httpx.InvalidURL, ValueError, OSError, ImportError) as error:  # proxy or certificate settings
            raise failure("not_configured", "the proxy or certificate settings in the environment "
                                            f"do not work ({type(error).__name__})") from None

    def _refusal(self, status: int, answer: bytes) -> AdlcError:
        """The error that a status other than 200 means."""
        said = f"{self._place} answers status {status}"
        if status in (401, 403):  # its text may quote the key
            return failure("auth", f"{said}: the key {'is not accepted' if self._key else 'is missing'}")
        if status == 429:
            return failure("rate_limited", f"{said}: too many requests")
        if status == 0:
            return failure("server", f"{self._place} breaks the connection")
        if status >= 500:
            return failure("server", said)
        if 300 <= status < 400:
            return failure("bad_response", f"{said}: redirects are not followed")
        reason = web.error_message(answer)
        if self._key:
            reason = reason.replace(self._key, "***")
        return failure("bad_response", f"{said}: {output.single_line(reason, 160)}" if reason else said)


def endpoint(url: str, allow_insecure: bool) -> tuple[str, str, bool]:
    """(URL to post to, host and path for people and for the fingerprint, whether it is https)."""
    if not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]_-]+(/[!-\[\]-~]*)?", url):  # no user, no odd characters
        raise failure("not_configured", "the embedding URL must be http(s)://host[:port]/path, ASCII, without a user")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        if not host:
            raise ValueError
    except ValueError:
        raise failure("not_configured", "the embedding URL has no valid host and port") from None
    secure = parts.scheme == "https"
    path = parts.path.rstrip("/")
    path += "" if path.endswith("/embeddings") else "/embeddings"
    shown = f"[{host}]" if ":" in host else host
    if port and port != (443 if secure else 80):
        shown += f":{port}"
    if not (secure or allow_insecure or web.is_loopback(host)):
        raise failure("not_configured", f"plain http to {shown} would send texts and key readable: use https, or pass --allow-http")
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{shown}{path}{query}", shown + path, secure


def read_key(key_env: str) -> str:
    """The key in the environment variable named `key_env`; "" when no variable is named."""
    if not key_env:
        return ""
    key = os.environ.get(key_env, "").strip()
    if not key:
        raise failure("not_configured", f"the environment variable {key_env} is not set")
    if not re.fullmatch("[!-~]+", key):
        raise failure("not_configured", f"the environment variable {key_env} does not hold a key: "
                                        "a key has no spaces, line breaks or non-ASCII characters")
    return key


def import_httpx():
    try:
        import httpx
    except ImportError:
        raise failure("not_configured", "httpx is not installed in adlc's environment") from None
    return httpx


def vectors(answer: bytes, count: int, dim: int, place: str) -> "numpy.ndarray":  # noqa: F821
    """The answer's `count` vectors in the order asked, as unit rows float32 [count, dim].

    dim 0 accepts any one length. Raises reason bad_response or dim_mismatch.
    """
    np = numpy_one_thread()

    def bad(what: str) -> AdlcError:
        return failure("bad_response", f"{place} answers {what}")

    try:
        data = json.loads(answer)["data"]
        found = {item["index"]: item["embedding"] for item in data}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise bad("something other than embeddings") from None
    if len(data) != count or set(found) != set(range(count)) or not all(type(i) is int for i in found):
        raise bad(f"{len(data)} embeddings to {count} texts, or not one for each")
    lists = [found[i] for i in range(count)]
    if not all(type(row) is list and row and all(type(x) in (int, float) for x in row) for row in lists):
        raise bad("embeddings that are not lists of numbers")
    for row in lists:
        if len(row) > MAX_DIM:
            raise bad(f"vectors of {len(row)} numbers")
        if len(row) != (dim or len(lists[0])):
            raise failure("dim_mismatch", f"{place} answers vectors of {len(row)} numbers where {dim or len(lists[0])} "
                                          "are expected: another model, or another setting of it")
    try:
        rows = np.array(lists, "float64")
    except OverflowError:
        raise bad("numbers that are not finite") from None
    if not np.isfinite(rows).all():
        raise bad("numbers that are not finite")
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not largest.all():
        raise bad("a vector of zeros")
    rows /= largest  # or the squares of huge and tiny numbers leave the range
    return (rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))).astype("float32")


def is_blank(text: str) -> bool:
    """Whether there is nothing to embed: white space and unprintable characters only."""
    return all(c.isspace() or not c.isprintable() for c in text)
