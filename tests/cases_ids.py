"""Which test holds which hard case of ids, counters, locks and renumbering, and of the shell partial."""

_COUNTER, _LOCK, _SOURCES, _RESERVE, _CHECK, _RENUMBER = (
    f"tests/cli/test_id_{name}.py" for name in ("counter", "lock", "sources", "reserve", "check", "renumber")
)
_PARTS, _SHELL = "tests/unit/test_ids_parts.py", "tests/shell/id-alloc.bats"

CASES: dict[str, str | list[str]] = {
    "HC-01": f"{_SHELL}::the highest of several branches is taken, whatever the shell does with lists",
    "HC-03": f"{_SHELL}::padded counters are decimal, 08 and 09 included",
    "HC-05": f"{_SHELL}::empty artifact folders are no error",
    "HC-16": f"{_SHELL}::a failure prints nothing on stdout, and the fence stops before it writes",
    "HC-17": f"{_SHELL}::ADLC_ALLOC_DEGRADED is set when the function is called without substitution",
    "HC-20": f"{_COUNTER}::test_the_counter_holds_the_next_number",
    "HC-21": f"{_COUNTER}::test_a_counter_that_is_no_number_is_an_error_that_names_it_and_leaves_it_alone",
    "HC-22": f"{_COUNTER}::test_an_unreadable_counter_is_an_error_that_names_it",
    "HC-23": f"{_LOCK}::test_a_symlinked_lock_is_refused_and_its_target_untouched",
    "HC-24": f"{_COUNTER}::test_without_a_counter_the_artifacts_on_disk_decide",
    "HC-25": f"{_SOURCES}::test_a_branch_on_the_remote_counts",
    "HC-26": f"{_SOURCES}::test_the_highest_of_several_branches_counts",
    "HC-28": f"{_COUNTER}::test_without_a_counter_the_artifacts_on_disk_decide",
    "HC-29": [f"{_SOURCES}::test_a_number_is_taken_from_lists_of_any_length", f"{_PARTS}::test_the_number_in_the_name_of_an_artifact"],
    "HC-30": f"{_SOURCES}::test_sources_do_not_depend_on_each_other",
    "HC-31": f"{_SOURCES}::test_no_remote_anywhere_is_degraded_and_still_allocates",
    "HC-32": f"{_SOURCES}::test_an_unreadable_artifact_folder_degrades_and_the_others_count",
    "HC-33": f"{_SOURCES}::test_artifacts_merged_on_the_remote_and_never_fetched_count",
    "HC-34": f"{_PARTS}::test_a_remote_is_called_by_its_forge",
    "HC-35": f"{_SOURCES}::test_an_unreachable_remote_is_named_by_its_forge_without_credentials",
    "HC-36": [
        f"{_SOURCES}::test_branch_names_in_any_case_and_place",
        f"{_CHECK}::test_120_and_1200_are_never_confused",
        f"{_RENUMBER}::test_mentions_are_digit_exact",
    ],
    "HC-37": f"{_CHECK}::test_a_number_on_somebody_elses_branch_is_a_collision_with_the_way_out",
    "HC-38": f"{_CHECK}::test_what_could_not_be_asked_is_a_warning_and_no_collision",
    "HC-39": [
        f"{_CHECK}::test_a_merged_artifact_of_this_very_name_is_ones_own",
        f"{_CHECK}::test_ones_own_reservation_is_clear_another_machines_is_not",
        f"{_CHECK}::test_a_reserved_number_is_settled_once_its_artifact_is_merged",
    ],
    "HC-40": f"{_SOURCES}::test_a_linked_worktree_shares_repositories_and_lock_with_the_main_checkout",
    "HC-41": f"{_SOURCES}::test_a_linked_worktree_shares_repositories_and_lock_with_the_main_checkout",
    "HC-42": [
        f"{_LOCK}::test_allocators_at_the_same_time_get_distinct_numbers",
        f"{_LOCK}::test_numbers_stay_distinct_while_allocators_are_killed",
    ],
    "HC-43": [
        f"{_LOCK}::test_an_owner_killed_inside_is_replaced_by_exactly_one_waiter",
        f"{_LOCK}::test_an_old_lock_without_an_owner_is_taken_over_loudly",
    ],
    "HC-45": f"{_LOCK}::test_numbers_stay_distinct_while_allocators_are_killed",
    "HC-46": [
        f"{_COUNTER}::test_padding_and_blanks_around_the_counter_are_accepted",
        f"{_COUNTER}::test_a_counter_that_is_no_number_is_an_error_that_names_it_and_leaves_it_alone",
    ],
    "HC-47": [
        f"{_COUNTER}::test_a_missing_home_directory_for_the_state_is_made_for_this_user_only",
        f"{_COUNTER}::test_a_state_directory_that_cannot_be_made_is_a_clear_error",
    ],
    "HC-48": f"{_COUNTER}::test_a_counter_behind_the_artifacts_on_disk_is_healed",
    "HC-49": [
        f"{_COUNTER}::test_one_branch_name_cannot_poison_the_numbers",
        f"{_COUNTER}::test_the_last_number_is_handed_out_and_then_there_is_none",
    ],
    "HC-50": f"{_COUNTER}::test_a_symlinked_counter_is_refused_and_its_target_untouched",
    "HC-51": [
        f"{_SOURCES}::test_a_remote_that_never_answers_degrades",
        f"{_SOURCES}::test_nobody_is_ever_asked_for_a_password",
        f"{_SOURCES}::test_ssh_runs_in_batch_mode_and_its_own_words_are_the_reason",
    ],
    "HC-52": [
        f"{_RESERVE}::test_the_loser_of_a_race_takes_the_next_number",
        f"{_RESERVE}::test_a_refusal_by_policy_leaves_the_number_unreserved_with_a_warning",
        f"{_RESERVE}::test_a_remote_that_cannot_be_reached_leaves_the_number_unreserved_with_a_warning",
        f"{_RESERVE}::test_a_race_lost_without_end_is_an_error",
    ],
    "HC-53": f"{_RESERVE}::test_one_object_pushed_by_two_is_not_a_win_for_both",
    "HC-54": [f"{_RENUMBER}::test_mentions_are_digit_exact", f"{_PARTS}::test_rewriting_touches_nothing_but_the_mention"],
    "HC-55": f"{_RENUMBER}::test_mentions_are_digit_exact",
    "HC-56": f"{_RENUMBER}::test_a_plan_changes_nothing_and_names_no_absolute_path",
    "HC-57": [
        f"{_RENUMBER}::test_what_cannot_be_meant_is_a_usage_error",
        f"{_RENUMBER}::test_a_number_taken_on_the_remote_is_refused",
    ],
    "HC-59": [
        f"{_RENUMBER}::test_line_ends_encodings_and_names_are_kept",
        f"{_RENUMBER}::test_what_cannot_be_rewritten_is_reported_and_left",
    ],
    "HC-60": f"{_RENUMBER}::test_a_number_taken_in_the_project_is_refused",
    "HC-61": [
        f"{_RENUMBER}::test_a_number_taken_twice_asks_which",
        f"{_RENUMBER}::test_the_references_of_the_other_one_stay",
    ],
    "HC-62": [
        f"{_RENUMBER}::test_a_killed_run_is_finished_by_the_next_one",
        f"{_RENUMBER}::test_another_renumbering_finishes_a_killed_one_first",
        f"{_RENUMBER}::test_a_file_edited_since_a_killed_run_is_reported_and_left",
    ],
    "F12": [
        f"{_SOURCES}::test_artifacts_on_unmerged_branches_count_whatever_their_slug",
        f"{_SOURCES}::test_artifacts_on_tags_count",
    ],
    "F13": f"{_CHECK}::test_two_branches_that_took_one_number_are_found_after_the_merge",
    "F15": f"{_SOURCES}::test_offline_clones_are_told_so_and_can_check_later",
    "F16": [
        f"{_LOCK}::test_an_owner_killed_inside_is_replaced_by_exactly_one_waiter",
        f"{_LOCK}::test_a_lock_without_an_owner_is_left_alone_while_it_is_young",
        f"{_LOCK}::test_an_old_lock_without_an_owner_is_taken_over_loudly",
    ],
    "F17": [
        f"{_COUNTER}::test_the_nearest_adlc_directory_is_the_project_even_below_the_checkout",
        f"{_COUNTER}::test_a_given_root_is_taken_exactly",
    ],
}
