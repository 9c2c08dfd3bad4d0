"""llmanspec: a capability as TOON tables of requirements and scenarios, with Gherkin features beside it.

The main file is spec.toon, a spec.md that carries the same in a ```toon or ```yaml fence (or is written
in OpenSpec's manner), or a lone feature whose rules are the requirements. Searched is what the tables
say, not their punctuation.
"""

import re

from adlc import plain_yaml
from adlc.corpus import gherkin, toon
from adlc.corpus.layouts import openspec
from adlc.corpus.model import Chunk, Document
from adlc.corpus.page import Page, first_sentence, placeholder, slug, unique
from adlc.files import Unreadable

NAME = "llmanspec"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*(toon|ya?ml)\b", re.I)
_STEPS = (("given", "Given"), ("when", "When"), ("then", "Then"))


def read(path: str, corpus: str, id: str, text: str, beside: list = ()) -> Document:
    lines = text.split("\n")
    if path.endswith(".feature"):
        document, parts = _from_feature(path, corpus, id, lines), None
    elif path.endswith(".toon"):
        document = Document(path, NAME, corpus, id)
        parts = _from_toon(document, toon.parse(lines))
    else:
        page = Page(path, NAME, corpus, id, text)
        fence = _fence(page.lines, page.start)
        if fence is None:
            document, parts = openspec.from_page(page), None
        else:
            document, parts = page.document, _from_fence(page.document, page, *fence)
    if parts is not None:
        _finish(document, parts)
    for name, content in beside:
        _add_feature(document, name, content)
    unique(document.chunks)
    return document


class _Parts:
    """lines: 0-based lines that say something. requirements, scenarios: (line, {column: text})."""

    __slots__ = ("lines", "requirements", "scenarios")

    def __init__(self, lines, requirements, scenarios):
        self.lines, self.requirements, self.scenarios = lines, requirements, scenarios


def _from_toon(document: Document, read: toon.Toon) -> _Parts:
    if not read.tables.keys() & {"requirements", "scenarios"} and "purpose" not in read.values:
        raise Unreadable("no purpose, requirements or scenarios in it")
    document.problems += read.problems
    document.title = document.title or read.values.get("title", "") or read.values.get("name", "") or document.id
    document.status = document.status or read.values.get("status", "")
    scope = read.lists.get("valid_scope") or [p for p in read.values.get("valid_scope", "").split(",") if p.strip()]
    document.scope = document.scope or [entry.strip() for entry in scope if entry.strip()]
    lines = [line for key in ("requirements", "scenarios") for line, _ in read.tables.get(key, ())]
    purpose = read.values.get("purpose", "")
    if not placeholder(purpose):
        document.purpose = " ".join(purpose.split())
        lines.append(read.lines["purpose"])
    return _Parts(lines, read.tables.get("requirements", []), read.tables.get("scenarios", []))


def _fence(lines: list[str], start: int) -> tuple[str, int, int] | None:
    """(language, first line, end) of the first TOON or YAML fence that holds a spec; None when there is none."""
    for number in range(start, len(lines)):
        match = _FENCE.match(lines[number])
        if match:
            end = next((n for n in range(number + 1, len(lines)) if lines[n].strip().startswith(match[1])), len(lines))
            inner = lines[number + 1:end]
            if any(line.startswith(("requirements", "scenarios", "purpose", "kind:")) for line in inner):
                return match[2].lower(), number + 1, end
    return None


def _from_fence(document: Document, page: Page, language: str, start: int, end: int) -> _Parts:
    from adlc.corpus import frontmatter

    head = frontmatter.parse(page.lines)
    if not document.scope and head.fields:
        document.scope = head.list("llman_spec_valid_scope")
    if language == "toon":
        return _from_toon(document, toon.parse(page.lines[start:end], start))
    return _from_yaml(document, page.lines[start:end], start)


def _from_yaml(document: Document, lines: list[str], start: int) -> _Parts:
    """The same document written as YAML: its tables are lists of mappings."""
    try:
        values = plain_yaml.load("\n".join(lines), start + 1)
    except plain_yaml.Malformed as exc:
        raise Unreadable(f"its fenced YAML cannot be read: {str(exc)[:100]}") from None
    found = toon.Toon()
    for key, value in (values if isinstance(values, dict) else {}).items():
        if isinstance(value, str):
            found.values[key] = value
        elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            found.lists[key] = value
        elif isinstance(value, list):
            rows = [{k: v for k, v in item.items() if isinstance(v, str)} for item in value if isinstance(item, dict)]
            found.tables[key] = [(_line_of(lines, row, start), row) for row in rows]
        found.lines[key] = next((n for n, line in enumerate(lines, start) if line.startswith(f"{key}:")), start)
    return _from_toon(document, found)


