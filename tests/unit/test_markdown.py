"""Headings, sections and lists of Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adlc.corpus import markdown


def sections(text: str) -> list[tuple]:
    return [(s.level, s.title) for s in markdown.sections(markdown.visible(text.split("\n")))]


@pytest.mark.parametrize("text, found", [
    ("# A\n## B ##\n### C", [(1, "A"), (2, "B"), (3, "C")]),
    ("A\n==\n\nB\n---", [(1, "A"), (2, "B")]),
    ("one\ntwo\n---", []),
    ("- a\n---", []),
    ("#no\n    # no\n\t# no\n####### no", []),
    ("   # yes", [(1, "yes")]),
    ("#", [(1, "")]),
    ("```\n# no\n```\n# yes", [(1, "yes")]),
    ("~~~ sh\n# no\n```\n# no\n~~~\n# yes", [(1, "yes")]),
    ("````\n```\n# no\n````\n# yes", [(1, "yes")]),
    ("```\n# no", []),
    ("``` `a` ```\n# yes", [(1, "yes")]),
    ("<!-- # no\n# no\n-->\n# yes", [(1, "yes")]),
    ("# yes <!-- no -->", [(1, "yes")]),
    ("`<!--`\n# Two", [(1, "Two")]),
    ("a `<!-- x` b <!-- # no\n# no --> \n# Two", [(1, "Two")]),
    ("a stray ` and <!-- # no\n# no -->\n# Two", [(1, "Two")]),
])
def test_headings(text, found):
    assert sections(text) == found


def test_a_section_ends_at_the_next_heading_of_its_level():
    lines = "# A\na\n## B\nb\n### C\nc\n## D\nd".split("\n")
    found = {s.title: (s.start, s.end, s.own_end) for s in markdown.sections(lines)}
    assert found == {"A": (1, 8, 2), "B": (3, 6, 4), "C": (5, 6, 6), "D": (7, 8, 8)}


@pytest.mark.parametrize("text, found", [
    ("- a\n- b", ["a", "b"]),
    ("* a\n+ b\n1. c\n2) d", ["a", "b", "c", "d"]),
    ("- [ ] a\n- [x] b", ["a", "b"]),
    ("- a\n  goes on\n- b", ["a goes on", "b"]),
    ("- a\n  - inner\n- b", ["a - inner", "b"]),
    ("prose\n\n- a\nprose\n- b", ["a", "b"]),
    ("no list", []),
])
def test_list_items(text, found):
    lines = text.split("\n")
    assert [item for _, item in markdown.items(lines, 0, len(lines))] == found


@given(st.text(st.sampled_from("ab #-=`~<!->\n"), max_size=200))
def test_masking_keeps_every_line_in_its_place(text):
    lines = text.split("\n")
    shown = markdown.visible(lines)
    assert len(shown) == len(lines)
    for section in markdown.sections(shown):
        assert 0 <= section.line < section.start <= section.own_end <= section.end <= len(lines) or section.start > len(lines)
