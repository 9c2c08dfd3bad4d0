"""Flags and telemetry: what is marked, what it is recorded as, and that neither can be steered or get in the way."""

import json
import os
import pathlib
import stat
import subprocess
import time

import pytest

from conftest import ROOT, at_most

TOOLS = ROOT / "tools/delegate"


@pytest.fixture
def log(adlc):
    return pathlib.Path(adlc.environment["ADLC_TELEMETRY_LOG"])


@pytest.fixture
def tool(adlc, project):
    """tool(name, *arguments): a program of tools/delegate in the same environment."""

    def run(name, *arguments, **environment):
        return subprocess.run(["sh", TOOLS / name, *arguments], cwd=project.root, env=adlc.environment | environment, capture_output=True, timeout=60)

    return run


def events(log):
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def make(adlc, **marks):
    flag = adlc("flag", "create").text.strip()
    for key, value in marks.items():
        adlc("flag", "mark", flag, key, value)
    return flag


CASES = [
    ({}, ("fail", "fallback", "not-invoked")),
    ({"reason": "not-opted-in"}, ("fail", "fallback", "not-opted-in")),
    ({"reason": "disabled-via-env"}, ("fail", "fallback", "disabled-via-env")),
    ({"reason": "no-documents"}, ("fail", "fallback", "no-documents")),
    ({"reason": "ok"}, ("pass", "ghost-skip", "gate-passed-no-call")),
    ({"reason": "ok", "invoked": "1"}, ("pass", "ghost-skip", "gate-passed-no-call")),
    ({"reason": "ok", "invoked": "1", "exit": "0"}, ("pass", "delegated", "ok")),
    ({"reason": "ok", "invoked": "1", "exit": "1"}, ("pass", "fallback", "api-error")),
    ({"reason": "ok", "invoked": "1", "exit": "abc"}, ("pass", "fallback", "api-error")),
    ({"reason": "ok", "invoked": "1", "exit": "00"}, ("pass", "fallback", "api-error")),
    ({"reason": "ok", "exit": "0"}, ("pass", "ghost-skip", "gate-passed-no-call")),
]


@pytest.mark.parametrize("marks, record", CASES, ids=[str(c[0]) for c in CASES])
def test_what_a_step_is_recorded_as_follows_from_its_marks(adlc, log, marks, record):
    flag = make(adlc, **marks)
    result = adlc("telemetry", "step", "spec", "Step-1.6", "--flag", flag)
    (item,) = events(log)
    assert result.code == 0 and (item["gate"], item["mode"], item["reason"]) == record
    assert list(item) == ["timestamp", "skill", "step", "req", "gate", "mode", "reason", "duration_ms", "repo", "source"]
    assert type(item["duration_ms"]) is int and 0 <= item["duration_ms"] < 120_000 and item["source"] == "flag"
    assert item["repo"] == "project" and item["req"] == "unknown"
    assert not os.path.exists(flag) and not os.path.exists(flag + ".state") and mode(log) == 0o600
    assert ("ghost-skip" in result.talk) is (record[1] == "ghost-skip") and result.talk.count("\n") <= 1


@pytest.mark.parametrize("form", ["cli", "sh"])
@pytest.mark.parametrize("stated", ["few docs", "no-documents", "not-opted-in", "api-error", ""])
def test_no_reason_that_is_written_after_a_passed_gate_takes_it_back(adlc, tool, log, form, stated):
    flag = make(adlc, reason="ok")
    if form == "cli":
        assert adlc("flag", "mark", flag, "reason", stated).code == 0
    else:
        assert tool("skill-flag.sh", "mark", flag, "reason", stated).returncode == 0
    assert adlc("flag", "mark", flag, "closed", "not-opted-in").code == 2 and adlc("flag", "mark", flag, "passed", "0").code == 2
    said = adlc("telemetry", "step", "spec", "Step-1.6", "--flag", flag).talk
    (item,) = events(log)
    assert (item["gate"], item["mode"], item["reason"]) == ("pass", "ghost-skip", f"ghost-skip:{stated}") and "ghost-skip" in said


