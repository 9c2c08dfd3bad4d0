"""The table of known cases is complete, and every test it names exists."""

import ast
import re

import pytest

import cases
from conftest import ROOT

# The numbers that must be covered by now; later work adds to them. Left out are what is no part of this
# project (HC-76, 86; 146: nothing here merges), what stands in the runner itself (HC-02), and numbers that the lists do not have.
_HARD = [
    1, *range(3, 7), *range(8, 14), *range(15, 27), *range(28, 44), *range(45, 58), *range(59, 66), *range(67, 74), 75,
    *range(77, 85), *range(88, 91), *range(92, 97), 98, 99, *range(101, 106), *range(107, 112), 113, 115, 116, 117, 119, 120,
    *range(122, 131), *range(132, 139), 140, *range(142, 146),
]
_FIELD = [*range(1, 7), *range(8, 14), 15, 16, 17, 19, 20, *range(22, 27), 28, 30, 31, *range(33, 38), 39, 41]
IN_SCOPE = {f"HC-{n:02d}" for n in _HARD} | {f"F{n:02d}" for n in _FIELD} | {"HC-143a"}


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


def test_no_two_test_files_share_a_name():
    # pytest imports them by their base name, and stops at the second one.
    names_of_files = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names_of_files) > 50 and sorted(names_of_files) == sorted(set(names_of_files))
