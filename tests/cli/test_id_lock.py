"""The lock of a counter: nobody gets in without it, a dead owner's passes on once, a live owner's never."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from ids_fixtures import fingerprint

BRIEF = {"ADLC_LOCK_TIMEOUT": "0.3"}


@pytest.fixture
def repo(lab):
    repo = lab.repo()
    lab.counter.write_text("500\n")
    return repo


def at_once(lab, count: int, *arguments, **options) -> list:
    processes = [lab.adlc.start("id", *(arguments or ("next", "req")), cwd=lab.repos / "a", **options) for _ in range(count)]
    return [(p, *p.communicate()) for p in processes]


@pytest.mark.parametrize("count", [2, 16, 64])
def test_allocators_at_the_same_time_get_distinct_numbers(lab, repo, count):
    """HC-42"""
    done = at_once(lab, count)
    ids = [out.decode().strip() for process, out, _ in done if process.returncode == 0]
    assert len(ids) == count and len(set(ids)) == count
    assert lab.counter.read_text() == f"{500 + count}\n" and not lab.lock.exists()


def test_two_kinds_do_not_wait_for_each_other(lab, repo):
    holder = lab.hold()
    assert lab.next("bug", env=BRIEF)["number"] == 1
    finish(holder)


def finish(holder) -> str:
    out, _ = holder.communicate("\n")
    return out.strip()


def test_a_live_owner_keeps_the_lock_and_every_waiter_gets_a_clear_error(lab, repo):
    holder = lab.hold()
    before = fingerprint(lab.lock)
    for process, out, err in at_once(lab, 6, env=BRIEF):
        assert process.returncode == 3 and out == b""
        text = err.decode()
        assert text.count("\n") == 1 and str(lab.lock) in text and f"process {holder.pid}" in text and "rm -r" in text
    assert fingerprint(lab.lock) == before
    assert finish(holder) == "True"
    assert lab.counter.read_text() == "500\n"
    assert lab.next()["number"] == 500


def test_a_stopped_owner_is_a_live_owner(lab, repo):
    holder = lab.hold()
    holder.send_signal(signal.SIGSTOP)
    try:
        assert lab.refused("next", "req", env=BRIEF)["kind"] == "lock_timeout"
    finally:
        holder.send_signal(signal.SIGCONT)
    assert finish(holder) == "True"


def test_a_waiter_gets_in_when_the_owner_is_done(lab, repo):
    holder = lab.hold()
    waiter = lab.adlc.start("id", "next", "req", cwd=repo.path)
    assert finish(holder) == "True"
    out, _ = waiter.communicate()
    assert out == b"REQ-500\n"


def test_an_owner_killed_inside_is_replaced_by_exactly_one_waiter(lab, repo):
    """HC-43, HC-45, F16"""
    lab.killed_holder()
    done = at_once(lab, 8)
    ids = [out.decode().strip() for process, out, _ in done]
    assert len(set(ids)) == 8 and "" not in ids
    assert sum(b"took over" in err for _, _, err in done) == 1
    assert lab.counter.read_text() == "508\n" and not lab.lock.exists()


def test_an_owner_killed_while_others_wait_is_replaced(lab, repo):
    holder = lab.hold()
    waiters = [lab.adlc.start("id", "next", "req", cwd=repo.path) for _ in range(4)]
    holder.kill()
    holder.communicate()
    ids = {p.communicate()[0] for p in waiters}
    assert len(ids) == 4 and b"" not in ids


def test_numbers_stay_distinct_while_allocators_are_killed(lab, repo):
    """HC-42, HC-45"""
    kept, killed = [], 0
    for round in range(6):
        processes = [lab.adlc.start("id", "next", "req", cwd=repo.path) for _ in range(12)]
        # Each round a little later after the start, so that the kills hit other steps.
        time.sleep(0.05 * round)
        for process in processes[::3]:
            process.kill()
            killed += 1
        kept += [out.decode().strip() for out in (p.communicate()[0] for p in processes) if out]
    assert killed == 24 and len(kept) >= 48 and len(set(kept)) == len(kept)
    number = lab.next()["number"]
    assert number > max(int(id.split("-")[1]) for id in kept)
    assert lab.counter.read_text() == f"{number + 1}\n" and not lab.lock.exists()


def test_what_a_killed_writer_left_is_swept_up(lab, repo):
    leftover = lab.counter.with_name("..global-next-req.12345.abcd")
    leftover.write_text("50")
    lab.killed_holder()
    assert lab.next()["number"] == 500
    assert not leftover.exists() and list((lab.state / ".adlc-ids/tmp").iterdir()) == []


def test_a_lock_without_an_owner_is_left_alone_while_it_is_young(lab, repo):
    """F16: another tool may just have made it."""
    lab.lock.mkdir()
    lab.age_lock(-60)  # however slow this machine is, it does not get old
    error = lab.refused("next", "req", env=BRIEF)
    assert error["kind"] == "lock_timeout" and "names no owner" in error["message"] and str(lab.lock) in error["fix"]
    assert lab.lock.is_dir() and lab.counter.read_text() == "500\n"


@pytest.mark.parametrize("content", [{}, {"owner": b""}, {"owner": b"pid=12\nnames"}, {"pid": b"4711"}], ids=["empty", "empty record", "cut record", "another tool's file"])
def test_an_old_lock_without_an_owner_is_taken_over_loudly(lab, repo, content):
    """HC-43, F16"""
    lab.lock.mkdir()
    for name, data in content.items():
        (lab.lock / name).write_bytes(data)
    lab.age_lock(60)
    done = at_once(lab, 4)
    assert len({out for _, out, _ in done}) == 4 and all(p.returncode == 0 for p, _, _ in done)
    assert sum(b"names no owner" in err for _, _, err in done) == 1


def test_a_lock_whose_stamp_lies_in_the_future_is_watched_instead(lab, repo):
    lab.lock.mkdir()
    lab.age_lock(-7200)
    assert lab.refused("next", "req", env=BRIEF)["kind"] == "lock_timeout"
    answer = lab.next()  # waits until it has seen it unchanged for five seconds
    assert answer["number"] == 500 and "names no owner" in answer["warnings"][0]


def test_a_reused_pid_is_not_the_owner(lab, repo):
    lab.killed_holder()
    lab.rewrite_owner(pid=os.getpid())
    answer = lab.next(env=BRIEF)
    assert answer["number"] == 500 and "is gone" in answer["warnings"][0]


def test_a_zombie_is_not_alive(lab, repo):
    holder = lab.hold()
    holder.kill()
    while pathlib.Path(f"/proc/{holder.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        pass
    assert lab.next(env=BRIEF)["number"] == 500
    holder.communicate()


@pytest.mark.parametrize("fields", [
    {"host": "elsewhere", "machine": "other", "boot": "other"}, {"namespace": "pid:[1]"}, {"boot": ""},
], ids=["another host", "another pid namespace", "unknown boot"])
def test_an_owner_that_cannot_be_seen_loses_the_lock_only_by_age(lab, repo, fields):
    lab.killed_holder()
    lab.rewrite_owner(**fields)
    error = lab.refused("next", "req", env=BRIEF)
    assert error["kind"] == "lock_timeout" and fields.get("host", "process") in error["message"]
    lab.age_lock(3600)
    answer = lab.next(env=BRIEF)
    assert answer["number"] == 500 and "cannot be seen from here" in answer["warnings"][0]


def test_an_owner_from_before_a_restart_of_this_machine_is_gone(lab, repo):
    lab.killed_holder()
    if "machine=\n" in (lab.lock / "owner").read_text():
        pytest.skip("this machine has no id")
    lab.rewrite_owner(boot="an earlier one", pid=os.getpid())
    assert "is gone" in lab.next(env=BRIEF)["warnings"][0]


@pytest.mark.parametrize("target", ["directory", "nothing", "file"])
def test_a_symlinked_lock_is_refused_and_its_target_untouched(lab, repo, target):
    """HC-23"""
    place = lab.path / "target"
    if target == "directory":
        place.mkdir()
        (place / "keep").write_text("x")
    elif target == "file":
        place.write_text("x")
    lab.lock.symlink_to(place)
    error = lab.refused("next", "req")
    assert error["kind"] == "lock_refused" and "symbolic link" in error["message"] and str(lab.lock) in error["message"]
    assert lab.lock.is_symlink() and lab.counter.read_text() == "500\n"
    assert target != "directory" or [p.name for p in place.iterdir()] == ["keep"]


def test_a_symlinked_owner_record_is_refused(lab, repo):
    lab.lock.mkdir()
    secret = lab.path / "secret"
    secret.write_text("x")
    (lab.lock / "owner").symlink_to(secret)
    lab.age_lock(60)
    assert lab.refused("next", "req")["kind"] == "lock_refused"
    assert secret.read_text() == "x" and (lab.lock / "owner").is_symlink()


def test_a_lock_that_is_a_file_is_refused(lab, repo):
    lab.lock.write_text("")
    assert lab.refused("next", "req")["kind"] == "lock_refused" and lab.lock.is_file()


def test_a_lock_that_may_not_be_looked_into_says_so(lab, repo, as_user):
    lab.lock.mkdir(mode=0)
    error = lab.refused("next", "req", prefix=as_user)
    assert error["kind"] == "lock_refused" and f"{lab.lock} cannot be read: permission denied" in error["message"] and lab.lock.is_dir()


@pytest.mark.parametrize("value", ["soon", "-1", "1e9", "nan", "٣s"])
def test_a_bad_time_to_wait_is_a_usage_error(lab, repo, value):
    result = lab.id("next", "req", "--json", env={"ADLC_LOCK_TIMEOUT": value})
    assert result.code == 2 and "ADLC_LOCK_TIMEOUT" in result.error["message"]


def test_a_free_lock_is_had_without_waiting(lab, repo):
    assert lab.next(env={"ADLC_LOCK_TIMEOUT": "0"})["number"] == 500


def test_an_interrupted_waiter_leaves_nothing_behind(lab, repo):
    holder = lab.hold()
    waiter = lab.adlc.start("id", "next", "req", cwd=repo.path, start_new_session=True)
    while len(list((lab.state / ".adlc-ids/tmp").iterdir())) < 1:
        assert waiter.poll() is None
    os.killpg(waiter.pid, signal.SIGINT)
    out, err = waiter.communicate()
    assert waiter.returncode == 130 and out == b"" and err == b"adlc: interrupted\n"
    assert finish(holder) == "True"
    assert list((lab.state / ".adlc-ids/tmp").iterdir()) == [] and not lab.lock.exists()


def test_a_waiter_outlasts_a_queue_that_moves(lab, repo):
    """It gives up when one owner keeps the lock, not because others are served first."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\nimport time\nfrom adlc.ids import state\nfrom adlc.ids.lock import Lock\n"
        "end = time.monotonic() + 1.5\nprint(flush=True)\n"
        "while time.monotonic() < end:\n with Lock(state.lock_path('req')):\n  time.sleep(0.02)\n"
    )
    from conftest import ROOT

    busy = [subprocess.Popen([sys.executable, "-c", code, str(ROOT / "tools")], env=lab.environment, stdout=subprocess.PIPE) for _ in range(3)]
    for process in busy:
        process.stdout.readline()
    done = at_once(lab, 4, env={"ADLC_LOCK_TIMEOUT": "0.5"})
    assert [p.returncode for p, _, _ in done] == [0] * 4
    for process in busy:
        assert process.wait() == 0
        process.stdout.close()


def test_a_file_system_without_kernel_locks_still_excludes(lab, repo):
    """The directory alone decides then, and a dead owner's lock is refused with the command that removes it."""
    guard = lab.state / ".adlc-ids/.global-next-req.lock.d.guard"
    lab.killed_holder()
    guard.unlink()
    guard.mkdir()  # stands for a guard that cannot be locked
    error = lab.refused("next", "req", env=BRIEF)
    assert error["kind"] == "lock_timeout" and f"rm -r '{lab.lock}'" in error["fix"]
    subprocess.run(["rm", "-r", str(lab.lock)], check=True)
    done = at_once(lab, 8)
    assert len({out for p, out, _ in done if p.returncode == 0}) == 8
