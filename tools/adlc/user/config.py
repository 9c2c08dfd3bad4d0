"""`~/.claude/adlc/config.yml`, or the file that ADLC_CONFIG names: what decides whether and where anything is sent.

A file that cannot be read with certainty is malformed, and never taken for a missing one.
"""

import os
import re
import stat

from adlc import files
from adlc.errors import AdlcError
from adlc.places import home

MAX_BYTES = 64 * 1024
_MAX_DEPTH = 8
_NUMBER = re.compile(r"-?[0-9]{1,12}", re.A)


class Malformed(Exception):
    """A configuration that cannot be read with certainty; str() is the reason, one line, no values."""


def path(environ=os.environ) -> str:
    """The user's configuration file. Raises Malformed for a place that the user did not clearly name."""
    explicit = environ.get("ADLC_CONFIG", "")
    if explicit:
        if not os.path.isabs(explicit):
            raise Malformed("ADLC_CONFIG must be an absolute path")
        return explicit
    try:
        return os.path.join(home(), ".claude", "adlc", "config.yml")
    except AdlcError as exc:
        raise Malformed(exc.message) from None


def load(file: str) -> dict | None:
    """The whole file, valid by its schema; None when there is none. Raises Malformed."""
    data = content(file)
    return None if data is None else checked(data)


def content(file: str) -> bytes | None:
    """The file's bytes, one more than MAX_BYTES at the most; None when there is no file. A link is followed. Raises Malformed."""
    try:
        fd = files.opened(file, follow=True)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.lexists(file):
            raise Malformed("a link that leads nowhere") from None
        return None
    except (OSError, ValueError) as exc:
        raise Malformed((getattr(exc, "strerror", "") or "cannot be opened").lower()) from None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise Malformed("not a regular file")
        with os.fdopen(os.dup(fd), "rb") as handle:
            return handle.read(MAX_BYTES + 1)
    except OSError as exc:
        raise Malformed((exc.strerror or "cannot be read").lower()) from None
    finally:
        os.close(fd)


def checked(data: bytes) -> dict:
    """What the bytes of the file say, valid by its schema. Raises Malformed."""
    from adlc.user.schema import fault

    document = parse(data)
    found = fault(document, schema())
    if found:
        raise Malformed(found)
    return document or {}


def schema() -> dict:
    """The schema of the user's configuration file."""
    import json

    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "config.schema.json"), "rb") as handle:
        return json.load(handle)


def parse(data: bytes):
    """YAML of the plain kind -> dict, list, str, bool, int, None. Raises Malformed.

    Refused, because readers of YAML disagree about them or because they hide what is meant: a BOM,
    duplicate keys, anchors, aliases, merge keys, tags, several documents. Only true and false are
    booleans, as in YAML 1.2; a quoted value is a text.
    """
    if len(data) > MAX_BYTES:
        raise Malformed(f"larger than {MAX_BYTES // 1024} KiB")
    if data.startswith(b"\xef\xbb\xbf"):
        raise Malformed("starts with a byte order mark; save it as UTF-8 without one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("not valid UTF-8") from None
    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines()):
        return None
    import yaml

    try:
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return _document(events, yaml)
    except yaml.YAMLError as exc:
        mark = getattr(exc, "problem_mark", None)
        raise Malformed("not valid YAML" + (f" (line {mark.line + 1})" if mark else "")) from None
    except (RecursionError, ValueError):
        raise Malformed("not valid YAML") from None


def _document(events, yaml):
    value, documents = None, 0
    for event in events:
        if isinstance(event, (yaml.StreamStartEvent, yaml.StreamEndEvent, yaml.DocumentEndEvent)):
            continue
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise Malformed("holds more than one document")
            continue
        value = _value(event, events, yaml, 0)
    return value


def _value(event, events, yaml, depth: int):
    line = event.start_mark.line + 1
    if depth > _MAX_DEPTH:
        raise Malformed(f"nested too deeply (line {line})")
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise Malformed(f"anchors and aliases are not allowed (line {line})")
    if getattr(event, "tag", None):
        raise Malformed(f"tags are not allowed (line {line})")
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event.value) if event.implicit[0] else event.value
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_value(event, events, yaml, depth + 1))
        return items
    pairs = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        line = event.start_mark.line + 1
        if not isinstance(event, yaml.ScalarEvent) or event.anchor or event.tag:
            raise Malformed(f"a key must be a plain word (line {line})")
        if event.value == "<<":
            raise Malformed(f"merge keys are not allowed (line {line})")
        if event.value in pairs:
            raise Malformed(f"a key is written twice (line {line})")
        pairs[event.value] = _value(next(events), events, yaml, depth + 1)
    return pairs


def _scalar(text: str):
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    return int(text) if _NUMBER.fullmatch(text) else text
