"""Which test covers which known case, for the index, its models, staleness and health."""

_INDEX, _STALENESS = "tests/cli/test_index.py", "tests/unit/test_staleness.py"

CASES: dict[str, str | list[str]] = {
    "F25": [
        f"{_INDEX}::test_f25_every_way_an_endpoint_fails_has_its_reason_and_is_no_answer",
        f"{_INDEX}::test_f25_a_rebuild_with_another_dimension_starts_anew_and_never_mixes",
    ],
    "F26": [
        f"{_STALENESS}::test_f26_every_commit_to_a_claimed_file_since_the_documents_own_counts_once",
        f"{_STALENESS}::test_f26_changing_the_document_makes_it_fresh_again",
        f"{_STALENESS}::test_f26_a_review_clears_what_came_before_it",
        f"{_STALENESS}::test_f26_a_spec_beside_the_code_is_not_code",
    ],
}
