"""Frontmatter, read tolerantly: what people and other tools really write between the two `---` lines.

YAML decides first, with every scalar kept as written (no dates, numbers or booleans are made). Where
YAML refuses, lines of the plain `key: value` form are read one by one, and the document says so; a
line that neither can read makes the frontmatter malformed, for a status guessed wrong would admit a
withdrawn document.
"""

import re

from adlc import plain_yaml

MAX_BYTES = 64 * 1024
_OPENING = re.compile(r"---[ \t]*$")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*$")
_PAIR = re.compile(r"(?P<key>[A-Za-z_][\w .-]*?)[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_COMMENT = re.compile(r"[ \t]+#.*$")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*))?$")
# Characters the YAML grammar does not allow anywhere (1.1, section 5.1).
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class Frontmatter:
    """fields: key -> str, or list of str. state: ok | absent | malformed | unclosed.

    problems: one line each. body: index of the first line after the frontmatter.
    """

    __slots__ = ("fields", "state", "problems", "body")

    def __init__(self, state: str, fields: dict | None = None, problems: list | None = None, body: int = 0):
        self.state, self.fields, self.problems, self.body = state, fields or {}, problems or [], body

    def scalar(self, key: str) -> str:
        """One value; a list gives its first element. "" when absent."""
        value = self.fields.get(key, "")
        if isinstance(value, list):
            value = value[0] if value else ""
        return " ".join(value.split())

    def list(self, key: str) -> list[str]:
        """A list of values: a flow or block list, or a comma-separated scalar; empty ones dropped."""
        value = self.fields.get(key, [])
        if isinstance(value, str):
            value = value.strip().strip("[]").split(",")
        return [v for v in (" ".join(_unquoted(v).split()) for v in value) if v]


def parse(lines: list[str]) -> Frontmatter:
    """Read the frontmatter at the head of `lines`. Never raises."""
    opening = _opening(lines)
    if opening is None:
        return Frontmatter("absent")
    size, end = 0, None
    for number in range(opening + 1, len(lines)):
        if _CLOSING.match(lines[number]):
            end = number
            break
        size += len(lines[number]) + 1
        if size > MAX_BYTES:
            break
    if end is None:
        return Frontmatter("unclosed", problems=[
            f"frontmatter opened at line {opening + 1} has no closing ---" + (f" within {MAX_BYTES // 1024} KiB" if size > MAX_BYTES else "")
        ])
    block = lines[opening + 1:end]
    fields, problems, state = _fields(block, opening + 2)
    return Frontmatter(state, fields, problems, end + 1)


def mapping(text: str, what: str) -> Frontmatter:
    """Read `text`, a YAML or JSON mapping of scalars and lists, which messages call `what`. Never raises.

    Stricter than `parse`: whoever writes it is there to put it right, so nothing is guessed or left out.
    """
    try:
        if text.lstrip()[:1] == "{":
            text = _json_as_yaml(text)
        fields, problems, state = _by_yaml(text + "\n", what, strict=True)
    except (RecursionError, ValueError) as exc:
        fields, problems, state = {}, [f"{what} is neither YAML nor JSON: {exc}"], "malformed"
    return Frontmatter(state, fields, problems)


def _json_as_yaml(text: str) -> str:
    """JSON that YAML understands: without the escaped surrogate pairs that only JSON has."""
    import json

    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except json.JSONDecodeError:
        return text  # a YAML flow mapping


def _opening(lines: list[str]) -> int | None:
    """The index of the opening `---`, after blank lines and HTML comments; None when there is none."""
    comment = False
    for number, line in enumerate(lines):
        text = line.strip()
        if comment:
            comment = "-->" not in text
            continue
        if not text:
            continue
        if text.startswith("<!--"):
            comment = "-->" not in text
            continue
        return number if _OPENING.match(line) else None
    return None


def _fields(block: list[str], first_line: int) -> tuple[dict, list, str]:
    try:
        return _by_yaml("\n".join(block) + "\n", "frontmatter", first_line)
    except plain_yaml.Malformed as exc:
        why = f"not strict YAML: {exc}"
    fields, unread = _by_line(block, first_line)
    if unread or not fields:
        return fields, [f"frontmatter cannot be read: {unread or why}"], "malformed"
    return fields, [f"frontmatter is {why}; read line by line"], "ok"


def _by_yaml(text: str, what: str, first_line: int = 1, strict: bool = False) -> tuple[dict, list, str]:
    if not text.strip():
        return {}, [], "ok"
    node = plain_yaml.compose(text, first_line)
    if node is None:
        return {}, [], "ok"
    if node.id != "mapping":
        return {}, [f"{what} cannot be read: not a list of `key: value` lines"], "malformed"
    fields, problems = {}, []
    for key_node, value_node in node.value:
        key = _key(key_node)
        if key in fields:
            problems.append(f"{what} has the key '{key}' twice; the last one counts")
        if strict and not _flat(value_node):
            return {}, [f"'{key}' in the {what} is neither a value nor a list of values"], "malformed"
        fields[key] = _value(value_node)
    return fields, problems, "ok"


def _key(node) -> str:
    return node.value.strip() if node.id == "scalar" else ""


def _value(node) -> str | list[str]:
    if node.id == "scalar":
        return _written(node)
    if node.id == "sequence":
        return [_written(item) if item.id == "scalar" else _inline(item) for item in node.value]
    return []


def _written(node) -> str:
    # An unquoted ~ or null is YAML's way of writing nothing. Its style is None, or "" from the C parser.
    return "" if not node.style and node.value in ("~", "null", "Null", "NULL") else node.value


def _flat(node) -> bool:
    return node.id == "scalar" or node.id == "sequence" and all(item.id == "scalar" for item in node.value)


def _inline(node) -> str:
    """`- path: x` inside a list: the one pair as text, anything deeper as nothing."""
    if node.id == "mapping" and len(node.value) == 1:
        key, value = node.value[0]
        if key.id == value.id == "scalar":
            return f"{key.value}: {value.value}"
    return ""


def _by_line(block: list[str], first_line: int) -> tuple[dict, str]:
    """-> (fields, "" or the first line that cannot be read)."""
    fields: dict = {}
    key = None
    for offset, line in enumerate(block):
        text = _UNPRINTABLE.sub(" ", line).rstrip()
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        item, pair = _ITEM.match(text), None if text[:1] in " \t" else _PAIR.match(text)
        if pair:
            key, value = pair["key"].strip(), _scalar(pair["value"] or "")
            if value is None:
                return fields, f"line {first_line + offset}"
            fields[key] = value
        elif item and key is not None:
            value = _scalar(item["value"] or "")
            if value is None or (isinstance(fields[key], str) and fields[key]):
                return fields, f"line {first_line + offset}"
            fields[key] = [*(fields[key] or []), value if isinstance(value, str) else " ".join(value)]
        elif text[:1] in " \t" and key is not None and isinstance(fields[key], str):
            fields[key] = f"{fields[key]} {text.strip()}".strip()
        else:
            return fields, f"line {first_line + offset}"
    return fields, ""


def _scalar(value: str) -> str | list[str] | None:
    """A plain, quoted or flow-list value; None when its quotes or brackets do not close.

    What goes on after the closing one (`"Save" does nothing`, `[WIP] Retry`) is plain text as a whole.
    """
    value = value.strip()
    plain = _COMMENT.sub("", value)
    if value[:1] in ("'", '"'):
        end = value.find(value[0], 1)
        if end < 0:
            return None
        rest = value[end + 1:].strip()
        return plain if rest and not rest.startswith("#") else value[1:end]
    if value[:1] == "[":
        if plain.count("[") != plain.count("]"):
            return None
        return [_unquoted(part) for part in plain[1:-1].split(",") if part.strip()] if plain.endswith("]") else plain
    return None if value[:1] in ("{", "|", ">") else plain


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
