"""The table of cases names tests that exist."""

import pytest

from cases_delegate import CASES
from conftest import ROOT


@pytest.mark.parametrize("case", CASES)
def test_the_case_is_held_by_a_test_that_exists(case):
    file, _, name = CASES[case].partition("::" if "::" in CASES[case] else ": ")
    text = (ROOT / file).read_text()
    assert f"def {name.split('[')[0]}(" in text or f'@test "{name}"' in text
