"""Which test covers which known case, for the agent and its renderings."""

_RENDERINGS, _SCOUT = "tests/unit/test_harness_renderings.py", "tests/e2e/test_spec_scout.py"

CASES: dict[str, str | list[str]] = {
    "F03": [
        f"{_RENDERINGS}::test_f03_the_agent_calls_the_bare_command_and_has_words_for_its_absence",
        f"{_SCOUT}::test_f03_without_adlc_the_floor_is_unavailable",
    ],
    "F35": f"{_RENDERINGS}::test_f35_only_agents_lie_in_agents_and_each_is_whole_and_read_only",
}