def test_without_a_flag_the_record_says_so(adlc, log):
    for more in ((), ("--flag", "/tmp/flag-none"), ("--flag", "")):
        assert adlc("telemetry", "step", "spec", "Step-1.6", *more).code == 0
    assert [(e["gate"], e["mode"], e["reason"], e["duration_ms"]) for e in events(log)] == [("fail", "fallback", "no-flag", None)] * 3


@pytest.mark.parametrize("start", ["08", "", "a[$(touch ran)]", "-5", "1e3", "99999999999999999999", "\u0661"])
def test_a_start_that_is_no_number_is_never_evaluated(adlc, log, project, start):
    flag = make(adlc)
    pathlib.Path(flag + ".state").write_text(f"start_s={start}\nreason=ok\ninvoked=1\nexit=0\n")
    assert adlc("telemetry", "step", "spec", "s", "--flag", flag).code == 0
    (item,) = events(log)
    assert item["duration_ms"] is None and item["mode"] == "delegated" and not (project.root / "ran").exists()


def test_the_seed_s_whole_seconds_are_understood_too(adlc, log):
    flag = make(adlc)
    pathlib.Path(flag + ".state").write_text(f"start_s={int(time.time()) - 3}\n")
    adlc("telemetry", "step", "spec", "s", "--flag", flag)
    assert events(log)[0]["duration_ms"] >= 3000


def test_the_document_worked_on_is_named_by_option_or_variable(adlc, log):
    adlc("telemetry", "step", "spec", "s", "--req", "REQ-7")
    adlc("telemetry", "step", "spec", "s", env={"REQ_NUM": "8"})
    adlc("telemetry", "step", "spec", "s", env={"REQ_ID": "REQ-9"})
    assert [e["req"] for e in events(log)] == ["REQ-7", "8", "REQ-9"]


def test_the_current_flag_is_the_newest_of_this_project_and_session(adlc, project, tmp_path):
    (project.root / ".git").mkdir()
    assert (adlc("flag", "current").code, adlc("flag", "current").out) == (1, b"")
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    here, there = adlc("flag", "create").text, adlc("flag", "create", cwd=other).text
    session = {"CLAUDE_CODE_SESSION_ID": "s-1"}
    mine = adlc("flag", "create", env=session).text
    assert adlc("flag", "current").text == here and adlc("flag", "current", cwd=other).text == there
    assert adlc("flag", "current", env=session).text == mine
    (project.root / "deep/er").mkdir(parents=True)
    assert adlc("flag", "current", cwd=project.root / "deep/er").text == here
    adlc("flag", "clear", here.strip())
    assert adlc("flag", "current").code == 1


def test_flags_are_owner_only_and_abandoned_ones_are_reaped(adlc):
    old, new = make(adlc, reason="ok"), make(adlc)
    assert mode(old) == mode(old + ".state") == 0o600 and mode(os.path.dirname(old)) == 0o700
    stranger = pathlib.Path(os.path.dirname(old), "notes.txt")
    stranger.write_text("x")
    day = time.time() - 25 * 3600
    for path in (old, old + ".state", stranger):
        os.utime(path, (day, day))
    make(adlc)
    assert not os.path.exists(old) and not os.path.exists(old + ".state") and os.path.exists(new) and stranger.exists()


