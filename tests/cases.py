"""Which test covers which known hard case (HC-…) or case from the field (F…): id -> node id, or several.

Suites that keep their own table put it beside this file as cases_<topic>.py with a CASES of the same form;
tests/unit/test_cases.py holds all of them to the tests that exist.
"""

import importlib.util
import pathlib

_RETRIEVE, _BAD, _SEARCH, _LIST = (f"tests/cli/test_{name}.py" for name in ("retrieve", "bad_input", "search", "list"))
_FRONTMATTER = "tests/unit/test_frontmatter.py"

CASES: dict[str, str | list[str]] = {
    "HC-04": "tests/unit/test_shell_portability.py::test_no_shell_file_depends_on_one_system[gnu_patterns]",
    "HC-08": "tests/unit/test_shell_portability.py::test_no_shell_file_depends_on_one_system[case_in_substitution]",
    "HC-13": "tests/unit/test_shell_portability.py::test_no_shell_file_depends_on_one_system[fixed_names]",
    "HC-101": f"{_RETRIEVE}::test_hc101_specs_are_admitted_unless_their_status_is_excluded",
    "HC-102": f"{_RETRIEVE}::test_hc102_all_specs_excluded_is_no_cold_start",
    "HC-103": f"{_RETRIEVE}::test_hc103_without_specs_it_is_a_cold_start_without_a_warning",
    "HC-104": f"{_RETRIEVE}::test_hc104_malformed_specs_have_a_signal_of_their_own",
    "HC-105": f"{_RETRIEVE}::test_hc105_bugs_are_admitted_when_resolved_or_closed",
    "HC-107": f"{_RETRIEVE}::test_hc107_a_status_in_the_body_is_not_one",
    "HC-108": f"{_RETRIEVE}::test_hc108_a_comment_before_the_frontmatter_is_passed_over",
    "HC-109": f"{_RETRIEVE}::test_hc109_frontmatter_is_read_to_its_end_however_long",
    "HC-110": f"{_RETRIEVE}::test_hc110_empty_never_equals_empty",
    "HC-111": f"{_RETRIEVE}::test_hc111_the_floor_is_for_lessons_without_any_tag",
    "HC-113": [
        f"{_RETRIEVE}::test_hc113_score_then_date_then_corpus_then_id",
        f"{_RETRIEVE}::test_hc113_there_are_no_quotas",
        f"{_RETRIEVE}::test_hc113_a_shared_concern_and_tag_outweigh_the_component_by_three",
    ],
    "HC-115": f"{_RETRIEVE}::test_hc115_an_undated_document_has_its_files_date_and_without_that_comes_last",
    "HC-116": [
        f"{_RETRIEVE}::test_hc116_twenty_documents_give_fifteen_and_always_the_same",
        "tests/cli/test_determinism.py::test_the_order_of_the_directory_itself_does_not_count",
    ],
    "HC-117": [
        f"{_RETRIEVE}::test_hc117_repeated_ids_are_both_kept_with_their_paths",
        f"{_LIST}::test_hc117_repeated_ids_and_an_id_unlike_its_directory_are_all_kept",
    ],
    "F31": "tests/shell/launcher.bats::stubs are passed over: failing, silent, garbage, a lie, a directory, not executable",
    "F09": f"{_BAD}::test_f09_byte_order_mark_line_ends_and_a_marker_at_the_end",
    "F10": [
        f"{_BAD}::test_f10_an_unquoted_colon_keeps_the_document_and_says_so",
        f"{_FRONTMATTER}::test_f10_f11_every_document_we_ship_is_strict_yaml_and_reads_the_same",
    ],
    "F11": f"{_FRONTMATTER}::test_f10_f11_every_document_we_ship_is_strict_yaml_and_reads_the_same",
    "F17": [
        f"{_LIST}::test_f17_the_nearest_root_upwards_wins",
        f"{_LIST}::test_f17_a_repository_inside_the_root_is_not_governed_by_it",
        f"{_LIST}::test_f17_a_given_root_is_strict",
    ],
    "F20": f"{_LIST}::test_f20_a_monorepo_root_and_a_package_are_separate_corpora",
    "F22": [
        f"{_SEARCH}::test_f22_a_chinese_question_finds_the_chinese_document",
        f"{_SEARCH}::test_f22_one_absent_term_does_not_void_the_query",
        f"{_SEARCH}::test_f22_without_hits_the_nearest_titles_the_scripts_and_the_list_are_named",
    ],
    "F23": f"{_RETRIEVE}::test_f23_unmatched_tags_name_the_nearest_and_where_else_they_occur",
    "F24": f"{_RETRIEVE}::test_f24_a_status_is_compared_without_case_space_and_quotes",
    "F28": f"{_SEARCH}::test_f28_big_documents_give_a_small_answer",
    "F30": f"{_SEARCH}::test_f30_the_document_survives_merged_streams",
}


def every() -> dict[str, list[str]]:
    """id -> node ids, of all tables together."""
    tables = [CASES]
    for path in sorted(pathlib.Path(__file__).parent.glob("cases_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        tables.append(module.CASES)
    merged: dict[str, list[str]] = {}
    for table in tables:
        for id, nodes in table.items():
            merged.setdefault(id, []).extend([nodes] if isinstance(nodes, str) else nodes)
    return merged
