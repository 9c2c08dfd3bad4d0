"""Reserving a number on the remote: the first one has it, and nobody is stopped by a remote that will not."""

import json
import os
import shutil
import subprocess

import pytest


@pytest.fixture
def repo(lab):
    return lab.repo("a", "REQ-100-x", remote=True)


def reservations(lab, name: str = "a") -> dict:
    out = subprocess.run(["git", "ls-remote", lab.path / f"{name}.git", "refs/adlc/*"], capture_output=True, text=True, check=True).stdout
    return {ref: oid for oid, ref in (line.split("\t") for line in out.splitlines())}


def hook(lab, text: str, name: str = "a") -> None:
    path = lab.path / f"{name}.git/hooks/pre-receive"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_a_reservation_is_a_ref_that_tells_nothing_about_who_made_it(lab, repo):
    answer = lab.next("req", "--reserve")
    assert answer["reserved"] is True and answer["number"] == 101 and answer["warnings"] == []
    (oid,) = reservations(lab).values()
    assert list(reservations(lab)) == ["refs/adlc/ids/req/101"]
    commit = subprocess.run(["git", "cat-file", "-p", oid], cwd=lab.path / "a.git", capture_output=True, text=True, check=True).stdout
    assert "REQ-101" in commit and "Ada" not in commit and os.uname().nodename not in commit.split("\n\n")[0].replace("adlc@localhost", "")


def test_another_machines_reservation_counts(lab, repo):
    lab.next("req", "--reserve")
    other = lab.clone("a", "elsewhere")
    assert lab.next(cwd=other, env=lab.machine("elsewhere"))["number"] == 102


def test_reserving_is_switched_on_in_the_projects_config(lab, repo):
    config = repo.path / ".adlc/config.yml"
    config.write_text("ids:\n  reserve: remote\n")
    assert lab.next()["reserved"] is True
    assert lab.next("req", "--no-reserve")["reserved"] is None
    config.write_text("ids: {reserve: off}\n")
    assert lab.next()["reserved"] is None
    config.write_text("# nothing to reserve\nids: {}\n")
    assert lab.next()["reserved"] is None


@pytest.mark.parametrize("text", ["ids: {reserve: maybe}\n", "ids:\n  reserve: [\n", "ids: {reserve: [remote]}\n"])
def test_a_config_that_cannot_be_understood_is_an_error(lab, repo, text):
    (repo.path / ".adlc/config.yml").write_text(text)
    error = lab.refused("next", "req")
    assert error["kind"] == "config_malformed" and "config.yml" in error["message"] and not lab.counter.exists()


@pytest.mark.parametrize("place", ["endless", "pipe", "too large", "directory"])
def test_a_config_that_is_no_file_is_refused_at_once_and_not_read_to_its_end(lab, repo, place):
    config = repo.path / ".adlc/config.yml"
    if place == "endless":
        config.symlink_to("/dev/zero")
    elif place == "pipe":
        os.mkfifo(config)
    elif place == "directory":
        config.mkdir()
    else:
        config.write_text("# " + "x" * 80_000 + "\nids: {reserve: remote}\n")
    error = lab.refused("next", "req")
    assert error["kind"] == "config_malformed" and not lab.counter.exists()


def test_the_loser_of_a_race_takes_the_next_number(lab, repo):
    """HC-52: the reservation appears between the look and the push."""
    other = lab.clone("a", "elsewhere")
    fetch_then_take = lab.path / "bin/git"
    fetch_then_take.parent.mkdir()
    real = shutil.which("git")
    # The other machine is quicker by exactly one step: it reserves whenever this one is about to push.
    fetch_then_take.write_text(
        f'#!/bin/sh\ncase " $* " in *" push "*)\n  if [ ! -e "{lab.path}/done" ]; then touch "{lab.path}/done"\n'
        f'    (unset GIT_DIR; cd "{other.path}" && "{real}" push -q origin HEAD:refs/adlc/ids/req/101)\n  fi ;;\nesac\nexec "{real}" "$@"\n'
    )
    fetch_then_take.chmod(0o755)
    answer = lab.next("req", "--reserve", env={"PATH": f"{fetch_then_take.parent}:{os.environ['PATH']}"})
    assert answer["reserved"] is True and answer["number"] > 101
    assert set(reservations(lab)) == {"refs/adlc/ids/req/101", f"refs/adlc/ids/req/{answer['number']}"}