@pytest.mark.parametrize("form", ["cli", "sh"])
def test_marks_are_closed_keys_with_one_line_values_and_the_last_counts(adlc, tool, form):
    flag = make(adlc)

    def call(*arguments):
        if form == "cli":
            result = adlc("flag", arguments[0], "--", *arguments[1:])
            return result.code, result.out, result.err
        done = tool("skill-flag.sh", *arguments)
        return done.returncode, done.stdout, done.stderr

    assert call("read", flag, "reason") == (0, b"", b"")
    for value in ("one", "two=2 'x' \"$(y)\" `z` \\n", "--flag", "  padded ", "ünïcode"):
        assert call("mark", flag, "reason", value) == (0, b"", b"")
        assert call("read", flag, "reason") == (0, value.encode() + b"\n", b"")
    before = pathlib.Path(flag + ".state").read_bytes()
    for key, value in (("reason", "x\nexit=0"), ("reason", "x\r"), ("reason", "\x1b[0m"), ("other", "x"), ("", "x"), ("reason", "x" * 201), ("reason", "ü" * 101), ("exit=0\nreason", "x")):
        code, out, err = call("mark", flag, key, value)
        assert (code, out) == (2, b"") and err.count(b"\n") == 1
    for path in ("", "flag", "/tmp/flag-000000000000-000000000000-000000000000", os.path.dirname(flag), flag + ".state", os.path.dirname(flag) + "/../flags/" + os.path.basename(flag),
                 os.path.dirname(flag) + "/flag-ffffffffffff-ffffffffffff-ffffffffffff"):
        assert call("mark", path, "reason", "x")[:2] == (2, b"")
    assert pathlib.Path(flag + ".state").read_bytes() == before and mode(flag + ".state") == 0o600
    assert call("check", flag)[0] == 0 and call("clear", flag)[0] == 0 and call("clear", flag)[0] == 0 and call("check", flag)[0] == 1
    assert call("mark", flag, "reason", "x")[0] == 2 and not os.path.exists(flag + ".state")


@pytest.mark.parametrize("form", ["cli", "sh"])
def test_a_link_in_the_place_of_a_flag_or_its_marks_is_refused(adlc, tool, tmp_path, form):
    flag, target = make(adlc), tmp_path / "target"
    target.write_text("reason=ok\n")
    call = (lambda *a: adlc("flag", *a).code) if form == "cli" else (lambda *a: tool("skill-flag.sh", *a).returncode)
    os.unlink(flag + ".state")
    os.symlink(target, flag + ".state")
    assert call("mark", flag, "reason", "x") == 3 and target.read_text() == "reason=ok\n"
    assert adlc("flag", "read", flag, "reason").out == b"" == tool("skill-flag.sh", "read", flag, "reason").stdout
    os.unlink(flag)
    os.symlink(target, flag)
    assert call("check", flag) == 1 and call("mark", flag, "reason", "x") == 2 and target.read_text() == "reason=ok\n"


@pytest.mark.parametrize("variable", ["ADLC_STATE_DIR", "XDG_STATE_HOME", "HOME"])
@pytest.mark.parametrize("ending", ["", "/", "//"])
def test_both_forms_agree_on_the_place_of_flags(adlc, tool, tmp_path, variable, ending):
    environment = {"ADLC_STATE_DIR": "", "XDG_STATE_HOME": "", "HOME": str(tmp_path)} | {variable: f"{tmp_path}/place{ending}"}
    flag = adlc("flag", "create", env=environment).text.strip()
    assert tool("skill-flag.sh", "mark", flag, "reason", "ok", **environment).returncode == 0
    assert adlc("flag", "read", flag, "reason", env=environment).text == "ok\n"


def test_mark_and_read_start_no_process(adlc, tool, tmp_path):
    flag = make(adlc)
    adlc.environment["PATH"] = str(tmp_path)
    shell = "/bin/sh"
    for arguments in (("mark", flag, "exit", "0"), ("read", flag, "exit")):
        done = subprocess.run([shell, TOOLS / "skill-flag.sh", *arguments], env=adlc.environment, capture_output=True)
        assert done.returncode == 0, done
    assert done.stdout == b"0\n"


