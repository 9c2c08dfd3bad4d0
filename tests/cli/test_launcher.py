"""bin/adlc and the environment it makes: what the shell suites cannot say briefly.

The five-shell cases are in tests/shell/launcher.bats. Everything here is offline: the packages
come from the wheels that tests/runner/prepare.py keeps.
"""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import pytest
from adlc import __version__, env, installers, places
from adlc.errors import AdlcError

from conftest import UNPRIVILEGED, needs_root

CHECKOUT = Path(__file__).resolve().parents[2]
LAUNCHER = CHECKOUT / "bin/adlc"


@pytest.fixture
def user(tmp_path, prepared):
    """The environment of a first-time user who is offline and has one Python and no uv."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("readlink", "id", "timeout", "uname", "sh"):
        (tools / name).symlink_to(shutil.which(name))
    (tools / "python3").symlink_to(prepared["ADLC_TEST_PYTHON"])
    (tmp_path / "home").mkdir()
    return {
        "HOME": str(tmp_path / "home"), "PATH": str(tools), "ADLC_DATA_DIR": str(tmp_path / "data"),
        "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": prepared["ADLC_TEST_WHEELS"], "PIP_CONFIG_FILE": os.devnull,
    }  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    """The smallest project that list answers about."""
    spec = tmp_path / "project/.adlc/specs/REQ-001-one/requirement.md"
    spec.parent.mkdir(parents=True)
    spec.write_text("---\nid: REQ-001\ntitle: One\nstatus: approved\n---\n## Description\nOne.\n")
    return tmp_path / "project"


def offer(user, name, text):
    """Put a script into the user's PATH."""
    program = Path(user["PATH"].split(os.pathsep)[0], name)
    program.unlink(missing_ok=True)
    program.write_text(text)
    program.chmod(0o755)


def adlc(user, *arguments, launcher=LAUNCHER, **options):
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 120} | options
    return subprocess.run([launcher, *arguments], env=user, **options)


def listing(user, corpus, **options):
    return adlc(user, "list", "--json", "--root", str(corpus), **options)


def build(user, prepared, *, python=None, **options):
    command = [python or prepared["ADLC_TEST_PYTHON"], "-I", "-S", str(CHECKOUT / "tools/adlc/env.py"), "build", "core"]
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 120} | options
    return subprocess.run(command, env=user, **options)


def leftovers(user):
    return list(Path(user["ADLC_DATA_DIR"], "env").glob(".build-*"))


# --- one truth in several files


def test_the_launcher_names_the_environment_as_python_does():
    assert re.search(r"^key=(.*)$", LAUNCHER.read_text(), re.MULTILINE)[1] == env.key("core")


def test_version_and_package_lists_agree():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    plugin = json.loads((CHECKOUT / ".claude-plugin/plugin.json").read_text())
    assert project["version"] == plugin["version"] == __version__
    assert list(env.STAGES["core"][0]) == project["dependencies"]
    for stage in set(env.STAGES) - {"core"}:
        assert list(env.STAGES[stage][0]) == project["optional-dependencies"][stage]


def test_programs_are_executable_in_git_and_no_text_has_carriage_returns():
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=CHECKOUT, capture_output=True, text=True).stdout
    modes = {line.split("\t")[1]: line.split()[0] for line in listed.splitlines()}
    for name in ("bin/adlc", "install.sh", "test", ".ci/run"):
        assert modes[name] == "100755", name
    scripts = [name for name in modes if re.search(r"^(bin/|test$)|\.(sh|bats|py|json|md)$", name)]
    assert scripts
    for name in scripts:
        # Fixtures may hold any bytes on purpose.
        if (CHECKOUT / name).is_file() and "fixtures/" not in name:
            assert b"\r\n" not in (CHECKOUT / name).read_bytes(), name


