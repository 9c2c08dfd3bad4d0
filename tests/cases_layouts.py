"""Field cases and the tests that hold them: layouts, encodings, scripts, monorepos."""

CASES = {
    "F09": "tests/unit/test_layouts.py::test_every_layout_reads_boms_and_any_line_end",
    "F10": "tests/unit/test_layouts.py::test_frontmatter_is_optional_and_a_lone_rule_is_no_fault",
    "F11": "tests/unit/test_layouts.py::test_frontmatter_is_optional_and_a_lone_rule_is_no_fault",
    "F17": "tests/cli/test_roots.py::test_a_monorepo_answers_from_the_nearest_root_and_from_the_configured_ones",
    "F20": "tests/cli/test_roots.py::test_a_monorepo_answers_from_the_nearest_root_and_from_the_configured_ones",
    "F22": "tests/cli/test_roots.py::test_chinese_specs_are_found_in_every_layout",
}