def test_a_hand_written_fallback_behind_a_passed_gate_is_a_ghost_skip(tool, log):
    said = tool("emit-telemetry.sh", "spec", "Step-1.6", "REQ-7", "pass", "fallback", "manual", "12")
    assert said.returncode == 0 and said.stderr.count(b"\n") == 1 and b"ghost-skip" in said.stderr
    for record in (("pass", "fallback", "api-error"), ("fail", "fallback", "not-opted-in"), ("pass", "delegated", "ok")):
        done = tool("emit-telemetry.sh", "spec", "Step-1.6", "REQ-7", *record, "-")
        assert (done.returncode, done.stderr) == (0, b"")
    assert [(e["gate"], e["mode"], e["reason"], e["duration_ms"], e["source"]) for e in events(log)] == [
        ("pass", "ghost-skip", "ghost-skip:manual", 12, "args"), ("pass", "fallback", "api-error", None, "args"),
        ("fail", "fallback", "not-opted-in", None, "args"), ("pass", "delegated", "ok", None, "args"),
    ]


@pytest.mark.parametrize("arguments", [
    (), ("a",) * 6, ("a",) * 8, ("spec", "s", "r", "PASS", "fallback", "x", "-"), ("spec", "s", "r", " pass", "fallback", "x", "-"),
    ("spec", "s", "r", "pass", "whatever", "x", "-"), ("spec", "s", "r", "fail", "delegated", "x", "-"), ("spec", "s", "r", "fail", "ghost-skip", "x", "-"),
    ("spec", "s", "r", "pass", "delegated", "ok", "soon"), ("spec", "s", "r", "pass", "delegated", "ok", "-5"), ("spec", "s", "r", "pass", "delegated", "ok", "\u0661"),
])
def test_a_statement_that_cannot_be_is_a_usage_error(tool, log, arguments):
    done = tool("emit-telemetry.sh", *arguments)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and events(log) == []


@pytest.mark.parametrize("reason", ["tab\there", "two\nlines", 'quotes " and \\', "ünïcode ⚙ 漢字", "\u2028", "'; rm -rf /", "--json", "-x", "{}", "a\x1b[31mb", "\x7f"])
def test_any_reason_round_trips_as_one_valid_line(tool, log, reason):
    assert tool("emit-telemetry.sh", "spec", "s", "r", "fail", "fallback", reason, "-").returncode == 0
    data = log.read_bytes()
    assert data.count(b"\n") == 1 and json.loads(data.decode("utf-8"))["reason"] == reason


def test_bytes_that_are_no_text_stay_visible(tool, log):
    assert tool("emit-telemetry.sh", "spec", "s", "r", "fail", "fallback", b"a\xff\xfeb", "-").returncode == 0
    assert events(log)[0]["reason"] == "a\\xff\\xfeb"


def test_credentials_never_reach_the_log(tool, log):
    secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for text in (secret, secret[:20] + "\n" + secret[20:], json.dumps({"token": secret})):
        tool("emit-telemetry.sh", text, text, text, "fail", "fallback", text, "-")
    flat = log.read_text().replace("\\n", "")
    assert len(events(log)) == 3 and secret[4:12] not in flat and secret[-8:] not in flat and flat.count("[REDACTED]") == 12


def test_an_open_log_is_tightened_and_a_link_is_not_followed(adlc, log, tmp_path):
    log.write_text("")
    log.chmod(0o644)
    adlc("telemetry", "step", "spec", "s")
    assert mode(log) == 0o600 and len(events(log)) == 1
    target = tmp_path / "target"
    target.write_text("")
    log.unlink()
    log.symlink_to(target)
    assert adlc("telemetry", "step", "spec", "s").code == 0 and target.read_text() == ""


@pytest.mark.parametrize("place", ["unwritable", "fifo", "directory", "device", "relative", "no home"])
def test_a_log_that_cannot_be_written_fails_nothing(adlc, tool, log, tmp_path, as_user, place):
    environment = {}
    if place == "unwritable":
        log.parent.mkdir(exist_ok=True)
        folder = tmp_path / "locked"
        folder.mkdir()
        folder.chmod(0o500)
        environment["ADLC_TELEMETRY_LOG"] = str(folder / "log")
    elif place == "fifo":
        os.mkfifo(log)
    elif place == "directory":
        log.mkdir()
    elif place == "device":
        environment["ADLC_TELEMETRY_LOG"] = "/dev/null"
    elif place == "relative":
        environment["ADLC_TELEMETRY_LOG"] = "log"
    else:
        environment |= {"HOME": "", "ADLC_STATE_DIR": str(tmp_path / "x/y"), "ADLC_TELEMETRY_LOG": ""}
    result = adlc("telemetry", "step", "spec", "s", env=environment, prefix=as_user)
    assert (result.code, result.out, result.err) == (0, b"", b""), result
    assert tool("emit-telemetry.sh", "spec", "s", "r", "fail", "fallback", "x", "-", **environment).returncode == 0


