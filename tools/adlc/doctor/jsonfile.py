"""Reading other programs' JSON files, which can hold anything."""

import json
import os

from adlc import files


class Malformed(Exception):
    """str() is the reason, one line."""


def read(path: str) -> dict:
    """The object in a file; {} when there is none. A link is followed. Raises Malformed."""
    if not os.path.lexists(path):
        return {}
    try:
        value = json.loads(files.read_document(os.path.realpath(path))[0] or "{}")
    except files.Vanished:
        raise Malformed("a link that leads nowhere") from None
    except files.Unreadable as exc:
        raise Malformed(str(exc)) from None
    except RecursionError:
        raise Malformed("nested too deeply") from None
    except ValueError as exc:
        raise Malformed(f"not JSON: {exc}") from None
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    return value
