"""Which test holds which hard case of intake."""

_CLI, _UNIT, _E2E = "tests/cli/test_intake.py", "tests/unit/test_intake_sources.py", "tests/e2e/test_spec_intake.py"

CASES: dict[str, str | list[str]] = {
    "HC-123": [
        f"{_UNIT}::test_a_file_is_a_source", f"{_UNIT}::test_anything_else_is_none",
        f"{_UNIT}::test_26_lines_are_a_source_and_the_flag_wins_over_their_number",
        f"{_UNIT}::test_the_flag_for_a_file_that_cannot_be_read_is_told_apart", f"{_CLI}::test_no_source_is_silence_and_leaves_nothing",
    ],
    "HC-124": [
        f"{_UNIT}::test_segments_are_200_lines_each", f"{_UNIT}::test_8000_lines_are_40_segments_and_8001_are_refused_with_the_numbers",
        f"{_CLI}::test_over_the_budget_nothing_is_made",
    ],
    "HC-125": f"{_CLI}::test_a_range",
    "HC-126": f"{_UNIT}::test_the_corpus_names_the_file_without_its_folder_and_quotes_it",
    "HC-127": [
        f"{_UNIT}::test_the_segment_that_the_answer_leaves_out_is_missing_and_repeated_ids_count_once",
        f"{_E2E}::test_only_the_segment_that_the_delegate_left_out_is_read",
    ],
    "HC-128": [
        f"{_CLI}::test_a_pasted_text_becomes_a_file_of_its_own_that_goes_in_the_end", "tests/shell/intake.bats::no part of a request is executed",
        f"{_E2E}::test_a_pasted_text_is_a_source_and_no_part_of_it_is_run",
    ],
    "HC-129": [
        f"{_UNIT}::test_a_file_of_the_user_stays_whatever_it_is_called_and_wherever_it_lies", "tests/shell/intake.bats::cleanup removes what intake made and leaves a user's file alone",
    ],
    "HC-130": [f"{_UNIT}::test_a_file_is_a_source", f"{_UNIT}::test_anything_else_is_none"],
    "HC-132": [
        f"{_E2E}::test_a_pasted_text_is_a_source_and_no_part_of_it_is_run", f"{_E2E}::test_a_request_of_25_lines_is_no_source",
        "tests/cli/test_lint_specs.py::test_a_sound_document_is_clean",
    ],
    "HC-19": "tests/shell/intake.bats::cleanup with empty arguments removes nothing",
}