def test_a_flag_that_a_full_disk_did_not_let_be_made_is_none(adlc):
    result = adlc("flag", "create", prefix=at_most(0))
    assert (result.code, result.out) == (3, b"") and "cannot make a flag" in result.talk
    assert list((adlc.state / "flags").iterdir()) == [] and adlc("flag", "current").code == 1


def test_a_line_that_a_full_disk_cuts_short_takes_no_other_with_it(adlc, log):
    adlc("telemetry", "step", "spec", "whole")
    size = log.stat().st_size
    full = at_most(size + 50)
    assert (adlc("telemetry", "step", "spec", "cut", prefix=full).code, log.stat().st_size) == (0, size + 50)
    adlc("telemetry", "step", "spec", "next")
    assert [e["step"] for e in adlc("telemetry", "show", "--json").document["events"]] == ["whole", "next"]
    assert adlc("telemetry", "report", "--json").document["malformed"] == 1


def test_two_hundred_writers_leave_two_hundred_whole_lines(adlc, project, log):
    code = ("import sys; sys.path.insert(0, sys.argv[1]); from adlc.telemetry import record\n"
            "for n in range(10): record.write(record.event('spec', 'x' * 300, 'r', 'fail', 'fallback', f'{sys.argv[2]}-{n}', n, 'args', 'p'))")
    writers = [subprocess.Popen(["python3", "-c", code, str(ROOT / "tools"), str(n)], env=adlc.environment, cwd=project.root) for n in range(20)]
    assert [w.wait(60) for w in writers] == [0] * 20
    assert {e["reason"] for e in events(log)} == {f"{w}-{n}" for w in range(20) for n in range(10)} and len(events(log)) == 200


def test_rotation_under_many_writers_loses_no_line_within_two_files(adlc, project, log):
    code = ("import sys; sys.path.insert(0, sys.argv[1]); from adlc.telemetry import record\n"
            "for n in range(20): record.append(sys.argv[2], f'{sys.argv[3]}-{n}\\n'.encode(), 2000)")
    writers = [subprocess.Popen(["python3", "-c", code, str(ROOT / "tools"), str(log), f"{n:04}"], env=adlc.environment) for n in range(15)]
    assert [w.wait(60) for w in writers] == [0] * 15
    old, new = pathlib.Path(f"{log}.1").read_bytes(), log.read_bytes()
    lines = (old + new).decode().split("\n")[:-1]
    assert len(set(lines)) == len(lines) and all(len(line) in (6, 7) for line in lines) and len(old) > 1900 and max(len(old), len(new)) <= 2000
    assert mode(log) == mode(f"{log}.1") == 0o600


def line(skill, outcome, age=0, **more):
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - age))
    return json.dumps({"timestamp": stamp, "skill": skill, "step": "s", "req": "r", "gate": "pass", "mode": outcome, "reason": "r", "duration_ms": "1500", "repo": "p"} | more) + "\n"


