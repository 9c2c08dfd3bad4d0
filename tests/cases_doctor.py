"""Which test covers which known case, for the doctor and the pages about the installation."""

_DOCTOR = "tests/cli/test_doctor.py::"
_FAULT = _DOCTOR + "test_a_planted_fault_is_named_and_its_printed_fix_mends_it"

CASES: dict[str, str | list[str]] = {
    "HC-144": "tests/cli/test_init.py::test_hc144_nothing_that_a_test_runner_would_collect_is_copied",
    "HC-145": [
        _DOCTOR + "test_hc145_what_a_newer_adlc_wrote_is_never_replaced_by_an_older_file", f"{_FAULT}[partial_of_another_copy]",
    ],
    "F04": f"{_FAULT}[lost_executable_bits]",
    "F19": [
        _DOCTOR + "test_f19_what_git_does_not_have_is_named_and_a_committed_copy_is_not",
        f"{_FAULT}[untracked_partials]", f"{_FAULT}[ignored_partials]",
    ],
    "F33": f"{_FAULT}[windows_line_ends]",
    "F35": f"{_FAULT}[stray_agent]",
    "F36": [
        _DOCTOR + "test_f36_it_names_the_copy_that_runs_and_its_version",
        _DOCTOR + "test_f36_a_plugin_of_another_version_is_named",
        _DOCTOR + "test_f36_the_version_is_one_and_has_a_heading_in_the_changelog",
    ],
}