@pytest.mark.parametrize(
    "variables, expected",
    [
        ({"HOME": "{tmp}/h"}, "{tmp}/h/.local/share/adlc"),
        ({"HOME": "{tmp}/h", "XDG_DATA_HOME": "{tmp}/x"}, "{tmp}/x/adlc"),
        ({"HOME": "{tmp}/h", "XDG_DATA_HOME": "x"}, "{tmp}/h/.local/share/adlc"),
        ({"HOME": "{tmp}/h", "XDG_DATA_HOME": ""}, "{tmp}/h/.local/share/adlc"),
        ({"HOME": "h", "ADLC_DATA_DIR": "{tmp}/d"}, "{tmp}/d"),
        ({"ADLC_DATA_DIR": "{tmp}/d", "XDG_DATA_HOME": "{tmp}/x"}, "{tmp}/d"),
        ({"HOME": "{tmp}/with space/é", "ADLC_DATA_DIR": ""}, "{tmp}/with space/é/.local/share/adlc"),
    ],
)
def test_launcher_and_python_agree_on_the_data_directory(variables, expected, tmp_path, user, prepared, monkeypatch):
    variables = {name: value.format(tmp=tmp_path) for name, value in variables.items()}
    expected = expected.format(tmp=tmp_path)
    for name in ("HOME", "XDG_DATA_HOME", "ADLC_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert places.data_dir() == expected

    stage = Path(expected, "env", env.key("core"))
    (stage / "kind").mkdir(parents=True)
    (stage / "ready").write_text(f"{prepared['ADLC_TEST_PYTHON']}\nkind\n")
    copy = tmp_path / "copy"
    (copy / "tools/adlc").mkdir(parents=True)
    (copy / "tools/adlc/__main__.py").write_text("import os; print(os.environ['ADLC_SITE'])")
    (copy / "bin").mkdir()
    shutil.copy(LAUNCHER, copy / "bin/adlc")
    done = adlc({"PATH": user["PATH"], **variables}, "list", launcher=copy / "bin/adlc")
    assert done.stdout == f"{stage}/kind\n", done.stderr


@pytest.mark.parametrize(
    "place, own",
    [
        ("claude/plugins/cache/adlc/adlc/0.1.0", "claude/plugins/data/adlc-adlc"),
        ("a b/plugins/cache/my-market_2/adlc/1.0 beta", "a b/plugins/data/adlc-my-market_2"),
        ("claude/plugins/cache/my.market/adlc/0.1.0", None),
        ("claude/plugins/cache/adlc/adlc/0.1.0/nested", None),
        ("claude/plugins/cache/adlc/adlc", None),
        ("claude/plugins/marketplaces/adlc", None),
    ],
)
def test_the_plugins_copy_keeps_data_and_cache_where_the_client_removes_them(place, own, tmp_path, user, corpus, prepared):
    del user["ADLC_DATA_DIR"]
    for name in ("bin", "tools", "skills"):
        shutil.copytree(CHECKOUT / name, tmp_path / place / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "link").symlink_to(tmp_path / place / "bin/adlc")
    data, cache = (tmp_path / own, tmp_path / own / "cache") if own else (tmp_path / "home/.local/share/adlc", tmp_path / "home/.cache/adlc")
    for launcher, said in ((tmp_path / "link", 1), (tmp_path / place / "bin/adlc", 0)):
        # Made once, so the launcher looks where Python put it.
        done = adlc(user, "list", "--root", str(corpus), launcher=launcher)
        assert (done.returncode, done.stderr.count("making its environment")) == (0, said), done
    assert len(list(data.glob("env/core-*/ready"))) == 1 and list(cache.glob("corpus/*"))
    if own:
        assert not list((tmp_path / "home").iterdir())


def test_directories_that_are_not_absolute_are_refused_and_no_home_is_said(monkeypatch):
    monkeypatch.setenv("ADLC_STATE_DIR", "here")
    with pytest.raises(AdlcError, match="ADLC_STATE_DIR must be an absolute path"):
        places.state_dir()
    monkeypatch.setenv("ADLC_STATE_DIR", "")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    assert places.state_dir().endswith("/.local/state/adlc")
    monkeypatch.setattr(os, "getuid", lambda: 3999999999)
    with pytest.raises(AdlcError, match="no home directory"):
        places.state_dir()


# --- making the environment


def test_first_calls_that_race_all_answer_and_share_one_environment(user, corpus):
    running = [
        subprocess.Popen([LAUNCHER, "list", "--json", "--root", corpus], env=user, text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]  # fmt: skip
    answers = {process.communicate(timeout=120)[0] for process in running}
    assert [process.returncode for process in running] == [0] * 4
    assert len(answers) == 1
    assert len(list(Path(user["ADLC_DATA_DIR"], "env").glob("core-*/cpython-*"))) == 1
    assert not leftovers(user)


def test_only_old_leftovers_of_killed_builds_are_removed(user, prepared):
    root = Path(user["ADLC_DATA_DIR"], "env")
    for name, age in (("old", 2 * 24 * 3600), ("young", 3600)):
        (root / f".build-1-{name}/site").mkdir(parents=True)
        os.utime(root / f".build-1-{name}", times=(time.time() - age,) * 2)
    assert build(user, prepared).returncode == 0
    assert [path.name for path in leftovers(user)] == [".build-1-young"]


def slow_uv(user, mark):
    offer(user, "uv", f"#!/bin/sh\n: >{mark}\nexec {shutil.which('sleep')} 60\n")


def wait_for(condition):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("waited too long")


def test_a_terminated_build_leaves_nothing_and_a_killed_one_does_not_stop_the_next(user, prepared, tmp_path):
    mark = tmp_path / "started"
    for sent in (signal.SIGTERM, signal.SIGKILL):
        slow_uv(user, mark)
        command = [prepared["ADLC_TEST_PYTHON"], "-I", "-S", CHECKOUT / "tools/adlc/env.py", "build", "core"]
        process = subprocess.Popen(command, env=user, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for(mark.exists)
        process.send_signal(sent)
        process.communicate(timeout=20)
        mark.unlink()
        assert len(leftovers(user)) == (0 if sent == signal.SIGTERM else 1)
    Path(user["PATH"], "uv").unlink()
    assert build(user, prepared).returncode == 0


def test_another_version_with_the_same_list_lends_its_packages(user, prepared):
    assert build(user, prepared).returncode == 0
    root = Path(user["ADLC_DATA_DIR"], "env")
    os.rename(root / env.key("core"), root / env.key("core").replace(__version__, "0.0.9"))
    done = build({**user, "PIP_FIND_LINKS": ""}, prepared)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_damaged_environment_is_replaced(user, prepared, corpus):
    assert build(user, prepared).returncode == 0
    [package] = Path(user["ADLC_DATA_DIR"], "env").glob("core-*/cpython-*/yaml")
    (package / "reader.py").unlink()
    (package.parents[1] / "ready").unlink()
    assert listing(user, corpus).returncode == 0
    assert (package / "reader.py").exists()
    assert not leftovers(user)


def test_a_newer_interpreter_at_the_recorded_path_gets_its_own_packages(user, prepared, corpus):
    assert build(user, prepared).returncode == 0
    [site] = Path(user["ADLC_DATA_DIR"], "env").glob("core-*/cpython-*")
    site.rename(site.with_name("cpython-310-elsewhere"))
    (site.parent / "ready").write_text(f"{prepared['ADLC_TEST_PYTHON']}\ncpython-310-elsewhere\n")
    done = listing(user, corpus)
    assert done.returncode == 0, done.stderr
    assert (site.parent / "ready").read_text().splitlines()[1] == site.name


@pytest.mark.parametrize(
    "hostile",
    [
        {"PIP_USER": "1"},
        {"PIP_TARGET": "/nonexistent/target", "PIP_PREFIX": "/nonexistent/prefix"},
        {"PIP_REQUIRE_VIRTUALENV": "1"},
        {"PIP_REQUIREMENT": "/nonexistent/requirements.txt", "PIP_DRY_RUN": "1"},
        {"PIP_CONFIG_FILE": "{tmp}/pip.conf"},
        {"PYTHONPATH": "{tmp}/evil", "PYTHONHOME": "/nonexistent", "PYTHONSTARTUP": "/nonexistent"},
        {"VIRTUAL_ENV": "/nonexistent", "CONDA_PREFIX": "/nonexistent"},
    ],
    ids=lambda hostile: "+".join(hostile),
)
def test_settings_that_redirect_an_install_are_kept_out(hostile, user, corpus, tmp_path):
    (tmp_path / "pip.conf").write_text("[global]\nrequire-virtualenv = true\nuser = true\n")
    evil = tmp_path / "evil"
    evil.mkdir()
    for module in ("pip", "yaml", "os", "adlc"):
        (evil / f"{module}.py").write_text("raise SystemExit('the wrong module was imported')")
    hostile = {name: value.format(tmp=tmp_path) for name, value in hostile.items()}
    done = listing({**user, **hostile}, corpus, cwd=evil)
    assert done.returncode == 0, done.stderr


STUB_UV = """#!/bin/sh
printf '%s\\n' "$PWD" "$@" >'{log}'
while [ "$1" != --target ]; do shift; done
/bin/mkdir -p "$2/yaml" && printf 'made_by = "uv"\\n' >"$2/yaml/__init__.py"
exit {code}
"""


def test_uv_is_preferred_and_stands_in_no_project(user, prepared, tmp_path):
    offer(user, "uv", STUB_UV.format(log=tmp_path / "log", code=0))
    assert build(user, prepared).returncode == 0
    [module] = Path(user["ADLC_DATA_DIR"], "env").glob("core-*/cpython-*/yaml/__init__.py")
    assert "uv" in module.read_text()
    directory, *arguments = (tmp_path / "log").read_text().splitlines()
    assert directory.startswith(user["ADLC_DATA_DIR"])
    assert arguments[:2] == ["pip", "install"] and arguments[-1] == "PyYAML==6.0.3"


def test_where_uv_fails_pip_follows_with_a_clean_directory(user, prepared, tmp_path):
    offer(user, "uv", STUB_UV.format(log=tmp_path / "log", code=2))
    done = build(user, prepared)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    [module] = Path(user["ADLC_DATA_DIR"], "env").glob("core-*/cpython-*/yaml/__init__.py")
    assert "made_by" not in module.read_text()


def test_packages_that_do_not_load_are_a_failure(user, prepared, tmp_path):
    offer(user, "uv", STUB_UV.format(log=tmp_path / "log", code=0).replace("made_by", "import nothing_such; made_by"))
    done = build({**user, "PIP_FIND_LINKS": ""}, prepared)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert not leftovers(user)


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o777])
def test_whatever_the_umask_the_directories_are_the_users_alone(mask, user, corpus):
    done = listing(user, corpus, preexec_fn=lambda: os.umask(mask))
    assert done.returncode == 0, done.stderr
    bytecode = Path(user["HOME"], ".cache/adlc/bytecode")
    for path in [bytecode, bytecode.parent, Path(user["ADLC_DATA_DIR"]), *Path(user["ADLC_DATA_DIR"], "env").glob("core-*/**/")]:
        assert path.stat().st_mode & 0o777 == 0o700, path


def test_an_installer_that_hangs_is_stopped_with_all_it_started(user, tmp_path):
    mark = tmp_path / "child"
    script = f"{shutil.which('sleep')} 60 & echo $! >{mark}; wait"
    with pytest.raises(installers.Failed, match="no answer within 1 seconds"):
        installers._run(["/bin/sh", "-c", script], 1, "/")
    stat = Path("/proc", mark.read_text().strip(), "stat")
    wait_for(lambda: not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")


def test_without_an_installer_the_next_interpreter_is_tried(user, prepared, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("ADLC_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(installers, "available", lambda: [])
    assert env.main(["build", "core"]) == env.NO_INSTALLER_EXIT
    assert capfd.readouterr().err == ""

    copy = tmp_path / "copy"
    shutil.copytree(CHECKOUT / "bin", copy / "bin")
    (copy / "tools/adlc").mkdir(parents=True)
    (copy / "tools/adlc/__main__.py").write_text("print('answer')")
    calls = tmp_path / "calls"
    ready = tmp_path / "data/env" / env.key("core") / "ready"
    (copy / "tools/adlc/env.py").write_text(f"""
import os, sys
with open({str(calls)!r}, "a+") as calls:
    calls.write("x")
    calls.seek(0)
    if len(calls.read()) < int(os.environ["SUCCEED_AT"]):
        sys.exit({env.NO_INSTALLER_EXIT})
os.makedirs({str(ready.parent / "kind")!r})
with open({str(ready)!r}, "w") as ready:
    ready.write(sys.executable + "\\nkind\\n")
""")
    for name in ("python3.12", "python3.11"):
        offer(user, name, f'#!/bin/sh\nexec "{prepared["ADLC_TEST_PYTHON"]}" "$@"\n')
    done = adlc({**user, "SUCCEED_AT": "9"}, "list", launcher=copy / "bin/adlc")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "neither pip nor venv" in done.stderr
    calls.unlink()
    done = adlc({**user, "SUCCEED_AT": "3"}, "list", launcher=copy / "bin/adlc")
    assert (done.returncode, done.stdout, done.stderr) == (0, "answer\n", "")


def test_require_gives_what_is_importable_and_builds_only_when_it_may(tmp_path, monkeypatch):
    monkeypatch.setenv("ADLC_DATA_DIR", str(tmp_path))
    monkeypatch.setitem(env.STAGES, "core", (["thing==1"], ["adlc_thing"], 5))
    with pytest.raises(AdlcError, match="thing 1 not installed") as caught:
        env.require("core", allow_build=False)
    assert caught.value.kind == "environment_missing"
    site = Path(env.site_dir("core"))
    site.mkdir(parents=True)
    (site / "adlc_thing.py").write_text("")
    monkeypatch.setattr(sys, "path", list(sys.path))
    env.require("core", allow_build=False)
    assert sys.path[-1] == str(site)
    env.require("core", allow_build=False)
    assert sys.path.count(str(site)) == 1


# --- which Python, and how it is started


@pytest.mark.parametrize("version, accepted", [((2, 7), False), ((3, 9), False), ((3, 10, 99), False), ((3, 11, 0), True), ((3, 20), True)])
def test_the_oldest_python_taken_is_3_11(version, accepted, user, prepared):
    code = f"import sys; sys.version_info = {version}; sys.argv.pop(0); exec(sys.argv[4])"
    offer(user, "python3", f"#!/bin/sh\nexec '{prepared['ADLC_TEST_PYTHON']}' -I -S -c '{code}' -- \"$@\"\n")
    assert adlc(user, "where", "python").returncode == (0 if accepted else 3)


def test_a_stub_that_hangs_is_passed_over(user, prepared):
    sleep, timeout = shutil.which("sleep"), shutil.which("timeout")
    offer(user, "python3.14", f"#!/bin/sh\n{sleep} 60\n")
    # The launcher's own limit is generous to slow machines; for the stub it is cut to one second.
    offer(user, "timeout", f'''#!/bin/sh
[ "$1 $2" = "-s KILL" ] && [ "$3" -lt 60 ] || exit 1
limit=$3
shift 3
case $1 in *3.14) limit=1 ;; esac
exec {timeout} -s KILL "$limit" "$@"
''')
    started = time.monotonic()
    done = adlc(user, "where", "python")
    assert done.stdout.strip() == prepared["ADLC_TEST_PYTHON"]
    assert time.monotonic() - started < 50


@pytest.mark.parametrize("system, tools, found", [("Darwin", True, True), ("Darwin", False, False), ("Linux", False, True)])
def test_macos_python_without_its_command_line_tools_is_not_touched(system, tools, found, user):
    try:
        code = "import sys; sys.exit(sys.version_info < (3, 11))"
        subprocess.run(["/usr/bin/python3", "-I", "-S", "-c", code], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("/usr/bin/python3 is absent or older than 3.11")
    offer(user, "uname", f"#!/bin/sh\necho {system}\n")
    offer(user, "xcode-select", f"#!/bin/sh\nexit {0 if tools else 2}\n")
    Path(user["PATH"], "python3").unlink()
    done = adlc({**user, "PATH": user["PATH"] + ":/usr/bin"}, "where", "python")
    assert done.returncode == (0 if found else 3)


def as_unprivileged():
    os.setgroups([])
    os.setgid(UNPRIVILEGED)
    os.setuid(UNPRIVILEGED)


@pytest.fixture
def stranger(prepared):
    """A finished environment, a checkout and an interpreter that an unprivileged user can reach."""
    place = Path(tempfile.mkdtemp(prefix="adlc-test-", dir="/tmp"))
    place.chmod(0o755)
    code = "import os, sys; print(os.path.realpath(sys.executable)); sys.exit(sys.version_info < (3, 11))"
    for candidate in (prepared["ADLC_TEST_PYTHON"], "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            done = subprocess.run([candidate, "-I", "-c", code], preexec_fn=as_unprivileged, capture_output=True, text=True)
        except OSError:
            continue
        if done.returncode == 0:
            python = done.stdout.strip()
            break
    else:
        pytest.skip("no Python 3.11+ that an unprivileged user may run")
    code = f"import sys; sys.path.insert(0, {str(CHECKOUT / 'tools')!r}); from adlc.env import *; print(kind_of_interpreter())"
    kind = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    [site] = Path(prepared["ADLC_TEST_DATA"], "env", env.key("core")).glob("cpython-*")
    stage = place / "data/env" / env.key("core")
    shutil.copytree(site, stage / kind)
    (stage / "ready").write_text(f"{python}\n{kind}\n")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("bin", "tools"):
        shutil.copytree(CHECKOUT / name, place / "checkout" / name, ignore=ignored)
    subprocess.run(["chmod", "-R", "a+rX", place], check=True)
    home = place / "home"
    home.mkdir()
    os.chown(home, UNPRIVILEGED, UNPRIVILEGED)
    yield place, {"HOME": str(home), "PATH": "/usr/bin:/bin", "ADLC_DATA_DIR": str(place / "data")}
    shutil.rmtree(place)


@needs_root
def test_a_warm_call_forks_nothing(stranger):
    place, user = stranger

    def no_second_process():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        as_unprivileged()

    done = adlc(user, "--version", launcher=place / "checkout/bin/adlc", preexec_fn=no_second_process)
    assert (done.returncode, done.stdout) == (0, f"adlc {__version__}\n"), done.stderr
    # The same limit does stop a fork.
    fork = subprocess.run(["/bin/sh", "-c", "x=$(id -u); /bin/true & wait"], preexec_fn=no_second_process, capture_output=True)
    assert b"fork" in fork.stderr.lower()


@needs_root
def test_a_read_only_checkout_stays_clean_and_its_byte_code_goes_to_the_cache(stranger, corpus):
    place, user = stranger
    before = sorted((place / "checkout").rglob("*"))
    launcher = place / "checkout/bin/adlc"
    done = adlc(user, "--version", launcher=launcher, preexec_fn=as_unprivileged)
    assert done.returncode == 0, done.stderr
    bytecode = place / "home/.cache/adlc/bytecode"
    assert not bytecode.exists()
    bytecode.mkdir(parents=True)
    for path in (bytecode.parents[1], bytecode.parent, bytecode):
        os.chown(path, UNPRIVILEGED, UNPRIVILEGED)
    done = adlc(user, "--version", launcher=launcher, preexec_fn=as_unprivileged)
    assert done.returncode == 0, done.stderr
    assert list(bytecode.rglob("cli*.pyc"))
    assert sorted((place / "checkout").rglob("*")) == before


@needs_root
def test_a_home_that_cannot_be_written_is_one_line(stranger):
    place, user = stranger
    user = {"PATH": user["PATH"], "HOME": "/nonexistent-home"}
    done = adlc(user, "list", launcher=place / "checkout/bin/adlc", preexec_fn=as_unprivileged)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "cannot write /nonexistent-home: Permission denied" in done.stderr
    assert "set ADLC_DATA_DIR" in done.stderr


@needs_root
def test_without_home_the_password_database_tells(stranger):
    place, user = stranger

    def become_daemon():
        import pwd

        os.setgroups([])
        os.setuid(pwd.getpwnam("daemon").pw_uid)

    done = adlc({"PATH": user["PATH"]}, "list", launcher=place / "checkout/bin/adlc", preexec_fn=become_daemon)
    assert done.returncode == 3
    assert os.path.expanduser("~daemon") in done.stderr
