"""The gate, as a partial and as a command: one table, and no program of the repository's."""

import itertools
import json
import os
import shutil
import subprocess

import pytest

from conftest import ROOT

SHELLS = ["dash", "bash", "bash --posix", "zsh", "busybox ash"]
PARTIAL = ROOT / "partials/delegate-gate.sh"
SCRIPT = f'set -eu; . "{PARTIAL}"; code=0; adlc_delegate_gate_check || code=$?; printf "%s %s %s\\n" "$code" "$ADLC_DELEGATE_GATE_REASON" "$ADLC_READ_BIN"'
PROVIDER = "  base_url: https://models.example/v1\n  model: m\n"

# what the file says -> (its text, what it means)
CONFIGS = {
    "absent": (None, None),
    "comments only": ("# nothing\n", None),
    "no enabled": ("delegate:\n" + PROVIDER, None),
    "yes": ("delegate:\n  enabled: true\n" + PROVIDER, True),
    "no": ("delegate:\n  enabled: false\n" + PROVIDER, False),
    "malformed": ("delegate:\n  enabled: 'true'\n" + PROVIDER, "malformed"),
    "no provider": ("delegate:\n  enabled: true\n", "unusable"),
}


def programs(*names):
    """The directories of the programs a shell needs, without any adlc."""
    return ":".join(dict.fromkeys(os.path.dirname(shutil.which(name)) for name in names if shutil.which(name)))


BASE_PATH = programs("sh", "python3", "timeout", "dash", "zsh", "busybox", "bash", "git")


@pytest.fixture
def gate(adlc, project, tmp_path):
    """gate(shell=…, **environment) -> (code, reason, binary) by the partial; shell=None: by the command."""
    (project.root / ".git").mkdir()
    adlc.environment["PATH"] = f"{ROOT}/bin:{BASE_PATH}"

    def ask(shell=None, cwd=None, **environment):
        environment = {k: v for k, v in environment.items() if v is not None}
        if shell is None:
            result = adlc("gate", "--json", env=environment, cwd=cwd)
            answer = result.document
            assert result.code == (0, 1, 3)[answer["gate"]], result
            return answer["gate"], answer["reason"], answer["binary"] or ""
        done = subprocess.run([*shell.split(), "-c", SCRIPT], cwd=cwd or project.root, env=adlc.environment | environment, capture_output=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, b""), done
        code, reason, binary = done.stdout.decode().removesuffix("\n").split(" ", 2)
        return int(code), reason, binary

    return ask


def expected(veto, opted, meaning, provider_in_environment):
    if veto == "1":
        return 1, "disabled-via-env"
    if meaning == "malformed":
        return 1, "disabled-via-config"
    if opted != "1" and meaning is None:
        return 1, "not-opted-in"
    if opted != "1" and meaning is False:
        return 1, "disabled-via-config"
    if meaning == "unusable" and not provider_in_environment:
        return 1, "disabled-via-config"
    return 0, "ok"


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("opted", [None, "1", "yes"])
def test_the_table_of_veto_opt_in_and_configuration(gate, adlc, tmp_path, config, opted):
    text, meaning = CONFIGS[config]
    file = tmp_path / "config.yml"
    if text is not None:
        file.write_text(text)
    provider = {"ADLC_DELEGATE_BASE_URL": "https://models.example/v1", "ADLC_DELEGATE_MODEL": "m"} if opted == "1" else {}
    for veto in (None, "1", "true", "0"):
        environment = {"ADLC_DISABLE_DELEGATE": veto, "ADLC_DELEGATE_ENABLED": opted, "ADLC_CONFIG": str(file), **provider}
        want = (*expected(veto, opted, meaning, provider), f"{ROOT}/bin/adlc-read")
        assert gate(**environment) == want
        assert gate("dash", **environment) == want


def test_without_a_binary_it_is_2_even_with_a_veto_and_every_opt_in(gate):
    for veto, shell in itertools.product((None, "1"), [None, *SHELLS]):
        if shell and not shutil.which(shell.split()[0]):
            continue
        assert gate(shell, PATH=BASE_PATH, ADLC_DISABLE_DELEGATE=veto, ADLC_DELEGATE_ENABLED="1") == (2, "no-binary", "")


