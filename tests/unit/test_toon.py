"""TOON and Gherkin, well-formed and as people really leave them."""

import pytest

from adlc.corpus import gherkin, toon


def parse(text: str) -> toon.Toon:
    return toon.parse(text.split("\n"))


@pytest.mark.parametrize("line, cells", [
    ("a,b,c", ["a", "b", "c"]), ('"a,b",c', ["a,b", "c"]), ("a,,c", ["a", "", "c"]), ('a, "b" ,c', ["a", "b", "c"]),
    (r'"say \"no\"","C:\\x"', ['say "no"', "C:\\x"]), (r'"two\nlines"', ["two\nlines"]), ('"open,b', ["open,b"]),
    ('""', [""]), ('"a" tail,b', ["a tail", "b"]), (r'"é"', ["é"]), (r'"\ud800"', ["�"]), ("", [""]),
])
def test_cells_of_a_row(line, cells):
    assert [cell for cell, _ in toon.cells(line)] == cells


@pytest.mark.parametrize("header, row", [
    ("t[1]{a,b}:", "  1,2"), ("t[1\t]{a\tb}:", "  1\t2"), ("t[1|]{a|b}:", "  1|2"), ("t[#1]{a,b}:", "  1,2"), ("t[1]{a,b}:", "\t1,2"),
])
def test_delimiters_and_headers(header, row):
    read = parse(f"{header}\n{row}")
    assert read.tables == {"t": [(1, {"a": "1", "b": "2"})]} and read.problems == []


@pytest.mark.parametrize("text, rows, problem", [
    ("t[2]{a,b}:\n  1,2", [{"a": "1", "b": "2"}], "line 1: t says 2 and holds 1"),
    ("t[1]{a,b}:\n  1,2,3", [{"a": "1", "b": "2, 3"}], "line 2: t: 3 cells for 2 columns; the last ones are read as one"),
    ("t[1]{a,b}:\n  1", [{"a": "1"}], "line 2: t: 1 cells for 2 columns"),
    ('t[1]{a,b}:\n  1,"x', [{"a": "1", "b": "x"}], "line 2: t: a quote that does not close"),
    ("t[1]{a,b}:\n1,2", [{"a": "1", "b": "2"}], "line 2: a row that is not indented"),
    ("t[0]{a,b}:", [], ""),
])
def test_faults_in_a_table_are_told_and_what_it_holds_is_kept(text, rows, problem):
    read = parse(text)
    assert [row for _, row in read.tables["t"]] == rows
    assert read.problems == ([problem] if problem else [])


def test_lists_values_and_rows_written_as_items():
    read = parse('name: "a: b"\nscope[2]: x,y\nmore[1]:\n  - z\nrequirements[2]:\n  - req_id: r1\n    title: One\n  - req_id: r2\n')
    assert read.values == {"name": "a: b"} and read.lists == {"scope": ["x", "y"], "more": ["z"]}
    assert [row for _, row in read.tables["requirements"]] == [{"req_id": "r1", "title": "One"}, {"req_id": "r2"}]
    assert read.problems == []


def test_many_faults_are_summed_up():
    read = parse("t[1]{a,b}:\n" + "  1\n" * 100)
    assert len(read.problems) == 21 and read.problems[-1] == "and 81 more like these"


def test_gherkin_rules_scenarios_tags_and_what_looks_like_keywords():
    feature = gherkin.parse('''# scope: src/
@all
Feature: Cart
  Buying things.

  Background:
    Given a shop

  @req:r1 @slow
  Rule: Limits
    At most ten.

    Scenario Outline: Too many
      Given a note
        """
        Scenario: quoted, no scenario
        """
      When <n> are put in
      Examples:
        | n |
        | 11 |
'''.split("\n"))
    assert (feature.name, feature.description, feature.tags, feature.comments) == ("Cart", "Buying things.", ["all"], {"scope": "src/"})
    background, rule, scenario = feature.parts
    assert (rule.name, rule.text, rule.tags, rule.line) == ("Limits", "At most ten.", ["req:r1", "slow"], 9)
    assert (scenario.name, scenario.requirements()) == ("Too many", ["r1"]) and "| 11 |" in scenario.text
    assert feature.problems == []


@pytest.mark.parametrize("text, name, scenario", [
    ("功能：购物\n场景：空车\n假如 空", "购物", "空车"), ("機能: 買い物\nシナリオ: 空\n前提 空", "買い物", "空"),
    ("Fonctionnalité: Achat\nScénario: Vide\nSoit vide", "Achat", "Vide"), ("Функция: Покупка\nСценарий: Пусто", "Покупка", "Пусто"),
])
def test_gherkin_in_other_languages(text, name, scenario):
    feature = gherkin.parse(text.split("\n"))
    assert feature.name == name and [part.name for part in feature.parts] == [scenario]