def test_one_object_pushed_by_two_is_not_a_win_for_both(lab, repo):
    """HC-53: every attempt makes an object of its own."""
    lab.next("req", "--reserve")
    lab.counter.write_text("1")
    subprocess.run(["git", "update-ref", "-d", "refs/adlc/ids/req/101"], cwd=lab.path / "a.git", check=True)
    first = set(oid for oid in (line.split("\t")[2] for line in (lab.state / ".adlc-ids/ledger").read_text().splitlines()) if oid != "-")
    lab.next("req", "--reserve")
    second = set(reservations(lab).values())
    assert second and not first & second


def test_a_refusal_by_policy_leaves_the_number_unreserved_with_a_warning(lab, repo):
    """HC-52"""
    hook(lab, "echo 'no refs here' >&2; exit 1")
    answer = lab.next("req", "--reserve")
    assert answer["number"] == 101 and answer["reserved"] is False and "refuses" in answer["warnings"][0]
    assert reservations(lab) == {} and lab.next("req", "--reserve")["number"] == 102
    assert "not reserved" in lab.id("next", "req", "--reserve").talk


def test_a_remote_that_cannot_be_reached_leaves_the_number_unreserved_with_a_warning(lab, repo):
    """HC-52"""
    shutil.rmtree(lab.path / "a.git")
    answer = lab.next("req", "--reserve")
    assert answer["number"] == 101 and answer["reserved"] is False and answer["degraded"] and "no reservation" in answer["warnings"][0]


def test_a_repository_without_a_remote_cannot_reserve(lab):
    lab.repo("b")
    answer = lab.next("req", "--reserve", cwd=lab.repos / "b")
    assert answer["reserved"] is False and "no remote" in answer["warnings"][0]


def test_a_race_lost_without_end_is_an_error(lab, repo):
    """HC-52: retries exhausted."""
    real, wrapper = shutil.which("git"), lab.path / "bin/git"
    wrapper.parent.mkdir()
    # Whatever this machine wants to reserve, somebody has it first.
    wrapper.write_text(
        f'#!/bin/sh\ncase " $* " in *" push "*)\n  for last; do :; done\n  ref=${{last#*:}}\n'
        f'  "{real}" --git-dir="{lab.path}/a.git" update-ref "$ref" "$("{real}" --git-dir="{lab.path}/a.git" rev-parse HEAD)" ;;\nesac\nexec "{real}" "$@"\n'
    )
    wrapper.chmod(0o755)
    subprocess.run(["git", "symbolic-ref", "HEAD", "refs/heads/trunk"], cwd=lab.path / "a.git", check=True)
    result = lab.id("next", "req", "--reserve", "--json", env={"PATH": f"{wrapper.parent}:{os.environ['PATH']}"})
    assert result.code == 3 and result.error["kind"] == "lock_timeout" and "race" in result.error["message"], result


def test_machines_that_reserve_at_the_same_time_get_distinct_numbers(lab, repo):
    clones = [(lab.clone("a", f"m{n}"), lab.machine(f"m{n}")) for n in range(4)]
    processes = [
        lab.adlc.start("id", "next", "req", "--reserve", "--json", cwd=clone.path, env=env) for clone, env in clones for _ in range(3)
    ]
    answers = [json.loads(p.communicate()[0]) for p in processes]
    numbers = [a["number"] for a in answers]
    assert all(a["reserved"] for a in answers), [a["warnings"] for a in answers]
    assert len(set(numbers)) == 12 and max(numbers) - min(numbers) < 24


def test_the_ledger_tells_own_from_foreign(lab, repo):
    lab.next("req", "--reserve")
    kind, number, oid, remote, taken, root = (lab.state / ".adlc-ids/ledger").read_text().splitlines()[-1].split("\t")
    assert (kind, number, oid, root) == ("req", "101", reservations(lab)["refs/adlc/ids/req/101"], str(repo.path))
    assert remote and taken.endswith("Z") and (lab.state / ".adlc-ids/ledger").stat().st_mode & 0o777 == 0o600


def test_a_symlinked_ledger_is_not_followed(lab, repo):
    target = lab.path / "target"
    lab.next()
    ledger = lab.state / ".adlc-ids/ledger"
    ledger.unlink()
    ledger.symlink_to(target)
    answer = lab.next()
    assert not target.exists() and "not in the ledger" in answer["warnings"][0]


def test_a_configuration_that_cannot_be_read_is_no_leave_to_take_an_unreserved_number(lab, repo):
    (repo.path / ".adlc/config.yml").mkdir()
    assert lab.refused("next", "req")["kind"] == "config_malformed"
    assert not lab.counter.exists() and reservations(lab) == {}
