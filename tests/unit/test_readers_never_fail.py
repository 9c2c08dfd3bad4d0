"""Whatever bytes lie in a spec's file, a reader gives a document or a reason, and one that is whole."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from adlc.corpus import layouts
from adlc.corpus.model import Document
from adlc.files import Unreadable, decode

PATHS = {
    "adlc": ".adlc/specs/REQ-1-x/requirement.md", "spectree": ".spec/a/spec.md", "openspec": "openspec/specs/a/spec.md",
    "speckit": "specs/001-a/spec.md", "kiro": ".kiro/specs/a/requirements.md", "adr": "docs/adr/0001-a.md", "plain": "docs/a.md",
    "llmanspec": "llmanspec/specs/a/spec.md", "toon": "llmanspec/specs/a/spec.toon", "feature": "llmanspec/specs/a.feature",
}
MARKDOWN = [
    "---", "# Title", "## Purpose", "## Requirements", "### Requirement: A", "#### Scenario: B", "TBD", "text", "", "```", "```toon", "```yaml",
    "<!--", "-->", "- **FR-001**: x", "### User Story 1 - x (Priority: P1)", "**Status**: Draft", "1. WHEN x", "## Status", "Superseded by [2. x](2-x.md)",
    "#### Acceptance Criteria", "**Acceptance Scenarios**:", "===", "title: x", "tags: [", "key: {", "## 需求：", "\t", "    # x", "- item", "|a|", "#" * 7,
]
TOON = [
    "purpose: x", 'purpose: "x', "valid_scope[2]: a,b", "valid_scope[x]: a", "requirements[3]{req_id,title,statement}:", "scenarios[1]{req_id,id}:",
    "requirements[1]{}:", "requirements[99999999999]:", "  r1,a,b", '  r1,"a', "  - req_id: r1", "    title: y", "  ,,,,", "\tr1\tx", "{", "[1]:", ":", "",
    '  "a\\', '"k": v', "x[2|]{a|b}:", "  1|2|3",
]
GHERKIN = ["Feature: x", "功能: x", "Rule: r", "Scenario: s", "Background:", "Examples:", "@req:r1 @", "@", "# purpose: x", '"""', "```", "| a |", "Given x", "", ":"]


def check(layout: str, path: str, text: str, beside=()) -> None:
    reader = layouts.module(layout)
    try:
        document = reader.read(path, "spec", "a", text, list(beside)) if layout in layouts.BESIDE else reader.read(path, "spec", "a", text)
    except Unreadable as exc:
        assert str(exc) and "\n" not in str(exc)
        return
    assert isinstance(document, Document) and document.id and isinstance(document.title, str)
    json.dumps(document.record())
    "".join([document.body, *document.headings, document.purpose, *(c.text + c.title for c in document.chunks)]).encode("utf-8")
    lines = text.count("\n") + 1
    assert all(1 <= a <= b <= lines for a, b in document.searchable)
    assert all(1 <= chunk.line <= lines for chunk in document.chunks if not chunk.path)
    refs = [chunk.ref for chunk in document.chunks]
    assert all(refs) and (layout in ("adlc", "spectree") or len(set(refs)) == len(refs))
    assert "\n" not in "".join(chunk.title for chunk in document.chunks) + document.title + "".join(document.problems)


def of(pieces: list[str]):
    line = st.one_of(st.sampled_from(pieces), st.text(max_size=12).map(lambda t: decode_or(t)))
    return st.lists(line, max_size=24).map("\n".join)


def decode_or(text: str) -> str:
    return "".join(c for c in text if c not in "\0\r" and not 0xD800 <= ord(c) < 0xE000)


@pytest.mark.parametrize("name", PATHS)
@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.binary(max_size=300))
def test_random_bytes(name, data):
    try:
        text = decode(data)
    except Unreadable:
        text = data.decode("latin-1").replace("\0", " ").replace("\r", "\n")
    check(name if name not in ("toon", "feature") else "llmanspec", PATHS[name], text)


@pytest.mark.parametrize("name", [name for name in PATHS if name not in ("toon", "feature")])
@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=of(MARKDOWN + TOON))
def test_random_markdown(name, text):
    check(name, PATHS[name], text)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(text=of(TOON), feature=of(GHERKIN))
def test_random_toon_with_a_random_feature_beside_it(text, feature):
    check("llmanspec", PATHS["toon"], text, [("llmanspec/specs/a/a.feature", feature)])


@settings(max_examples=400, deadline=None, derandomize=True)
@given(text=of(GHERKIN))
def test_random_gherkin(text):
    check("llmanspec", PATHS["feature"], text)


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("text", [
    " " * 200_000, "#" * 200_000, "# " * 100_000, "a: " * 100_000, "[" * 200_000, '"' * 200_000, "**" * 100_000, "- " * 100_000, "a,b" * 100_000,
    "=" * 200_000, "\n".join(["# x"] * 20_000), "\n".join(["- **FR-001**: x"] * 20_000), "FR-" * 70_000, "@a " * 60_000, "<!--" * 50_000,
    "# \t" * 70_000, "purpose: \"" + "\\" * 200_000, "t[1]{" + "a," * 100_000, "---\n" * 50_000, "### Requirement:" + " " * 200_000 + "x",
    "# x" + " " * 200_000 + "y", "\n".join(["## x"] * 20_000), "## Status\n\n" + "Superseded by " * 20_000, "## Requirements\n" + "1. x\n" * 40_000,
    "### User Story 1\n**Acceptance Scenarios**:\n" + "1. x\n" * 40_000, "## Status\n\nx" + " " * 200_000 + "y", "**Status**:" + " " * 200_000,
], ids=range(27))
def test_long_lines_and_many_lines_are_read_in_linear_time(name, text):
    import time

    started = time.process_time()
    check(name if name not in ("toon", "feature") else "llmanspec", PATHS[name], text)
    assert time.process_time() - started < 3
