"""The tokenizer that documents and questions share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adlc.ranking.tokens import tokens


@pytest.mark.parametrize("text, terms", [
    ("", []),
    ("?!… — 🚀", []),
    ("Sessions session", ["session", "session"]),
    ("retries retry retried retrying", ["retri", "retri", "retri", "retri"]),
    ("fooBar", ["foo", "bar", "foobar"]),
    ("HTTPServer", ["http", "server", "httpserver"]),
    ("snake_case kebab-case", ["snak", "case", "snakecase", "kebab", "case", "kebabcase"]),
    ("café Größe", ["cafe", "gross"]),
    ("ＦＵＬＬ", ["full"]),
    ("重置密码", ["重置", "置密", "密码"]),
    ("密", ["密"]),
    ("密码 reset", ["密码", "reset"]),
    ("ひらがな", ["ひら", "らが", "がな"]),
    ("설정", ["설정"]),
    ("v2 2026", ["v2", "2026"]),
])
def test_terms(text, terms):
    assert tokens(text) == terms


@pytest.mark.parametrize("one, two", [
    ("rate limiter", "Rate-Limiters"), ("caching", "cached"), ("allocated", "allocates"), ("Ünïcode", "unicode"),
    ("re\u0301sume\u0301", "résumé"), ("ﬁle", "file"),
])
def test_forms_of_a_word_meet(one, two):
    assert set(tokens(one)) & set(tokens(two)) == set(tokens(one)) & set(tokens(one)) & set(tokens(two)) != set()


TEXT = st.text(st.characters(categories=["L", "Nd", "P", "Zs", "Cs"]), max_size=60)


@given(TEXT, TEXT)
def test_space_parts_and_nothing_crashes(one, two):
    assert tokens(f"{one}\n{two}") == tokens(one) + tokens(two)
    assert all(term and not term.isspace() for term in tokens(one))


@pytest.mark.parametrize("text", ["´", "¨ 1", "\u0301", "¹´", "¨\n¹"])
def test_no_term_is_empty(text):
    assert "" not in tokens(text)
