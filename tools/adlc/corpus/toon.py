"""TOON (token-oriented object notation), as far as specs use it, read tolerantly and with every fault named.

    purpose: "One line."                      a value
    valid_scope[2]: src/,tests/               a list
    requirements[2]{req_id,title,statement}:  a table; its rows are indented
      r1,"First, of all",System MUST answer.

A count that is wrong, a row that is too short or too long and a quote that does not close are told in
`problems`; what the row holds is kept: surplus cells are almost always an unquoted comma in the last one.
"""

import re

_KEY = re.compile(r'(?P<key>"(?:[^"\\]|\\.){0,200}"|[^\s"\[\]{}:,]{1,200})\s?'
                  r"(?:\[#?(?P<count>\d{1,9})(?P<delimiter>[\t|,])?\])?(?:\{(?P<columns>[^{}]{0,2000})\})?:(?P<rest>[ \t].*)?$", re.S)
_QUOTED = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.S)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\n", '"': '"', "\\": "\\"}
_MOST_PROBLEMS = 20


class Toon:
    """values: key -> text. lists: key -> [text]. tables: key -> [(0-based line, {column: text})]. problems: one line each."""

    __slots__ = ("values", "lists", "tables", "problems", "lines")

    def __init__(self):
        self.values, self.lists, self.tables, self.problems = {}, {}, {}, []
        # key -> 0-based line
        self.lines = {}


class _Open:
    """The table or list that indented lines belong to."""

    __slots__ = ("key", "line", "count", "delimiter", "columns", "rows", "listed")

    def __init__(self, key, line, count, delimiter, columns):
        self.key, self.line, self.count, self.delimiter, self.columns = key, line, count, delimiter, columns
        self.rows, self.listed = [], []


def parse(lines: list[str], offset: int = 0) -> Toon:
    """Read TOON lines; `offset` is added to the line numbers. Never raises."""
    toon, current = Toon(), None
    for number, line in enumerate(lines, offset):
        text = line.strip()
        if not text:
            continue
        indented = line[0] in " \t"
        if indented and current is not None:
            _inside(toon, current, number, text)
            continue
        match = _KEY.match(text)
        if match and not (current and _is_row(text, current)):
            _close(toon, current)
            current = _key(toon, number, match)
        elif current and current.columns:
            _problem(toon, number, "a row that is not indented")
            _inside(toon, current, number, text)
        elif not text.startswith("#"):
            _problem(toon, number, "neither `key: value` nor a row")
    _close(toon, current)
    if len(toon.problems) > _MOST_PROBLEMS:
        more = len(toon.problems) - _MOST_PROBLEMS
        toon.problems[_MOST_PROBLEMS:] = [f"and {more} more like these"]
    return toon


def _problem(toon: Toon, number: int, what: str) -> None:
    toon.problems.append(f"line {number + 1}: {what}")


def _key(toon: Toon, number: int, match) -> _Open | None:
    key, rest = unquoted(match["key"]), (match["rest"] or "").strip()
    if key in toon.lines:
        _problem(toon, number, f"'{key[:40]}' again; the last one counts")
    toon.lines[key] = number
    count = None if match["count"] is None else int(match["count"])
    delimiter = match["delimiter"] or ","
    columns = [cell for cell, _ in cells(match["columns"], delimiter)] if match["columns"] else []
    if rest and not columns:
        if count is None:
            value, fault = _value(rest)
            toon.values[key] = value
        else:
            row, fault = _row(rest, delimiter)
            toon.lists[key] = [cell for cell in row if cell]
            if len(row) != count:
                _problem(toon, number, f"{key[:40]} says {count} and holds {len(row)}")
        if fault:
            _problem(toon, number, fault)
        return None
    opened = _Open(key, number, count, delimiter, columns)
    if rest:
        _inside(toon, opened, number, rest)
    return opened


def _value(rest: str) -> tuple[str, str]:
    match = _QUOTED.match(rest)
    if match and not rest[match.end():].strip():
        return _unescaped(match[1]), ""
    if rest[0] == '"' and not match:
        return rest[1:], "a quote that does not close"
    return rest, ""


def _inside(toon: Toon, current: _Open, number: int, text: str) -> None:
    if current.columns:
        row, fault = _row(text, current.delimiter)
        wanted = len(current.columns)
        if len(row) > wanted:
            fault = fault or f"{len(row)} cells for {wanted} columns; the last ones are read as one"
            row[wanted - 1:] = [f"{current.delimiter} ".join(row[wanted - 1:])]
        elif len(row) < wanted:
            fault = fault or f"{len(row)} cells for {wanted} columns"
        if fault:
            _problem(toon, number, f"{current.key[:40]}: {fault}")
        current.rows.append((number, dict(zip(current.columns, row))))
        return
    item = text[2:].strip() if text.startswith("- ") else None
    match = _KEY.match(text if item is None else item)
    if match and match["rest"] and match["count"] is None:
        if item is not None or not current.rows:
            current.rows.append((number, {}))
        current.rows[-1][1][unquoted(match["key"])] = _value(match["rest"].strip())[0]
    elif item:
        current.listed.append(_value(item)[0])


def _close(toon: Toon, current: _Open | None) -> None:
    if current is None:
        return
    if current.columns or current.rows:
        toon.tables[current.key] = current.rows
        found = len(current.rows)
    else:
        toon.lists[current.key] = current.listed
        found = len(current.listed)
    if current.count is not None and current.count != found:
        _problem(toon, current.line, f"{current.key[:40]} says {current.count} and holds {found}")


def _is_row(text: str, current: _Open) -> bool:
    """Whether a line that could open a key is rather a row: its delimiter comes before its colon."""
    place = text.find(current.delimiter)
    return bool(current.columns) and 0 <= place < text.find(":") and not _KEY.match(text)


def _row(text: str, delimiter: str) -> tuple[list[str], str]:
    row, fault = [], ""
    for cell, why in cells(text, delimiter):
        row.append(cell)
        fault = fault or why
    return row, fault


def cells(text: str, delimiter: str = ","):
    """(cell, fault or "") of one row, quotes and escapes undone."""
    position, end = 0, len(text)
    while True:
        while position < end and text[position] in " \t" and text[position] != delimiter:
            position += 1
        cell, fault = "", ""
        if position < end and text[position] == '"':
            match = _QUOTED.match(text, position)
            if match is None:
                yield text[position + 1:].rstrip(), "a quote that does not close"
                return
            cell, position = _unescaped(match[1]), match.end()
        stop = text.find(delimiter, position)
        tail = text[position:stop if stop >= 0 else end].strip()
        if tail and cell:
            fault = "text after a closing quote"
        yield (f"{cell} {tail}" if cell and tail else cell or tail), fault
        if stop < 0:
            return
        position = stop + 1


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_escape, text) if "\\" in text else text


def _escape(match) -> str:
    code = match[1]
    if code[0] == "u" and len(code) == 5:
        value = int(code[1:], 16)
        # Half of a surrogate pair cannot be written out again.
        return chr(value) if not 0xD800 <= value < 0xE000 else "�"
    return _ESCAPES.get(code, match[0])


def unquoted(text: str) -> str:
    return _unescaped(text[1:-1]) if len(text) > 1 and text[0] == text[-1] == '"' else text
