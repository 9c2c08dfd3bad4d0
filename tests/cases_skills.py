"""Which test of the lifecycle skills covers which known case."""

_TEXTS, _E2E, _GROWN = "tests/unit/test_skill_texts.py::", "tests/e2e/test_lifecycle_skills.py::", "tests/cli/test_grown_corpus.py::"

CASES = {
    "HC-101": [
        _TEXTS + "test_what_finishes_work_is_prior_art_and_what_withdraws_it_is_not",
        _GROWN + "test_every_status_is_admitted_or_left_out_as_the_list_in_the_skill_says",
    ],
    "HC-105": [
        _GROWN + "test_every_status_is_admitted_or_left_out_as_the_list_in_the_skill_says", _E2E + "test_a_bug_is_fixed_resolved_and_retrieved",
    ],
    "HC-133": [
        "tests/unit/test_lifecycle.py::test_blocks", "tests/unit/test_lifecycle.py::test_the_shipped_skill_declares_the_four_statuses",
        _TEXTS + "test_a_skill_declares_exactly_the_statuses_that_it_writes",
    ],
    "F24": _GROWN + "test_every_status_is_admitted_or_left_out_as_the_list_in_the_skill_says",
}
