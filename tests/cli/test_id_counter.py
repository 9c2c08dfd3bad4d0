"""adlc id next on one machine: the counter, what is on disk, and what may not be believed."""

import pytest

from ids_fixtures import Repo, fingerprint, repositories

BAD_COUNTERS = {
    "letters": b"abc", "two numbers": b"12 34", "exponent": b"1e3", "suffix": b"007x", "carriage return": b"42\r", "CRLF": b"42\r\n",
    "negative": b"-5", "plus": b"+5", "20 digits": b"9" * 20, "7 digits": b"1000001", "hexadecimal": b"0x10", "other digits": "٣".encode(),
    "UTF-16": "42".encode("utf-16"), "NUL": b"4\x002", "line break inside": b"4\n2", "empty": b"", "blank": b" \n", "too long": b"0" * 70 + b"1",
}


def test_the_counter_holds_the_next_number(lab):
    """HC-20"""
    lab.repo()
    lab.counter.write_text("500\n")
    assert lab.next()["number"] == 500
    assert lab.counter.read_bytes() == b"501\n"
    assert lab.next()["id"] == "REQ-501"


@pytest.mark.parametrize("text, number", [("042", 42), (" 42 ", 42), ("0099", 99), ("42", 42), ("\t42\n\n", 42), ("08", 8), ("0000000042", 42)])
def test_padding_and_blanks_around_the_counter_are_accepted(lab, text, number):
    """HC-03, HC-46"""
    lab.repo()
    lab.counter.write_text(text)
    assert lab.next()["number"] == number
    assert lab.counter.read_text() == f"{number + 1}\n"


@pytest.mark.parametrize("content", BAD_COUNTERS.values(), ids=BAD_COUNTERS)
def test_a_counter_that_is_no_number_is_an_error_that_names_it_and_leaves_it_alone(lab, content):
    """HC-21, HC-46"""
    lab.repo()
    lab.counter.write_bytes(content)
    error = lab.refused("next", "req")
    assert error["kind"] == "counter_invalid" and str(lab.counter) in error["message"] and str(lab.counter) in error["fix"]
    assert lab.counter.read_bytes() == content
    assert not lab.lock.exists()
    lab.counter.write_text("7")
    assert lab.next()["number"] == 7


@pytest.mark.parametrize("mode", [0o000, 0o200])
def test_an_unreadable_counter_is_an_error_that_names_it(lab, as_user, mode):
    """HC-22"""
    lab.repo()
    lab.counter.write_text("500\n")
    lab.counter.chmod(mode)
    error = lab.refused("next", "req", prefix=as_user)
    assert error["kind"] == "counter_invalid" and str(lab.counter) in error["message"]
    assert lab.counter.read_text() == "500\n" and not lab.lock.exists()


@pytest.mark.parametrize("dangling", [False, True])
def test_a_symlinked_counter_is_refused_and_its_target_untouched(lab, dangling):
    """HC-50"""
    lab.repo()
    target = lab.path / "target"
    if not dangling:
        target.write_text("500\n")
    lab.counter.symlink_to(target)
    error = lab.refused("next", "req")
    assert error["kind"] == "counter_invalid" and "symbolic link" in error["message"]
    assert lab.counter.is_symlink() and target.exists() is not dangling
    assert dangling or target.read_text() == "500\n"


def test_a_counter_that_is_a_directory_or_a_fifo_is_an_error_at_once(lab):
    import os

    lab.repo()
    lab.counter.mkdir()
    assert lab.refused("next", "req")["kind"] == "counter_invalid"
    lab.counter.rmdir()
    os.mkfifo(lab.counter)
    assert lab.refused("next", "req")["kind"] == "counter_invalid"


def test_the_counter_keeps_its_mode(lab):
    lab.repo()
    lab.counter.write_text("5")
    lab.counter.chmod(0o600)
    lab.next()
    assert lab.counter.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind, names, expected", [
    ("req", ["REQ-042-login"], 43),
    ("req", ["REQ-008-a", "REQ-009-b"], 10),
    ("req", ["REQ-120-a", "REQ-1200-b"], 1201),
    ("req", ["req-077-lower"], 78),
    ("req", ["REQ-007", "XREQ-900-x.md"], 8),
    ("lesson", ["LESSON-007-a.md", "LESSON-329-b.md", "LESSON-356-c.md"], 357),
    ("bug", ["BUG-012-a.md", "BUG-0013-b.md"], 14),
    ("bug", ["REQ-500-other-kind"], 1),
])
def test_without_a_counter_the_artifacts_on_disk_decide(lab, kind, names, expected):
    """HC-24, HC-28, HC-36"""
    repo = lab.repo("a", *(n for n in names if not n.startswith("XREQ")))
    if "XREQ-900-x.md" in names:
        (repo.path / ".adlc/specs/XREQ-900-x").mkdir()
    answer = lab.next(kind)
    assert answer["number"] == expected
    assert lab.counter_of(kind).read_text() == f"{expected + 1}\n"


