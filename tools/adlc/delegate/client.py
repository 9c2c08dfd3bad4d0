"""One question to an OpenAI-compatible endpoint: bounded in time and size, every failure one line."""

import json
import os
import random
import time

from adlc import web
from adlc.delegate.config import Provider
from adlc.delegate.proposal import lines_of
from adlc.errors import AdlcError
from adlc.telemetry.redact import redact

ATTEMPTS = 4
RETRIED = (429, 500, 502, 503, 504)
BACKOFF_SECONDS = 0.5
CONNECT_SECONDS = 10
MAX_ANSWER_BYTES = 4 * 1024 * 1024

# The part of the protocol that is relied on; an answer that differs is refused.
ANSWER = {
    "type": "object",
    "required": ["choices"],
    "properties": {
        "choices": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["message"],
                "properties": {
                    "finish_reason": {"type": ["string", "null"]},
                    "message": {
                        "type": "object",
                        "properties": {"content": {"type": ["string", "null"]}, "refusal": {"type": ["string", "null"]}},
                    },
                },
            },
        }
    },
}


def complete(provider: Provider, messages: list[dict], max_tokens: int) -> str:
    """The completion's text. Raises AdlcError delegate_failed for anything but a whole, non-empty answer."""
    import httpx

    deadline = time.monotonic() + provider.timeout
    headers = {"Accept": "application/json", "User-Agent": "adlc-read"}
    if provider.key:
        headers["Authorization"] = f"Bearer {provider.key}"
    body = {"model": provider.model, "messages": messages, "max_tokens": max_tokens, "stream": False}
    # A proxy of the environment must not see what is meant for this machine.
    try:
        client = httpx.Client(headers=headers, trust_env=not provider.local, follow_redirects=False)
    except (httpx.InvalidURL, ValueError, OSError, ImportError) as exc:
        raise _failure(provider, f"the proxy or certificate settings of the environment are not usable: {type(exc).__name__}") from None
    with client:
        for attempt in range(1, ATTEMPTS + 1):
            status, retry_after, data = _post(client, provider, body, deadline)
            if status not in RETRIED or attempt == ATTEMPTS:
                break
            pause = _pause(retry_after, attempt)
            if time.monotonic() + pause > deadline:
                break
            time.sleep(pause)
    if status != 200:
        raise _refused(provider, status, data, attempt)
    return _content(provider, data, max_tokens)


def _post(client, provider: Provider, body: dict, deadline: float) -> tuple[int, str, bytes]:
    import httpx

    left = deadline - time.monotonic()
    if left <= 0:
        raise _late(provider)
    limits = httpx.Timeout(left, connect=min(CONNECT_SECONDS, left))
    try:
        with client.stream("POST", provider.base_url + "/chat/completions", json=body, timeout=limits) as response:
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > MAX_ANSWER_BYTES:
                    raise _failure(provider, f"answered with more than {MAX_ANSWER_BYTES // 1048576} MiB")
                # The library bounds each wait; an answer that trickles would go on for ever.
                if time.monotonic() > deadline:
                    raise _late(provider)
            return response.status_code, response.headers.get("retry-after", ""), bytes(data)
    except httpx.ConnectTimeout:
        raise _failure(provider, "cannot be reached: the connection timed out", "check base_url") from None
    except httpx.TimeoutException:
        raise _late(provider) from None
    except httpx.ConnectError as exc:
        raise _failure(provider, f"cannot be reached: {_cause(exc)}", "check base_url and that the server is running") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as exc:
        raise _failure(provider, f"broke off the exchange: {type(exc).__name__}") from None


def _pause(retry_after: str, attempt: int) -> float:
    """Seconds to wait: what the server asks for, else doubling with some scatter."""
    asked = web.retry_after(retry_after)
    return asked if asked is not None else BACKOFF_SECONDS * 2 ** (attempt - 1) * random.uniform(0.8, 1.2)


def _content(provider: Provider, data: bytes, max_tokens: int) -> str:
    import jsonschema

    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        raise _failure(provider, "answered with something that is not JSON") from None
    if not jsonschema.Draft202012Validator(ANSWER).is_valid(answer):
        choices = answer.get("choices") if isinstance(answer, dict) else None
        raise _failure(provider, "answered without any choice" if choices == [] else "answered in an unexpected form")
    choice = answer["choices"][0]
    finish, message = choice.get("finish_reason"), choice["message"]
    if finish == "length":
        raise _failure(provider, f"was cut off at {max_tokens} tokens; the part is discarded", "raise --max-tokens or pass fewer --paths")
    if finish == "content_filter" or message.get("refusal"):
        raise _failure(provider, "filtered or refused the answer")
    if finish not in ("stop", None):
        raise _failure(provider, f"stopped for another reason: {_said(provider, finish)}")
    text = message.get("content") or ""
    if not any(line.strip() for line in lines_of(text)):
        raise _failure(provider, "answered with an empty text")
    return text


def _refused(provider: Provider, status: int, data: bytes, attempts: int) -> AdlcError:
    said = _said(provider, web.error_message(data))
    tail = f": {said}" if said else ""
    if status in (401, 403):
        fix = f"check the variable {provider.key_name}" if provider.key_name else "configure delegate.api_key_env"
        return _failure(provider, f"refused the key (HTTP {status})", fix)
    if status == 404:
        return _failure(provider, f"does not know the model {provider.model} or the path (HTTP 404)", "check delegate.model and delegate.base_url")
    if status == 429:
        return _failure(provider, f"is rate-limited or out of quota (HTTP 429, {attempts} attempts)", "try again later")
    if status >= 500:
        return _failure(provider, f"failed (HTTP {status}, {attempts} attempts)", "try again later")
    if 300 <= status < 400:
        return _failure(provider, f"redirects elsewhere (HTTP {status}); that is not followed", "set base_url to the final address")
    return _failure(provider, f"refused the request (HTTP {status}){tail}")


def _said(provider: Provider, text: str) -> str:
    """Words of the server, fit for one line: without the key, should it repeat it."""
    from adlc.output import single_line

    if provider.key:
        text = text.replace(provider.key, "[REDACTED]")
    return single_line(redact(text)[0], 160)


def _cause(exc: Exception) -> str:
    """The operating system's words for a connection that failed."""
    seen: BaseException | None = exc
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno:
            text = os.strerror(seen.errno) if seen.errno > 0 else (seen.strerror or "")
            if text and not text.startswith("Unknown error"):
                return text.lower()
        seen = seen.__cause__ or seen.__context__
    text = str(exc).lower()
    for sign, meaning in (("certificate", "its certificate is not trusted"), ("ssl", "no secure connection"), ("refused", "connection refused"),
                          ("name", "no such host"), ("address", "no such host")):
        if sign in text:
            return meaning
    return "connection failed"


def _late(provider: Provider) -> AdlcError:
    return _failure(provider, f"did not answer within {provider.timeout} s", "raise delegate.timeout or pass fewer --paths")


def _failure(provider: Provider, what: str, fix: str = "") -> AdlcError:
    return AdlcError("delegate_failed", f"{provider.host} {what}", fix)