def test_the_report_counts_old_and_new_records_odd_names_and_unknown_modes(adlc, tool, log):
    log.write_text(
        line("spec", "delegated") + line("two words", "fallback") + line("spec", "ghost-skip") + line("spec", "delegated", duration_ms=500)
        + line("spec", "novel") + line("a\tb\nc", "fallback") + line("spec", "delegated", age=8 * 86400) + "not json\n[]\n{}\n\n" + '{"timestamp": 1}\n'
    )
    done = tool("check-delegation.sh")
    assert done.returncode == 0 and done.stdout.decode() == (
        "skill\tdelegated\tfallback\tghost-skip\tother\ttotal\tmedian_ms\n"
        "spec\t2\t0\t1\t1\t4\t500\ntwo words\t0\t1\t0\t0\t1\t-\na b c\t0\t1\t0\t0\t1\t-\nTOTAL\t2\t2\t1\t1\t6\t500\n"
    )
    document = json.loads(tool("check-delegation.sh", "--json", "--window", "2w").stdout)
    assert document["total"]["delegated"] == 3 and document["malformed"] == 4 and [r["skill"] for r in document["rows"]] == ["spec", "two words", "a\tb\nc"]
    assert document["reasons"] == {"r": 4}


@pytest.mark.parametrize("window, days", [("7d", 7), ("08d", 8), ("2w", 14), ("36h", 1.5)])
def test_windows_that_are_understood(adlc, log, window, days):
    log.write_text(line("in", "delegated", days * 86400 - 600) + line("out", "delegated", days * 86400 + 600))
    assert [r["skill"] for r in adlc("telemetry", "report", "--window", window, "--json").document["rows"]] == ["in"]


@pytest.mark.parametrize("window", ["abc", "", "7", "d", "-7d", "0d", "7 d", "7dd", "\u0667d", "1e3d", "999999d"])
def test_other_windows_are_a_usage_error_without_any_output(adlc, tool, log, window):
    log.write_text(line("spec", "delegated"))
    result = adlc("telemetry", "report", f"--window={window}")
    assert (result.code, result.out) == (2, b"") and result.talk.count("\n") == 1
    assert (tool("check-delegation.sh", "--window", window).returncode, tool("check-delegation.sh", "--nope").returncode) == (2, 2)


def test_an_empty_log_reports_zeros(adlc, log):
    assert adlc("telemetry", "report", "--tsv").text.splitlines()[-1] == "TOTAL\t0\t0\t0\t0\t0\t-"
    assert adlc("telemetry", "show").code == 0 and not log.exists()


def test_show_prune_off_and_on(adlc, log):
    log.write_text(line("old", "delegated", 40 * 86400) + line("new", "delegated") + "garbage\n")
    pathlib.Path(f"{log}.1").write_text(line("older", "delegated", 50 * 86400))
    assert [e["skill"] for e in adlc("telemetry", "show", "--json", "--limit", "2").document["events"]] == ["old", "new"]
    assert adlc("telemetry", "prune").code == 2
    assert adlc("telemetry", "prune", "--older-than", "30d", "--json").document == {"schema": "adlc.telemetry/1", "verb": "prune", "kept": 1, "dropped": 3}
    assert [e["skill"] for e in events(log)] == ["new"] and not os.path.exists(f"{log}.1") and mode(log) == 0o600
    assert adlc("telemetry", "off").code == 0
    adlc("telemetry", "step", "spec", "s")
    assert len(events(log)) == 1 and adlc("telemetry", "show", "--json").document["recording"] is False
    assert adlc("telemetry", "on").code == 0
    adlc("telemetry", "step", "spec", "s")
    assert len(events(log)) == 2
    assert adlc("telemetry", "prune", "--all").code == 0 and not log.exists()


def test_a_linked_worktree_counts_for_its_repository(adlc, project, tmp_path, log):
    project.write("a", "a")
    project.commit()
    project.git("worktree", "add", "-q", str(tmp_path / "anything"))
    adlc("telemetry", "step", "spec", "s", cwd=tmp_path / "anything")
    assert events(log)[0]["repo"] == "project"


def test_the_log_lies_in_the_state_directory_by_default(adlc):
    adlc("telemetry", "step", "spec", "s", env={"ADLC_TELEMETRY_LOG": ""})
    assert len(events(adlc.state / "telemetry.jsonl")) == 1 and not (adlc.home / "Library").exists()
