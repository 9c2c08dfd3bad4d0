"""Cases that the hints of a search cover; see cases.py."""

_HINTS = "tests/cli/test_hints.py"

CASES = {
    "F22": [
        f"{_HINTS}::test_f22_a_misspelt_word_names_the_title_it_comes_near",
        f"{_HINTS}::test_f22_a_question_in_another_script_is_told_what_the_documents_are_written_in",
        f"{_HINTS}::test_f22_the_scripts_are_those_of_the_documents_not_assumed",
        f"{_HINTS}::test_f22_a_match_on_a_stray_word_still_tells_of_the_other_script",
    ],
}
