"""Which test of lint skills covers which known case."""

_SKILLS = "tests/cli/test_lint_skills.py::"
_FAULT, _TWIN = _SKILLS + "test_a_planted_fault_is_found_by_its_check_and_by_no_other", _SKILLS + "test_what_only_looks_like_a_fault_is_none"
_PARITY = _SKILLS + "test_what_skills_write_agrees_with_what_retrieval_leaves_out"

CASES = {
    "HC-06": _FAULT,
    "HC-133": [_PARITY, "tests/unit/test_lifecycle.py::test_blocks"],
    "HC-134": [
        _SKILLS + "test_hc134_such_a_directory_is_entered_as_the_root_and_not_below_it", _SKILLS + "test_nothing_examined_is_no_success_and_says_so",
        _SKILLS + "test_a_nested_checkout_is_left_alone",
    ],
    "HC-135": _SKILLS + "test_hc135_a_file_that_cannot_be_read_is_a_finding_with_its_reason",
    "HC-136": [_FAULT, _TWIN],
    "HC-137": _SKILLS + "test_hc137_a_part_in_a_partial_counts_only_where_it_is_sourced",
    "HC-138": [_PARITY, _SKILLS + "test_a_status_that_spec_comes_to_exclude_is_noticed_here"],
    "HC-140": _SKILLS + "test_hc140_three_hundred_findings_are_exit_1",
    "F02": _FAULT,
    "F05": _FAULT,
    "F10": _SKILLS + "test_a_fault_in_the_frontmatter_is_found",
    "F11": _SKILLS + "test_a_fault_in_the_frontmatter_is_found",
    "F35": _SKILLS + "test_f35_any_page_among_the_agents_of_a_plugin_becomes_one",
}
