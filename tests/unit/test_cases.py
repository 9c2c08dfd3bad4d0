"""The table of known cases is complete, and every test it names exists."""

import ast
import re

import pytest

import cases
from conftest import ROOT

# The ids that must be covered by now; later work adds to them.
IN_SCOPE = {
    "HC-101", "HC-102", "HC-103", "HC-104", "HC-105", "HC-107", "HC-108", "HC-109", "HC-110", "HC-111", "HC-113", "HC-115",
    "HC-116", "HC-117", "F09", "F10", "F11", "F17", "F20", "F22", "F23", "F24", "F28", "F30",
}


def names(path: str) -> set[str]:
    """The tests in a file: functions of a Python file, @test lines of a bats file."""
    file = ROOT / path
    if not file.is_file():
        return set()
    if path.endswith(".bats"):
        return set(re.findall(r'^@test "(.*)" \{$', file.read_text(), flags=re.M))
    return {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef) and node.name.startswith("test")}


def missing(nodes: list[str]) -> list[str]:
    # A row of a table of cases is named by its id in brackets.
    return [node for node in nodes if node.split("::", 1)[1].split("[")[0] not in names(node.split("::", 1)[0])]


def test_every_case_in_scope_has_a_test():
    assert IN_SCOPE - {id for id, nodes in cases.every().items() if nodes} == set()


@pytest.mark.parametrize("id, nodes", sorted(cases.every().items()))
def test_the_named_tests_exist(id, nodes):
    assert re.fullmatch(r"HC-\d{2,3}[a-z]?|F\d{2}", id)
    assert missing(nodes) == []


def test_a_test_that_does_not_exist_is_noticed():
    assert missing(["tests/unit/test_cases.py::test_no_such", "tests/unit/no_such.py::test_x"]) == [
        "tests/unit/test_cases.py::test_no_such", "tests/unit/no_such.py::test_x",
    ]