def _line_of(lines: list[str], row: dict, start: int) -> int:
    name = next((row[key] for key in ("id", "req_id") if row.get(key)), None)
    return next((n for n, line in enumerate(lines, start) if name and name in line and "id" in line), start)


def _from_feature(path: str, corpus: str, id: str, lines: list[str]) -> Document:
    feature = gherkin.parse(lines)
    if feature.line is None:
        raise Unreadable("no `Feature:` line in it")
    document = Document(path, NAME, corpus, id)
    document.problems += feature.problems
    document.title = feature.name or id
    purpose = feature.comments.get("purpose", "") or feature.description
    document.purpose = "" if placeholder(purpose) else " ".join(purpose.split())
    document.scope = [entry.strip() for entry in feature.comments.get("scope", "").split(",") if entry.strip()]
    document.chunks = [_feature_chunk(part) for part in feature.parts if part.kind != "background"]
    document.requirements = sum(chunk.kind == "requirement" for chunk in document.chunks)
    document.headings = [chunk.title for chunk in document.chunks]
    document.searchable = [[1, len(lines)]]
    document.body = "\n".join([document.purpose, *(f"{c.title}\n{c.text}" for c in document.chunks)])
    return document


def _feature_chunk(part: gherkin.Part, path: str = "") -> Chunk:
    named = part.requirements()
    if part.kind == "rule":
        ref, kind = named[0] if named else slug(part.name), "requirement"
    else:
        ref, kind = f"{named[0]}/{slug(part.name)}" if named else slug(part.name), "scenario"
    return Chunk(ref, kind, part.name or first_sentence(part.text), part.text, part.line + 1, path)


def _finish(document: Document, parts: _Parts) -> None:
    scenarios: dict[str, list] = {}
    for line, row in parts.scenarios:
        scenarios.setdefault(row.get("req_id", ""), []).append((line, row))
    chunks = []
    for line, row in parts.requirements:
        ref, title, statement = (row.get(key, "").strip() for key in ("req_id", "title", "statement"))
        own = scenarios.pop(ref, []) if ref else []
        text = "\n".join([statement, *(_told(scenario) for _, scenario in own)]).strip()
        title = title or first_sentence(statement)
        chunks.append(Chunk(ref or slug(title), "requirement", title, text, line + 1))
    # Scenarios of a requirement that the table does not have.
    for ref, rows in scenarios.items():
        for line, row in rows:
            name = row.get("id", "") or "scenario"
            chunks.append(Chunk(f"{ref}/{name}" if ref else name, "scenario", name, _told(row), line + 1))
            if ref:
                document.problems.append(f"line {line + 1}: a scenario of '{ref[:40]}', which is no requirement here")
    document.chunks = chunks
    document.requirements = len(parts.requirements)
    document.headings = [chunk.title for chunk in chunks]
    document.searchable = _ranges(parts.lines)
    document.body = "\n".join([document.purpose, *(f"{c.title}\n{c.text}" for c in chunks)]).strip()


def _told(row: dict) -> str:
    steps = ". ".join(f"{word} {row[key].strip()}" for key, word in _STEPS if row.get(key, "").strip())
    name = row.get("id", "").strip()
    return f"{name}: {steps}" if name else steps


def _ranges(lines: list[int]) -> list[list[int]]:
    """1-based inclusive ranges of 0-based lines."""
    ranges: list[list[int]] = []
    for line in sorted(set(lines)):
        if ranges and ranges[-1][1] == line:
            ranges[-1][1] = line + 1
        else:
            ranges.append([line + 1, line + 1])
    return ranges


def _add_feature(document: Document, path: str, content) -> None:
    name = path.rpartition("/")[2]
    if isinstance(content, Unreadable):
        document.problems.append(f"{name}: {content}")
        return
    feature = gherkin.parse(content.split("\n"))
    document.problems += [f"{name}: {problem}" for problem in feature.problems]
    chunks = [_feature_chunk(part, path) for part in feature.parts if part.kind != "background"]
    known = {chunk.ref for chunk in document.chunks}
    # A rule restates a requirement of the table; only one that the table lacks is another one.
    document.requirements += sum(c.kind == "requirement" and c.ref not in known for c in chunks)
    document.chunks += [c for c in chunks if c.kind == "scenario" or c.ref not in known]
    document.headings += [feature.name, *(chunk.title for chunk in chunks)]
    document.body = "\n".join([document.body, feature.name, *(f"{c.title}\n{c.text}" for c in chunks)]).strip()
