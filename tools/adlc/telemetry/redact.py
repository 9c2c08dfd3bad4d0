"""Credentials taken out of text before it is stored or sent.

A token is found by its form (what issuers print), a value by the name it is given (`api_key=`,
`"password": "…"`). Line breaks and control characters inside a token do not hide it: the patterns run
over the text without them. Prose and paths stay as they are: a bare word is no secret, whatever
stands before it.
"""

import base64
import binascii
import bisect
import heapq
import re

MARK = "[REDACTED]"
# A token in more parts than this is taken whole.
_MAX_PARTS = 16

# A break that can cut a token: an end of line with the next line's indentation or quote marks, other
# control characters, the same written as an escape in JSON. An empty line always ends a token.
_BREAK = re.compile(r"(?:\r?\n|\\r\\n|\\n|\\r|[\x00-\x08\x0b-\x1f\x7f\x85\u200b-\u200f\u2028\u2029\u2060\ufeff])+[ \t]*(?:[>|#*] ?)*")
_LINE_ENDS = re.compile(r"\n|\\n")

# Forms of known issuers. `whole` marks a form of fixed length: what follows it is not part of it.
_TOKEN = r"""
      (?P<whole>
        gh[pousr]_[A-Za-z0-9]{36}
      | (?:AKIA|ASIA|ABIA|ACCA|AGPA|AROA|AIDA|ANPA)[A-Z0-9]{16}
      | AIza[A-Za-z0-9_-]{35}
      | npm_[A-Za-z0-9]{36}
      | dapi[a-f0-9]{32}
      | (?:SK|key-)[a-f0-9]{32}
      | pul-[a-f0-9]{40}
      | [0-9]{8,10}:AA[A-Za-z0-9_-]{33}
      | -----BEGIN[ ][A-Z0-9 ]{0,40}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
        (?:[^-]*(?:-(?!----)[^-]*)*-----END[ ][A-Z0-9 ]{0,40}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----|[A-Za-z0-9+/=\s\\:,.]*)
      )
    | (?P<open>
        gh[pousr]_[A-Za-z0-9]{10,}
      | github_pat_[A-Za-z0-9_]{16,}
      | gl(?:pat|rt|dt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_-]{10,}
      | AIza[A-Za-z0-9_-]{20,}
      | xox[abeoprs](?:-[A-Za-z0-9]+){1,6}
      | xapp-[A-Za-z0-9-]{10,}
      | eyJ[A-Za-z0-9_-]{6,1500}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,3}
      | [spr]k_(?:live|test)_[A-Za-z0-9]{8,}
      | (?:hf|gsk|r8|shp(?:at|ca|pa|ss)|dop_v1|sq0(?:atp|csp)|lin_api|pplx|xai|nvapi|tvly)[_-][A-Za-z0-9_-]{16,}
      | ya29\.[A-Za-z0-9_-]{10,}
      | GOCSPX-[A-Za-z0-9_-]{10,}
      | pypi-[A-Za-z0-9_-]{16,}
      | SG\.[A-Za-z0-9_-]{10,200}\.[A-Za-z0-9_-]{10,}
      | AGE-SECRET-KEY-1[A-Z0-9]{20,}
      | https://hooks\.slack\.com/services/[A-Za-z0-9/]{8,}
      | https://(?:[a-z]{2,8}\.)?discord(?:app)?\.com/api/webhooks/[0-9]{10,22}/[A-Za-z0-9_-]{20,}
      | https://[A-Za-z0-9-]{1,40}\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{20,}
      | (?:whsec|ntn|sbp|figd|glsa|glc|sntry[su]|CCIPAT|dckr_[po]at|rubygems)_[A-Za-z0-9_+/=-]{20,}
      | hv[sbr]\.[A-Za-z0-9_-]{20,}
      | (?:NRAK|PMAK|HRKU)-[A-Za-z0-9-]{20,}
      | AT(?:ATT|CTT|BB)[A-Za-z0-9_=-]{24,}
      | dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9]{30,}
      | [A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}
      | sig=[A-Za-z0-9%+/]{40,}
      | Private-Lines:[ ][0-9]{1,3}[A-Za-z0-9+/=]{40,}
      )
    | (?P<short>sk-[A-Za-z0-9_-]{6,400})
"""
_TOKENS = re.compile(_TOKEN, re.X)
_TOKENS_IN_TEXT = re.compile(rf"(?<![A-Za-z0-9_])(?:{_TOKEN})", re.X)
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token)(?=[ \t:]*[A-Za-z0-9])")
_SENT = re.compile(r"[ \t:]*(?P<open>[A-Za-z0-9._~+/-]{6,}={0,2})")
_USERINFO = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://(?P<whole>[^\s/@:\"'<>`]{0,100}:[^\s/@\"'<>`]{1,200})@")
# `name = value`, looked at from the sign in the middle, to both sides.
_SIGN = re.compile(r"[:=]")
_NAME = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_.-]{2,79})(?P<quoted>\\{0,7}[\"'`])?[ \t]{0,3}:?$")
# What a long run is shows in so many characters: a text of nothing but signs would be read once for each.
_DECIDING = 200
_VALUE = re.compile(r"(?:\*{1,2}(?=[ \t]))?[ \t]{0,3}(?:(?P<quote>\\{0,7}[\"'`])|(?P<open>[^\s\"'`<>,;\\]{1,%d}))" % _DECIDING)
_HINT = re.compile(r"(?i)api|key|secret|token|passw|pwd|psk|passphrase|credential")
_DIGIT = re.compile("[0-9]")
_RUN = re.compile(r"[^\s\"'`<>,;\\]{0,2000}")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ENDINGS = ("password", "passwd", "passphrase", "secret", "token", "apikey", "pwd", "psk", "credential", "credentials")
_KEYS = {"api", "access", "secret", "private", "account", "auth", "encryption", "signing", "master", "license", "service", "shared"}
# `api_key_env: NAME`, `token_count: 3`: about a secret, not the secret.
_ABOUT = {
    "env", "name", "names", "file", "path", "url", "uri", "id", "ids", "count", "counts", "length", "len", "size", "type", "limit",
    "max", "min", "ttl", "expiry", "expires", "policy", "field", "header", "var", "variable", "required", "enabled", "budget",
    "prompt", "regex", "pattern", "format", "rules", "status", "hint", "label", "usage", "tokens", "scope", "scopes", "store",
    "manager", "rotation", "reset", "missing", "invalid", "error",
}
_PLACEHOLDER = re.compile(
    r"(?i)(?:true|false|null|none|nil|undefined|required|optional|string|str|bytes|int|integer|number|boolean|bool|any|yes|no|on|off"
    r"|missing|absent|empty|unset|change-?me|example|redacted|secret|password|token|x{3,}|\*+|\.+|…|-+|\[?redacted\]?.*)$"
)
_EXPRESSION = re.compile(r"[$%{(\[<&@]|[A-Za-z_][\w.]*[(\[]|(?:os|process|env|self|this|config|settings)\.")
_ORDINARY = re.compile(r"(?:[A-Z]{1,10}-\d+|\d{1,4}(?:[-/.:]\d{1,4})*|v?\d+(?:\.\d+)+|[\w.~-]*(?:/[\w.-]+)*/?[\w-]+\.[A-Za-z]\w{0,4}(?::\d+)?)[.,:)]?$")


def redact(text: str, keep_lines: bool = False) -> tuple[str, int]:
    """-> (the text with every credential replaced by MARK, how many were replaced).

    keep_lines: the line ends within a credential stay, so that every line keeps its number.
    """
    view = _View(text)
    spans = []
    for find in (_tokens, _schemes, _userinfo, _assigned):
        spans += find(view)
    if not spans:
        return text, 0
    spans.sort()
    merged = [list(spans[0])]
    for start, end in spans[1:]:
        if start < merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([start, end])
    out, at = [], 0
    for start, end in merged:
        start, end = view.original(start), view.original(end - 1) + 1
        out += (text[at:start], MARK, "\n" * (text.count("\n", start, end) if keep_lines else 0))
        at = end
    return "".join(out) + text[at:], len(merged)


class _View:
    """The text without its breaks, and the way back to the original positions."""

    def __init__(self, text: str):
        pieces, self._view_starts, self._starts, self.breaks = [], [], [], []
        at = size = 0
        for match in _BREAK.finditer(text):
            if len(_LINE_ENDS.findall(match[0])) > 1:
                continue
            self._piece(text[at:match.start()], at, size, pieces)
            size += match.start() - at
            at = match.end()
            self.breaks.append(size)
        self._piece(text[at:], at, size, pieces)
        self.text = "".join(pieces)

    def _piece(self, piece: str, at: int, size: int, pieces: list) -> None:
        if piece:
            pieces.append(piece)
            self._view_starts.append(size)
            self._starts.append(at)

    def original(self, position: int) -> int:
        place = bisect.bisect_right(self._view_starts, position) - 1
        return self._starts[place] + position - self._view_starts[place]

    def is_break(self, position: int) -> bool:
        place = bisect.bisect_left(self.breaks, position)
        return place < len(self.breaks) and self.breaks[place] == position

    def starts(self, position: int) -> bool:
        """Whether a token may begin here: not in the middle of a word."""
        return position == 0 or not _wordlike(self.text[position - 1]) or self.is_break(position)

    def end(self, start: int, end: int, complete) -> int:
        """Where the token [start, end) really ends, for a pattern that ran on over line breaks.

        complete(position) tells whether [start, position) is a whole token already.
        """
        place = first = bisect.bisect_right(self.breaks, start)
        while place < len(self.breaks) and self.breaks[place] < end and place < first + _MAX_PARTS:
            cut = self.breaks[place]
            place += 1
            stop = min(end, self.breaks[place]) if place < len(self.breaks) else end
            if complete(cut) and not self._continues(cut, stop):
                return cut
        return end

    def first_part(self, start: int, end: int) -> int:
        """The end of [start, end), or its first break."""
        place = bisect.bisect_right(self.breaks, start)
        return min(end, self.breaks[place]) if place < len(self.breaks) else end

    def _continues(self, start: int, stop: int) -> bool:
        """Whether the run [start, stop) after a break goes on with the token. Only what is plainly the next line does not."""
        run = self.text[start:stop]
        if not self.is_break(stop) and re.match(r"[ \t\"']{0,2}[=:]", self.text[stop:stop + 4]) or re.search(r"[=:][^=:]", run):
            return False
        if len(run) >= 8 or _digit(run) or _mixed(run):
            return True
        return stop == len(self.text) or self.is_break(stop) or self.text[stop] in "\"'`\\"


def _wordlike(char: str) -> bool:
    return char.isalnum() or char == "_"


def _mixed(run: str) -> bool:
    return run != run.lower() and run != run.upper() and run[1:] != run[1:].lower()


def _digit(run: str) -> bool:
    return _DIGIT.search(run) is not None


def _tokens(view: _View):
    covered = 0

    def after_breaks():
        for position in view.breaks:
            # Without this a text of nothing but broken tokens takes quadratic work.
            match = _TOKENS.match(view.text, position) if position >= covered else None
            if match:
                yield match

    for match in heapq.merge(_TOKENS_IN_TEXT.finditer(view.text), after_breaks(), key=lambda m: m.start()):
        if match.start() >= covered:
            for span in _token(view, match):
                covered = span[1]
                yield span


def _token(view: _View, match):
    start, end = match.span()
    if match["short"] and not _digit(match["short"]):
        end = view.first_part(start, end)
    elif match["whole"] is None:

        def complete(cut):
            found = _TOKENS.match(view.text, start, cut)
            return found is not None and found.end() == cut and (found["short"] is None or _short_key(found[0]))

        end = view.end(start, end, complete)
    if match["short"] is None or _short_key(view.text[start:end]):
        yield start, end


def _short_key(text: str) -> bool:
    body = text[3:]
    return _digit(body) and len(body) >= 6 or len(body) >= 20 and "-" not in body


def _schemes(view: _View):
    for scheme in _SCHEME.finditer(view.text):
        match = _SENT.match(view.text, scheme.end()) if view.starts(scheme.start()) else None
        if match is None:
            continue
        start, end = match.span("open")
        if scheme[0].lower() == "basic":
            if _is_user_and_password(match["open"]):
                yield start, end
            continue
        end = view.end(start, end, lambda cut, start=start: _opaque(view.text[start:cut]))
        value = view.text[start:end]
        if _opaque(value) and not _ORDINARY.match(value) and (scheme[0].lower() == "bearer" or len(value) >= 16 and _digit(value)):
            yield start, end


def _opaque(value: str) -> bool:
    return len(value) >= 8 and _digit(value) or len(value) >= 20 and _mixed(value)


def _is_user_and_password(value: str) -> bool:
    """RFC 7617: base64 of user:password."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_" if "-" in value or "_" in value else None, validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and all(32 <= c < 127 for c in plain)


def _userinfo(view: _View):
    for match in _USERINFO.finditer(view.text):
        if not _EXPRESSION.match(match["whole"].rpartition(":")[2]):
            yield match.span("whole")


def _assigned(view: _View):
    text = view.text
    if not _HINT.search(text):
        return
    covered = 0
    for sign in _SIGN.finditer(text):
        at = sign.start()
        if at < covered or text[at + 1:at + 2] in ("=", "~") or text[at - 1:at] in ("=", "!", "<", ">", "~") or not _HINT.search(text, max(0, at - 90), at):
            continue
        left = _NAME.search(text[max(0, at - 90):at])
        kind = _names_a_secret(left["name"]) if left else 0
        right = _VALUE.match(text, at + (2 if text[at + 1:at + 2] == ">" else 1)) if kind else None
        if right:
            span = _value(view, kind, sign[0] == "=", left["quoted"], right, left[0].endswith(" "))
            if span:
                covered = span[1]
                yield span


def _value(view: _View, kind: int, equals: bool, key_quoted, match, spaced: bool) -> tuple[int, int] | None:
    """The span of the value when it is a secret. kind: see _names_a_secret."""
    text = view.text
    if match["quote"]:
        start = match.end()
        end = text.find(match["quote"], start, start + 2000)
        if end < 0:
            end = _RUN.match(text, start).end()
        value = text[start:end]
        secret = len(value) >= 3 and (equals or bool(key_quoted) or " " not in value)
    else:
        start, end = match.span("open")
        end = view.end(start, end, lambda cut: cut > start)
        goes_on = end - start == _DECIDING
        value = text[start:end].rstrip(").}]")
        end = start + len(value)
        if equals:
            tight = not spaced and match.start() == start
            secret = bool(value) and (tight or len(value) >= 6 and _digit(value))
        elif not goes_on and _ORDINARY.match(value):
            secret = False
        else:
            line_end = end == len(text) or view.is_break(end) or text[end] in "\r\n"
            secret = len(value) >= 6 and _digit(value) or _opaque(value) or kind == 2 and len(value) >= 6 and line_end
        if secret and goes_on:
            end = view.end(start, _RUN.match(text, start).end(), lambda cut: cut > start)
            end = start + len(text[start:end].rstrip(").}]"))
    return (start, end) if secret and not _PLACEHOLDER.match(value) and not _EXPRESSION.match(value) else None


def _names_a_secret(name: str) -> int:
    """0: no. 1: a single word such as `password`. 2: a compound such as `DB_PASSWORD` or `apiKey`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or words[-1] in _ABOUT:
        return 0
    joined = "".join(words)
    if joined.endswith(_ENDINGS):
        return 1 if len(words) == 1 and joined in _ENDINGS and joined != "apikey" else 2
    if len(words) > 1 and ("secret" in words or "password" in words or "passwd" in words or "apikey" in joined):
        return 2
    if words[-2:] == ["key", "data"]:  # kubeconfig
        return 2
    return 2 if len(words) > 1 and words[-1] == "key" and words[-2] in _KEYS else 0