ANSWERS = [
    ("echo '1 ok'", 0, "ok"),
    ("echo '0 disabled-via-config'", 1, "disabled-via-config"),
    ("echo '0 disabled-via-env'", 1, "disabled-via-env"),
    ("echo '0 not-opted-in'", 1, "not-opted-in"),
    ("echo '1 ok'; exit 3", 1, "not-opted-in"),
    ("echo '0 disabled-via-config'; exit 1", 1, "not-opted-in"),
    (":", 1, "not-opted-in"),
    ("echo garbage", 1, "not-opted-in"),
    ("echo '1 disabled-via-env'", 1, "not-opted-in"),
    ("echo '0 ok'", 1, "not-opted-in"),
    ("echo '0 no-binary'", 1, "not-opted-in"),
    ("echo '0 whatever'", 1, "not-opted-in"),
    ("echo '1  ok'", 1, "not-opted-in"),
    ("echo ' 1 ok'", 1, "not-opted-in"),
    ("echo '1 ok '", 1, "not-opted-in"),
    ("echo '1 ok'; echo more", 1, "not-opted-in"),
    ("echo '1 ok' >&2", 1, "not-opted-in"),
    ("echo 'unknown option --print-gate' >&2; exit 2", 1, "not-opted-in"),
    ("kill -9 $$", 1, "not-opted-in"),
]


