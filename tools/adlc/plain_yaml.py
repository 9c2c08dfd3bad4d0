"""YAML with every scalar as it was written: no dates, numbers or truth values are made of it.

For files that people write and repositories bring along, so nesting is bounded and every fault has a short reason.
PyYAML is imported by the first call: that takes 20 ms, which most calls of adlc do without.
"""

_MAX_DEPTH = 20


class Malformed(ValueError):
    """str() is the reason, one line, with the number of the line where that is known."""


def load(text: str, first_line: int = 1):
    """-> str, list, dict, or None for a text without a value. first_line: what messages call the first one. Raises Malformed."""
    import yaml

    return _guarded(yaml.load, text, first_line)


def compose(text: str, first_line: int = 1):
    """The same as a yaml.Node, which also tells how a scalar was quoted and which keys were repeated. Raises Malformed."""
    import yaml

    return _guarded(yaml.compose, text, first_line)


def too_deep(text: str) -> bool:
    # The C parser recurses in C: nesting must be bounded before it sees the text.
    depth = deepest = 0
    for char in text:
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    if deepest > _MAX_DEPTH:
        return True
    return any(len(line) - len(line.lstrip(" -?:\t")) > 4 * _MAX_DEPTH for line in text.split("\n"))


def _guarded(read, text: str, first_line: int):
    import yaml

    if too_deep(text):
        raise Malformed("nested too deeply")
    try:
        return read(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as exc:
        raise Malformed(_why(exc, first_line)) from None


def _why(exc: Exception, first_line: int) -> str:
    mark = getattr(exc, "problem_mark", None)
    if mark is None:
        return getattr(exc, "reason", None) or str(exc)
    return f"line {first_line + mark.line}: {getattr(exc, 'problem', None) or 'unreadable'}"