def test_a_counter_behind_the_artifacts_on_disk_is_healed(lab):
    """HC-48"""
    lab.repo("a", "REQ-600-x")
    lab.counter.write_text("5")
    assert lab.next()["number"] == 601
    assert lab.counter.read_text() == "602\n"


def test_artifacts_that_nobody_committed_count(lab):
    repo = lab.repo()
    repo.artifact("REQ-077-draft")
    assert lab.next()["number"] == 78


def test_a_first_number_is_one(lab):
    repo = lab.repo()
    answer = lab.next("lesson")
    assert (answer["number"], answer["id"]) == (1, "LESSON-001")
    assert repo.path


def test_each_kind_has_its_own_counter(lab):
    lab.repo()
    lab.counter.write_text("500")
    assert lab.next("bug")["number"] == 1
    assert lab.next("req")["number"] == 500


@pytest.mark.parametrize("kind", ["adr", "", "../req", "req bug", "REQ-1"])
def test_an_unknown_kind_is_a_usage_error(lab, kind):
    lab.repo()
    result = lab.id("next", kind, "--json")
    assert result.code == 2 and result.error["kind"] == "usage"
    assert not list(lab.adlc.state.glob(".global*")) if lab.adlc.state.exists() else True


def test_a_missing_home_directory_for_the_state_is_made_for_this_user_only(lab):
    """HC-47"""
    lab.repo()
    assert lab.next(env={"ADLC_STATE_DIR": ""})["number"] == 2
    folder = lab.adlc.home / ".claude"
    assert (folder / ".global-next-req").read_text() == "3\n"
    assert folder.stat().st_mode & 0o777 == 0o700 and (folder / ".adlc-ids").stat().st_mode & 0o777 == 0o700


def test_counters_lie_below_home_whatever_the_configuration_directory_is(lab):
    lab.repo()
    lab.next(env={"ADLC_STATE_DIR": "", "CLAUDE_CONFIG_DIR": str(lab.path / "other"), "XDG_STATE_HOME": str(lab.path / "xdg")})
    assert (lab.adlc.home / ".claude/.global-next-req").exists()


def test_a_state_directory_that_cannot_be_made_is_a_clear_error(lab, as_user):
    """HC-47"""
    lab.repo()
    lab.adlc.home.chmod(0o500)
    error = lab.refused("next", "req", prefix=as_user, env={"ADLC_STATE_DIR": ""})
    assert error["kind"] == "write_failed" and str(lab.adlc.home / ".claude") in error["message"]


def test_a_state_directory_that_is_a_file_is_a_clear_error(lab):
    lab.repo()
    (lab.adlc.home / ".claude").write_text("")
    error = lab.refused("next", "req", env={"ADLC_STATE_DIR": ""})
    assert error["kind"] == "write_failed" and str(lab.adlc.home / ".claude") in error["message"]


def test_a_state_directory_that_became_read_only_is_a_clear_error(lab, as_user):
    lab.repo()
    lab.counter.write_text("500\n")
    lab.state.chmod(0o500)
    assert lab.refused("next", "req", prefix=as_user)["kind"] == "write_failed"
    lab.state.chmod(0o700)
    assert [p.name for p in lab.state.iterdir()] == [".global-next-req"] and lab.counter.read_text() == "500\n"


def test_a_relative_state_directory_is_a_usage_error(lab):
    lab.repo()
    assert lab.id("next", "req", "--json", env={"ADLC_STATE_DIR": "state"}).code == 2


def test_the_last_number_is_handed_out_and_then_there_is_none(lab):
    """HC-49"""
    lab.repo()
    lab.counter.write_text("999999")
    assert lab.next()["id"] == "REQ-999999"
    error = lab.refused("next", "req")
    assert error["kind"] == "id_exhausted" and "adlc id high req" in error["fix"]
    assert lab.counter.read_text() == "1000000\n" and not lab.lock.exists()


@pytest.mark.parametrize("name", ["release/feat/REQ-999999-oops", "feat/REQ-99999999999999999999", "feat/REQ-20600-x"])
def test_one_branch_name_cannot_poison_the_numbers(lab, name):
    """HC-49"""
    repo = lab.repo("a", "REQ-600-x")
    repo.git("branch", name)
    answer = lab.next()
    assert answer["number"] == 601
    assert [row["name"] for row in answer["ignored"]] == [f"refs/heads/{name}"] and answer["ignored"][0]["reason"]
    assert "ignored" in lab.id("next", "req").talk


def test_two_implausible_branch_names_do_not_vouch_for_each_other(lab):
    repo = lab.repo("a", "REQ-600-x")
    repo.git("branch", "feat/REQ-900000-a")
    repo.git("branch", "feat/REQ-900001-b")
    answer = lab.next()
    assert answer["number"] == 601 and len(answer["ignored"]) == 2


