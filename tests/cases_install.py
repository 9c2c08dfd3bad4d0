"""Which test holds which case of installing, updating and uninstalling."""

_CLI, _SHELL, _E2E = "tests/cli/test_install.py", "tests/shell/install.bats", "tests/e2e/test_plugin_lifecycle.py"

CASES: dict[str, str | list[str]] = {
    # No text is written into files of the user's other than the PATH line: what is verified first is the checkout.
    "HC-142": f"{_CLI}::test_an_incomplete_checkout_is_refused_before_anything_is_changed",
    "HC-143": [
        f"{_CLI}::test_a_second_run_does_nothing", f"{_CLI}::test_a_moved_clone_is_pointed_to_again",
        f"{_CLI}::test_a_foreign_skill_of_the_same_name_stops_everything", f"{_CLI}::test_a_linked_worktree_installs_the_main_checkout",
        f"{_CLI}::test_settings_are_never_touched",
    ],
    "HC-143a": [f"{_CLI}::test_the_login_shell_comes_from_the_password_database", f"{_CLI}::test_with_delegation_too"],
    "F04": f"{_CLI}::test_lost_executable_bits_are_survived",
    "F31": f"{_CLI}::test_a_stub_called_python3_is_passed_over_or_told",
    "F33": "tests/cli/test_launcher.py::test_programs_are_executable_in_git_and_no_text_has_carriage_returns",
    "F34": f"{_SHELL}::CDPATH, IFS, exported options and functions change nothing",
    "F36": f"{_E2E}::test_from_adding_it_to_removing_it",
    "F37": [
        f"{_CLI}::test_a_foreign_skill_of_the_same_name_stops_everything", f"{_CLI}::test_a_linked_skills_directory_is_respected",
        f"{_CLI}::test_uninstalling_keeps_what_the_user_made_or_changed", f"{_CLI}::test_claude_config_dir_is_honoured",
    ],
    "F39": f"{_CLI}::test_without_a_network_nothing_is_installed",
}
