"""Frontmatter as people and other tools write it."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from adlc.corpus import frontmatter
from conftest import ROOT


def parse(text: str) -> frontmatter.Frontmatter:
    return frontmatter.parse(text.split("\n"))


@pytest.mark.parametrize("text, state, body", [
    ("---\na: b\n---\nx", "ok", 3),
    ("---\n---\n", "ok", 2),
    ("---\na: b\n...\nx", "ok", 3),
    ("--- \na: b\n---\t\nx", "ok", 3),
    ("\n\n---\na: b\n---", "ok", 5),
    ("<!-- one -->\n<!-- two\n---\n-->\n---\na: b\n---", "ok", 7),
    ("---\na: b", "unclosed", 0),
    ("---\n" + "a: b\n" * 20_000 + "---\n", "unclosed", 0),
    ("# Title\n---\na: b\n---", "absent", 0),
    (" ---\na: b\n---", "absent", 0),
    ("----\na: b\n---", "absent", 0),
    ("", "absent", 0),
    ("---\n- a\n- b\n---", "malformed", 4),
    ("---\njust prose\n---", "malformed", 3),
    ("---\na: [b\nc: d\n---", "malformed", 4),
    ("---\na: \"b\nc: d\n---", "malformed", 4),
])
def test_where_it_begins_and_ends(text, state, body):
    found = parse(text)
    assert (found.state, found.body) == (state, body)


@pytest.mark.parametrize("written, scalar, listed", [
    ("plain", "plain", ["plain"]),
    ("'single'", "single", ["single"]),
    ('"double"', "double", ["double"]),
    ("2026-01-02", "2026-01-02", ["2026-01-02"]),
    ("1.10", "1.10", ["1.10"]),
    ("yes", "yes", ["yes"]),
    ("~", "", []),
    ("null", "", []),
    ('"null"', "null", ["null"]),
    ("", "", []),
    ("a, b , a", "a, b , a", ["a", "b", "a"]),
    ("[a, 'b, c', \"d\"]", "a", ["a", "b, c", "d"]),
    ("[]", "", []),
    ("[null, ~, '', a]", "", ["a"]),
    ("\n  - a\n  - 'b: c'", "a", ["a", "b: c"]),
    ("\n- path: src/x.py\n- b", "path: src/x.py", ["path: src/x.py", "b"]),
    ("a # comment", "a", ["a"]),
    ("'a # b'", "a # b", ["a # b"]),
    (">\n  folded\n  text", "folded text", ["folded text"]),
    ("|\n  two\n  lines", "two lines", ["two lines"]),
    ("{a: b}", "", []),
    ("  spread   out ", "spread out", ["spread out"]),
])
def test_values_in_every_form(written, scalar, listed):
    found = parse(f"---\nkey: {written}\n---\n")
    assert (found.state, found.scalar("key"), found.list("key")) == ("ok", scalar, listed)


@pytest.mark.parametrize("block, fields", [
    ("title: Auth: retry\nstatus: draft", {"title": "Auth: retry", "status": "draft"}),
    ("title: [WIP] thing\ntags: [a, 'b']", {"title": "[WIP] thing", "tags": ["a", "b"]}),
    ("title: \"Save\" does nothing # yet\nstatus: 'draft' # for now", {"title": '"Save" does nothing', "status": "draft"}),
    ("title: [a\nstatus: draft", None),
    ("title: @mention\ntags:\n  - a\n  - b: c: d", {"title": "@mention", "tags": ["a", "b: c: d"]}),
    ("title: a: b\nmore\tand: c", None),
    ("title: 100% sure: yes # really\nstack: [x, y] # why", {"title": "100% sure: yes", "stack": ["x", "y"]}),
    ("\ttitle: a", None),
    ("title: a: b\n  continued", {"title": "a: b continued"}),
    ("a: b: c\nlist: [x", None),
    ("a: b: c\nquoted: 'open", None),
])
def test_what_yaml_refuses_is_read_by_line_or_not_at_all(block, fields):
    found = parse(f"---\n{block}\n---\n")
    if fields is None:
        assert found.state == "malformed" and "cannot be read" in found.problems[0]
    else:
        assert found.state == "ok" and "read line by line" in found.problems[0]
        assert {key: found.fields[key] for key in fields} == fields


def test_a_repeated_key_is_told_and_the_last_one_counts():
    found = parse("---\nstatus: draft\nstatus: complete\n---\n")
    assert found.scalar("status") == "complete"
    assert found.problems == ["frontmatter has the key 'status' twice; the last one counts"]


@pytest.mark.parametrize("block", [
    "a: " + "[" * 5000, "a: " + "{a: " * 5000, "- " * 5000 + "a", "? " * 5000, "a: &x [*x]", "a: *nowhere", "<<: {a: b}",
    "\x00\x01\x7f", "a: \x1b[31m", "%YAML 9.9", "a: !!python/object:os.system x", "? [a, b]\n: c", "a:\n\t- b", "'", "\ufeffa: b",
    "a: b\n--- !x\nc: d", "\ud800: x", "a: \ud800",
])
def test_hostile_input_is_read_or_refused(block):
    found = parse(f"---\n{block}\n---\n")
    assert found.state in ("ok", "malformed")
    assert all("\n" not in problem for problem in found.problems)


TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
VALUE = st.one_of(TEXT, st.lists(TEXT, max_size=4))


@settings(max_examples=300)
@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), VALUE, max_size=5))
def test_whatever_yaml_writes_is_read_back(fields):
    text = yaml.safe_dump(fields, allow_unicode=True, default_flow_style=None)
    found = parse(f"---\n{text}---\n")
    if fields and not any(line in ("---", "...") for line in text.split("\n")):
        assert found.state == "ok"
        for key, value in fields.items():
            if isinstance(value, str):
                assert found.scalar(key) == " ".join(value.split())
            else:
                assert found.list(key) == [" ".join(v.split()) for v in found_items(value) if v.split()]


def found_items(values):
    return [unquoted(value) for value in values]


def unquoted(value):
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


SHIPPED = [
    path for pattern in ("skills/**/*.md", "agents/*.md", "templates/*.md", ".adlc/**/*.md") for path in sorted(ROOT.glob(pattern))
]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_f10_f11_every_document_we_ship_is_strict_yaml_and_reads_the_same(path):
    lines = path.read_text(encoding="utf-8").split("\n")
    found = frontmatter.parse(lines)
    if found.state == "absent":
        return
    assert found.state == "ok" and found.problems == []
    opening = next(number for number, line in enumerate(lines) if line.startswith("---"))
    strict = yaml.load("\n".join(lines[opening + 1:found.body - 1]), Loader=yaml.BaseLoader) or {}
    assert list(strict) == list(found.fields)
    for key, value in strict.items():
        if isinstance(value, str):
            assert found.scalar(key) == " ".join(value.split())


def test_f11_there_are_shipped_documents_to_check():
    assert ROOT / "skills/spec/SKILL.md" in SHIPPED