def test_a_high_number_that_an_artifact_backs_is_believed(lab):
    repo = lab.repo("a", "REQ-600-x")
    repo.branch("big", "REQ-50000-real")
    repo.git("branch", "feat/REQ-50009-next")
    assert lab.next()["number"] == 50010


def test_an_artifact_past_six_digits_is_reported_and_ignored(lab):
    lab.repo("a", "REQ-600-x", "REQ-1234567-y")
    answer = lab.next()
    assert answer["number"] == 601 and "REQ-1234567-y" in answer["ignored"][0]["name"]


def test_the_number_alone_is_on_stdout_and_talk_on_stderr(lab):
    lab.repo("a", "REQ-041-x")
    result = lab.id("next", "req")
    assert result.text == "REQ-042\n"
    assert "id allocated without remote verification — verify before PR" in result.talk and result.talk.count("\n") == 1
    assert lab.id("next", "req", "--shell").text == "43 1\n"


def test_high_changes_nothing(lab):
    lab.repo("a", "REQ-600-x")
    lab.counter.write_text("5")
    before = fingerprint(lab.state)
    result = lab.id("high", "req", "--json")
    assert result.document["number"] == 600 and result.document["id"] == "REQ-600"
    assert fingerprint(lab.state) == before
    assert lab.id("high", "req").text.startswith("REQ-600\n")
    assert lab.id("high", "bug", "--json").document["id"] is None


def test_the_nearest_adlc_directory_is_the_project_even_below_the_checkout(lab):
    """F17"""
    repo = lab.repo("a")
    (repo.path / ".adlc").rename(repo.path / "gone")
    repo.artifact("REQ-300-x", below="services/pay")
    (repo.path / "services/pay/src").mkdir()
    assert lab.next(cwd=repo.path / "services/pay/src")["number"] == 301


def test_a_given_root_is_taken_exactly(lab):
    """F17"""
    repo = lab.repo("a", "REQ-005-x")
    repo.artifact("REQ-300-x", below="services/pay")
    assert lab.next("req", "--root", repo.path / "services/pay", cwd=lab.path)["number"] == 301
    result = lab.id("next", "req", "--root", "nowhere", "--json")
    assert result.code == 3 and result.error["kind"] == "no_root"


def test_numbers_are_shared_with_the_repositories_beside_this_one(lab):
    lab.repo("a", "REQ-010-x")
    lab.repo("b", "REQ-700-y")
    plain = Repo(lab, lab.repos / "plain")
    plain.artifact("REQ-650-no-git")
    (lab.repos / "unrelated").mkdir()
    answer = lab.next()
    assert answer["number"] == 701 and repositories(answer) == {"a", "b", "plain"}


def test_the_folder_of_repositories_can_be_set(lab):
    lab.repo("a", "REQ-010-x")
    lab.repo("z", "REQ-700-y", folder=lab.path / "elsewhere")
    assert repositories(lab.next(env={"ADLC_REPOS_ROOT": str(lab.path / "elsewhere")})) == {"a", "z"}
    answer = lab.next(env={"ADLC_REPOS_ROOT": str(lab.path / "missing")})
    assert repositories(answer) == {"a"} and any("missing" in reason for reason in answer["reasons"])


def test_the_home_directory_is_never_searched_for_repositories(lab):
    home = lab.adlc.home
    lab.repo("a", "REQ-010-x", folder=home)
    lab.repo("b", "REQ-700-y", folder=home)
    assert repositories(lab.next(cwd=home / "a")) == {"a"}
    answer = lab.next(cwd=home / "a", env={"ADLC_REPOS_ROOT": str(home)})
    assert repositories(answer) == {"a"} and answer["degraded"]


def test_outside_any_repository_the_counter_still_serves(lab):
    lab.counter.write_text("500")
    folder = lab.path / "x/y"
    folder.mkdir(parents=True)
    answer = lab.next(cwd=folder)
    assert answer["number"] == 500 and answer["degraded"]


def test_a_number_that_is_only_shown_is_not_called_allocated(lab):
    lab.repo("a", "REQ-001-x")
    result = lab.id("high", "req")
    assert result.code == 0 and result.talk == "adlc: not everything could be asked (no repository here has a remote)\n"


@pytest.mark.parametrize("mask", ["0777", "0277", "0477"])
def test_a_umask_that_takes_the_owners_own_bits_takes_nothing_from_the_next_call(lab, as_user, mask):
    lab.repo("a", "REQ-042-x")
    command = ("sh", "-c", f'umask {mask}; exec "$@"', "sh", *as_user)
    assert [lab.next("req", prefix=command)["number"] for _ in range(2)] == [43, 44]
    flag = lab.adlc("flag", "create", prefix=command, cwd=lab.repos / "a").text.strip()
    assert lab.adlc("flag", "mark", flag, "reason", "ok", prefix=command).code == 0
    assert lab.adlc("flag", "read", flag, "reason", prefix=command).text == "ok\n"