def offer(folder, body):
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "adlc-read"
    program.write_text("#!/bin/sh\n" + body + "\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("body, code, reason", ANSWERS, ids=[a[0] for a in ANSWERS])
def test_only_a_clean_yes_of_the_binary_opens_the_gate(gate, tmp_path, body, code, reason):
    program = offer(tmp_path / "bin", f'echo "$@" >>"{tmp_path}/calls"\n{body}')
    path = f"{program.parent}:{BASE_PATH}"
    for shell in (None, *(s for s in SHELLS if shutil.which(s.split()[0]))):
        assert gate(shell, PATH=path) == (code, reason, str(program))
        assert (tmp_path / "calls").read_text() == "--print-gate\n"
        (tmp_path / "calls").unlink()


def test_a_binary_that_hangs_closes_the_gate_in_bounded_time(gate, tmp_path):
    program = offer(tmp_path / "bin", "echo '1 ok'; sleep 300")
    for shell in (None, "dash"):
        assert gate(shell, PATH=f"{program.parent}:{BASE_PATH}") == (1, "not-opted-in", str(program))


def test_the_binary_is_the_first_runnable_one_of_an_absolute_entry_then_home_bin(gate, adlc, tmp_path):
    offer(tmp_path / "plain", "echo '1 ok'").chmod(0o644)
    (tmp_path / "folder/adlc-read").mkdir(parents=True)
    first, second = offer(tmp_path / "a b", "echo '1 ok'"), offer(tmp_path / "second", "echo '0 not-opted-in'")
    home = offer(adlc.home / "bin", "echo '1 ok'")
    path = f"{tmp_path}/plain:{tmp_path}/folder:{tmp_path}/none:{first.parent}:{second.parent}:{BASE_PATH}"
    for shell in (None, *(s for s in SHELLS if shutil.which(s.split()[0]))):
        assert gate(shell, PATH=path) == (0, "ok", str(first))
        assert gate(shell, PATH=BASE_PATH) == (0, "ok", str(home))
        assert gate(shell, PATH=BASE_PATH, HOME="relative") == (2, "no-binary", "")


@pytest.mark.parametrize("shell", [None, *SHELLS])
def test_a_repository_s_own_adlc_read_is_never_used(gate, adlc, project, tmp_path, shell):
    if shell and not shutil.which(shell.split()[0]):
        pytest.skip(f"{shell} is not installed")
    evil = offer(project.root / "bin", f'touch "{tmp_path}/ran"; echo "1 ok"')
    (project.root / "sub/deep/.git").mkdir(parents=True)
    offer(project.root / "sub", f'touch "{tmp_path}/ran"; echo "1 ok"')
    (tmp_path / "link").symlink_to(evil.parent)
    (tmp_path / "up").symlink_to(project.root / "sub/deep")
    for cwd in (project.root, project.root / "bin", project.root / "sub/deep"):
        for entry in (evil.parent, "bin", "./bin", "", ".", "../bin", "../../bin", tmp_path / "link", tmp_path / "up/..", project.root / "sub",
                      f"{project.root}//bin/", f"{tmp_path}/link/../bin"):
            assert gate(shell, PATH=f"{entry}:{BASE_PATH}", cwd=cwd) == (2, "no-binary", "")
            assert gate(shell, PATH=f"{BASE_PATH}:{entry}:", cwd=cwd) == (2, "no-binary", "")
    assert not (tmp_path / "ran").exists()


def test_a_home_directory_under_version_control_is_no_project(gate, adlc):
    (adlc.home / ".git").mkdir()
    work = adlc.home / "work"
    work.mkdir()
    program = offer(adlc.home / ".local/bin", "echo '1 ok'")
    for shell in (None, "dash"):
        assert gate(shell, PATH=f"{program.parent}:{BASE_PATH}", cwd=work) == (0, "ok", str(program))


@pytest.mark.parametrize("shell", SHELLS)
def test_a_veto_and_a_missing_binary_start_no_process(adlc, project, tmp_path, shell):
    words = shell.split()
    if not shutil.which(words[0]) or not shutil.which("strace"):
        pytest.skip(f"{words[0]} or strace is not installed")
    program = offer(tmp_path / "bin", "echo '1 ok'")
    for path, veto, started in ((BASE_PATH, "0", 0), (f"{program.parent}:{BASE_PATH}", "1", 0), (f"{program.parent}:{BASE_PATH}", "0", 1)):
        trace = tmp_path / "trace"
        done = subprocess.run(
            ["strace", "-f", "-qq", "-e", "trace=process", "-o", trace, shutil.which(words[0]), *words[1:], "-c", SCRIPT], cwd=project.root,
            env=adlc.environment | {"PATH": path, "ADLC_DISABLE_DELEGATE": veto}, capture_output=True,
        )
        if done.returncode and b"ptrace" in done.stderr:
            pytest.skip("tracing is not allowed here")
        calls = [line.split(None, 1)[1].split("(")[0] for line in trace.read_text().splitlines()]
        born = [call for call in calls if call in ("clone", "clone3", "fork", "vfork")]
        assert bool(born) == bool(started) and bool(calls.count("execve") > 1) == bool(started), trace.read_text()


def test_neither_functions_nor_aliases_answer_for_the_binary(adlc, project, tmp_path):
    program = offer(tmp_path / "bin", "echo '1 ok'")
    script = f'adlc-read() {{ echo "1 ok"; }}\n{SCRIPT}'
    for shell in ("bash", "zsh"):
        if shutil.which(shell):
            done = subprocess.run([shell, "-c", script], cwd=project.root, env=adlc.environment | {"PATH": BASE_PATH}, capture_output=True)
            assert done.stdout == b"2 no-binary \n", done
    script = f'function {program} {{ echo "1 ok"; }}\n{SCRIPT}'
    offer(tmp_path / "bin", "echo '0 not-opted-in'")
    done = subprocess.run(["bash", "-c", script], cwd=project.root, env=adlc.environment | {"PATH": f"{program.parent}:{BASE_PATH}"}, capture_output=True)
    assert done.stdout.startswith(b"1 not-opted-in"), done


def test_the_reason_is_marked_on_the_flag_and_the_fallback_line_printed_once(adlc, project):
    flag = adlc("flag", "create").text.strip()
    result = adlc("gate", "--flag", flag, env={"PATH": f"{ROOT}/bin:{BASE_PATH}"})
    assert (result.code, result.text) == (1, "gate 1 not-opted-in\n")
    assert result.talk == "/spec: adlc-read unavailable — Claude reading docs directly\n"
    assert adlc("flag", "read", flag, "reason").text == "not-opted-in\n"
    vetoed = adlc("gate", "--flag", flag, env={"PATH": f"{ROOT}/bin:{BASE_PATH}", "ADLC_DISABLE_DELEGATE": "1"})
    assert vetoed.talk == "/spec: adlc-read disabled via ADLC_DISABLE_DELEGATE — Claude reading docs directly\n"
    absent = adlc("gate", "--flag", flag, "--step", "Step-1.4", env={"PATH": BASE_PATH})
    assert (absent.code, absent.text, absent.talk) == (3, "gate 2 no-binary\n", "/spec: adlc-read unavailable — Claude reading the intake source directly\n")


def test_a_veto_that_is_none_is_pointed_out(adlc, project):
    result = adlc("gate", env={"PATH": f"{ROOT}/bin:{BASE_PATH}", "ADLC_DISABLE_DELEGATE": "true"})
    assert "adlc: ADLC_DISABLE_DELEGATE disables only with the value 1\n" in result.talk


def test_why_a_switched_on_delegation_is_off_is_told(adlc, project):
    result = adlc("gate", env={"PATH": f"{ROOT}/bin:{BASE_PATH}", "ADLC_DELEGATE_ENABLED": "1"})
    assert "adlc: no endpoint is configured" in result.talk and result.code == 1
    document = json.loads(adlc("gate", "--json", env={"PATH": f"{ROOT}/bin:{BASE_PATH}", "ADLC_DELEGATE_ENABLED": "1"}).text)
    assert document["fault"].startswith("no endpoint is configured")
