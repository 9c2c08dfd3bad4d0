"""Which test of the skills, of init and of lint specs covers which known case."""

_TEXTS, _FENCES, _E2E = "tests/unit/test_skill_texts.py::", "tests/cli/test_fences.py::", "tests/e2e/test_spec.py::"
_PROTOCOL, _SINGLE = _FENCES + "test_the_fences_of_the_shell_protocol", _FENCES + "test_the_single_commands"
_PAGE = _TEXTS + "test_a_page_has_nothing_that_a_client_rewrites_or_runs_at_load_time"

CASES = {
    "HC-01": _PROTOCOL,
    "HC-05": _SINGLE,
    "HC-06": _PAGE,
    "HC-09": [_PROTOCOL, _TEXTS + "test_partials_are_sourced_in_the_one_form_that_survives_every_shell"],
    "HC-10": _PROTOCOL,
    "HC-16": _PROTOCOL,
    "HC-17": _E2E + "test_an_unreachable_remote_does_not_stop_the_requirement",
    "HC-18": _PAGE,
    "HC-19": _PAGE,
    "HC-67": _PROTOCOL,
    "HC-101": _E2E + "test_prior_art_is_read_by_the_delegate_and_cited",
    "HC-102": [
        _E2E + "test_a_corpus_of_drafts_is_told_and_not_called_a_cold_start", _E2E + "test_lessons_stand_beneath_the_suppressed_line",
    ],
    "HC-103": _E2E + "test_a_cold_start_is_written_as_one",
    "HC-104": "tests/cli/test_lint_specs.py::test_what_only_looks_like_a_fault_is_none",
    "HC-119": _E2E + "test_only_what_the_delegate_left_out_is_read_and_a_forged_citation_is_dropped",
    "HC-120": [
        "tests/cli/test_lint_specs.py::test_a_planted_fault_is_found_by_its_check",
        _E2E + "test_only_what_the_delegate_left_out_is_read_and_a_forged_citation_is_dropped",
    ],
    "F01": [_SINGLE, _PROTOCOL],
    "F02": _PAGE,
    "F03": _SINGLE,
    "F04": _FENCES + "test_partials_work_without_their_executable_bits",
    "F05": _PAGE,
    "F06": [_SINGLE, _E2E + "test_a_cold_start_is_written_as_one"],
    "F08": _FENCES + "test_a_fence_is_one_literal_command_that_the_table_knows",
    "F33": _TEXTS + "test_no_tracked_script_or_page_has_carriage_returns",
    "F34": _FENCES + "test_a_hostile_environment_changes_nothing",
    "F35": _TEXTS + "test_only_agents_lie_where_the_client_looks_for_agents",
    "F39": ["tests/cli/test_init.py::test_it_needs_neither_network_nor_git", _E2E + "test_an_unreachable_remote_does_not_stop_the_requirement"],
    "F41": _E2E + "test_only_what_the_delegate_left_out_is_read_and_a_forged_citation_is_dropped",
}
