"""install.sh: what it makes, what it refuses, what it takes away, in well-kept and in hostile homes."""

import json
import os
import pty
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from adlc import __version__
from adlc.installation import delegation, shells

from builders import Project, mixed
from conftest import ROOT, UNPRIVILEGED, needs_root
from installing import Home, copy_checkout, index_of, python_for_everyone, snapshot


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return copy_checkout(tmp_path_factory.mktemp("original") / "adlc")


@pytest.fixture
def checkout(original, tmp_path):
    """A copy that a test may move or damage."""
    shutil.copytree(original, tmp_path / "adlc")
    return tmp_path / "adlc"


@pytest.fixture
def home(tmp_path, prepared, data_dir):
    return Home(tmp_path, prepared["ADLC_TEST_PYTHON"], data_dir)


def installed(home, checkout) -> bool:
    return (home.skills / "spec").resolve() == checkout / "skills/spec" and (home.home / ".local/bin/adlc").resolve() == checkout / "bin/adlc"


def refused(done, before, home, *words):
    """Exit 3, said in words, and nothing is other than it was."""
    assert done.returncode == 3, done
    for word in words:
        assert word in done.stderr, done.stderr
    assert home.snapshot() == before


# --- what it makes, and takes away


def test_everything_is_linked_and_recorded_and_answers(home, checkout):
    done = home(checkout)
    assert done.returncode == 0, done
    names = [path.parent.name for path in (checkout / "skills").glob("*/SKILL.md")]
    assert len(names) >= 2
    for name in names:
        assert os.readlink(home.skills / name) == str(checkout / "skills" / name)
    for name in ("partials", "tools"):
        assert os.readlink(home.skills / name) == str(checkout / name)
    program = home.home / ".local/bin/adlc"
    answer = subprocess.run([program, "--version"], env=home.environment, capture_output=True, text=True)
    assert answer.stdout == f"adlc {__version__}\n"
    owned = {entry["path"] for entry in json.loads(home.record.read_text())["owned"]}
    made = {path for path in home.snapshot() if path not in (str(home.home), str(home.record))}
    assert made <= owned


def test_names_that_the_client_has_commands_for_are_told_when_they_are_taken(home, checkout):
    first, again = home(checkout), home(checkout)
    assert "/init and /status are adlc's now, and not the client's own" in first.stderr
    assert "client's own" not in again.stderr
    (home.skills / "status").unlink()
    assert "/status is adlc's now" in home(checkout).stderr


def test_uninstalling_leaves_the_home_as_it_was(home, checkout, prepared):
    (home.home / ".bashrc").write_text("# no line end")
    (home.home / ".bashrc").chmod(0o640)
    before = home.snapshot()
    # A first installation on a machine without an environment, from packages that lie ready.
    own = {"ADLC_DATA_DIR": None, "PIP_FIND_LINKS": prepared["ADLC_TEST_WHEELS"]}
    done = home(checkout, "--yes", env=own)
    assert done.returncode == 0, done
    assert list((home.home / ".local/share/adlc/env").glob("core-*/cpython-*"))
    done = home(checkout, "--uninstall", env=own)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert home.snapshot() == before


def test_packages_from_an_index_leave_neither_a_cache_nor_a_toolchain_s_folder(home, checkout, prepared):
    """pip keeps what it downloads, over http from trusted hosts alone; and it asks rustc for its version, for which
    rustup's rustc makes a folder."""
    asked = home.place / "asked"
    (home.tools / "rustc").write_text(f'#!/bin/sh\n/bin/mkdir -p "${{RUSTUP_HOME:-$HOME/.rustup}}"\necho x >>{asked}\n')
    (home.tools / "rustc").chmod(0o755)
    before = home.snapshot()
    with index_of(Path(prepared["ADLC_TEST_WHEELS"])) as (url, served):
        own = {"ADLC_DATA_DIR": None, "PIP_NO_INDEX": None, "PIP_INDEX_URL": url, "PIP_TRUSTED_HOST": "127.0.0.1"}
        done = home(checkout, "--yes", env=own)
        assert done.returncode == 0, done
    assert any(name.endswith(".whl") for name in served) and asked.exists()
    assert home(checkout, "--uninstall", env=own).returncode == 0
    assert home.snapshot() == before


def test_a_cache_of_the_user_s_serves(home, checkout, prepared):
    cache = home.home / ".cache/pip"
    cache.mkdir(parents=True)
    with index_of(Path(prepared["ADLC_TEST_WHEELS"])) as (url, _):
        done = home(checkout, "--yes", env={"ADLC_DATA_DIR": None, "PIP_NO_INDEX": None, "PIP_INDEX_URL": url, "PIP_TRUSTED_HOST": "127.0.0.1"})
        assert done.returncode == 0, done
    assert any(cache.rglob("*"))


def test_uninstalling_takes_what_answering_kept_in_the_cache(home, checkout):
    before = home.snapshot()
    (home.tools / "git").symlink_to(shutil.which("git"))
    project = mixed(Project(home.place / "project"))
    project.write("src/session.py", "")
    project.commit()
    home(checkout, "--yes")
    for call in (["show", "REQ-001"], ["of-file", "src/session.py"], ["id", "next", "req"]):
        subprocess.run([home.home / ".local/bin/adlc", *call], env=home.environment, cwd=project.root, capture_output=True, check=True)
    assert {path.name for path in (home.home / ".cache/adlc").iterdir()} >= {"corpus", "history"}
    assert home(checkout, "--uninstall").returncode == 0
    left = {path for path in home.snapshot().keys() - before.keys() if "/.claude/" not in path}
    assert left == {str(home.home / ".claude")}, "the counters of numbers are the user's"


def test_with_delegation_too(home, checkout):
    before = home.snapshot()
    assert home(checkout, "--with-delegation", "--yes").returncode == 0
    assert home(checkout, "--uninstall").returncode == 0
    assert home.snapshot() == before


def test_a_second_run_does_nothing(home, checkout):
    home(checkout, "--yes")

    def everything():
        return {path: (os.lstat(path).st_ino, os.lstat(path).st_mtime_ns) for path in home.snapshot()}

    before = everything()
    done = home(checkout, "--yes")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "adlc: already installed; nothing to do")
    assert everything() == before


def test_a_dry_run_says_what_the_run_then_does_and_changes_nothing(home, checkout):
    before = snapshot(home.home, home.data)
    for arguments in ([], ["--with-delegation", "--yes"], ["--prefix", str(home.place / "p")]):
        dry = home(checkout, "--dry-run", *arguments)
        assert dry.returncode == 0 and snapshot(home.home, home.data) == before
    real = home(checkout, "--prefix", str(home.place / "p"))
    said = [line.removeprefix("would be: ") for line in dry.stdout.splitlines() if line.startswith("would be: ")]
    assert said and said == [line for line in real.stdout.splitlines() if line.startswith("/")]
    dry = home(checkout, "--uninstall", "--dry-run")
    assert installed_paths(home) and dry.returncode == 0
    real = home(checkout, "--uninstall")
    assert [line.removeprefix("would be: ") for line in dry.stdout.splitlines()][:-1] == real.stdout.splitlines()


def installed_paths(home) -> list:
    return [entry["path"] for entry in json.loads(home.record.read_text())["owned"] if os.path.lexists(entry["path"])]


def test_uninstalling_keeps_what_the_user_made_or_changed(home, checkout):
    home(checkout, "--with-delegation", "--yes")
    config = home.home / ".claude/adlc/config.yml"
    config.write_text(config.read_text().replace("false", "true"))
    (home.skills / "spec").unlink()
    (home.skills / "spec").mkdir()
    (home.skills / "mine").mkdir()
    (home.home / ".local/bin/other").write_text("x")
    rc = home.home / Path(start_file_of_this_user()).name
    rc.write_text(rc.read_text().replace("PATH", "PATHS"))
    kept = rc.read_text()
    state = home.home / ".local/state/adlc"
    state.mkdir(parents=True)
    (state / "telemetry.jsonl").write_text("{}\n")
    (home.home / ".claude/.global-next-req").write_text("7\n")
    done = home(checkout, "--uninstall")
    assert done.returncode == 0
    left = {os.path.relpath(path, home.home) for path in home.snapshot()}
    assert left == {
        ".", ".claude", ".claude/.global-next-req", ".claude/adlc", ".claude/adlc/config.yml", ".claude/skills", ".claude/skills/mine",
        ".claude/skills/spec", ".local", ".local/bin", ".local/bin/other", ".local/state", ".local/state/adlc",
        ".local/state/adlc/telemetry.jsonl", rc.name,
    }
    assert rc.read_text() == kept
    for path in (config, home.skills / "spec", rc, state / "telemetry.jsonl"):
        assert str(path) in done.stderr
    assert home(checkout, "--uninstall").stdout.splitlines() == ["adlc: nothing is installed; nothing to do"]


def test_only_directories_that_adlc_names_are_removed_from_a_shared_place(home, checkout):
    """ADLC_DATA_DIR and the others may point to a place with other things in it."""
    shared = home.place / "shared"
    for name in ("env/mine", "env/core-notes", "corpora", "cache"):
        (shared / name).mkdir(parents=True)
    before = snapshot(shared)
    shutil.copytree(home.data, shared, symlinks=True, dirs_exist_ok=True)
    variables = {f"ADLC_{kind}_DIR": str(shared) for kind in ("DATA", "CACHE", "STATE")}
    home(checkout, env=variables)
    assert home(checkout, "--uninstall", env=variables).returncode == 0
    assert snapshot(shared) == before


def test_a_skill_that_came_is_linked_and_one_that_went_is_unlinked(home, checkout):
    home(checkout)
    (checkout / "skills/fresh").mkdir()
    shutil.move(checkout / "skills/init/SKILL.md", checkout / "skills/fresh/SKILL.md")
    assert home(checkout).returncode == 0
    assert (home.skills / "fresh").is_symlink() and not os.path.lexists(home.skills / "init")


def test_a_prefix_is_remembered_and_another_one_moves_the_programs(home, checkout):
    one, two = home.place / "one", home.place / "two"
    home(checkout, "--prefix", str(one))
    home(checkout)
    assert (one / "bin/adlc").is_symlink() and not os.path.lexists(home.home / ".local/bin/adlc")
    home(checkout, "--prefix", str(two))
    assert (two / "bin/adlc").is_symlink() and not os.path.lexists(one / "bin/adlc")
    home(checkout, "--uninstall")
    assert not one.exists() and not two.exists()


def test_the_directory_on_the_path_is_taken(home, checkout):
    (home.home / "bin").mkdir()
    (home.home / ".local/bin").mkdir(parents=True)
    done = home(checkout, env={"PATH": f"{home.tools}:{home.home}/bin"})
    assert done.returncode == 0 and (home.home / "bin/adlc").is_symlink()
    assert "PATH" not in done.stderr


def test_claude_config_dir_is_honoured(home, checkout):
    elsewhere = home.place / "elsewhere/claude"
    assert home(checkout, env={"CLAUDE_CONFIG_DIR": str(elsewhere)}).returncode == 0
    assert (elsewhere / "skills/spec").is_symlink() and not (home.home / ".claude").exists()
    assert home(checkout, "--uninstall", env={"CLAUDE_CONFIG_DIR": str(elsewhere)}).returncode == 0
    assert not elsewhere.parent.exists()


@pytest.mark.parametrize(
    "arguments, words",
    [(["--wrong"], "--wrong"), (["install"], "install"), (["--uninstall", "--repair"], "--uninstall"), (["--prefix", "a:b"], "--prefix"), (["--with"], "--with")],
)
def test_a_wrong_call_is_one_line_and_changes_nothing(home, checkout, arguments, words):
    done = home(checkout, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr and home.snapshot().keys() == {str(home.home)}


def test_the_readme_shows_how(home, checkout):
    text = (ROOT / "README.md").read_text()
    commands = re.findall(r"^\$ \./install\.sh(.*)$", text, flags=re.M)
    assert "" in commands and " --uninstall" in commands
    for options in commands:
        assert home(checkout, *options.split()).returncode == 0


@pytest.mark.parametrize("settings", ['{"permissions": {}}', "{ not json"])
def test_settings_are_never_touched(home, checkout, settings):
    (home.home / ".claude").mkdir()
    (home.home / ".claude/settings.json").write_text(settings)
    (home.home / ".claude/CLAUDE.md").write_text("mine\n")
    before = home.snapshot()
    home(checkout, "--with-delegation", "--yes")
    assert {path: state for path, state in home.snapshot().items() if path in before} == before
    home(checkout, "--uninstall")
    assert home.snapshot() == before


def test_agents_that_were_rendered_for_the_user_go_too(home, checkout):
    before = home.snapshot()
    home(checkout, "--yes")
    done = subprocess.run(
        [home.home / ".local/bin/adlc", "materialize", "--user", "--harness", "claude"], env=home.environment, cwd=home.place, capture_output=True, text=True,
    )
    assert (home.home / ".claude/agents/spec-scout.md").exists(), done
    assert home(checkout, "--uninstall").returncode == 0
    assert home.snapshot() == before


# --- the PATH line


def start_file_of_this_user() -> str:
    return shells.start_file("/home", "/home/bin", os.path.basename(pwd.getpwuid(os.getuid()).pw_shell), {}).path


def test_the_login_shell_comes_from_the_password_database(home, checkout):
    """No dscl, USER unset, SHELL naming another one."""
    expected = Path(start_file_of_this_user()).name
    for arguments in (["--dry-run"], ["--with-delegation", "--dry-run"], ["--with-delegation", "--yes"]):
        done = home(checkout, *arguments, env={"SHELL": "/usr/bin/fish"})
        assert done.returncode == 0, done
    assert "adlc >>>" in (home.home / expected).read_text()
    assert not (home.home / ".config").exists()


def test_without_consent_no_start_file_is_touched_and_the_line_is_shown(home, checkout):
    (home.home / ".bashrc").write_text("x=1\n")
    done = home(checkout)
    assert (home.home / ".bashrc").read_text() == "x=1\n"
    assert 'PATH="$PATH"' in done.stderr and "--yes" in done.stderr


@pytest.mark.parametrize("answer, added", [("y\n", True), ("\n", False), ("no\n", False)])
def test_at_a_terminal_it_asks(home, checkout, answer, added):
    leader, terminal = pty.openpty()
    os.write(leader, answer.encode())
    done = home(checkout, stdin=terminal)
    os.close(leader)
    os.close(terminal)
    assert done.returncode == 0 and "[y/N]" in done.stderr
    assert (home.home / Path(start_file_of_this_user()).name).exists() == added


@pytest.mark.parametrize(
    "shell, platform, present, expected",
    [
        ("bash", "linux", [], ".bashrc"), ("bash", "darwin", [], ".bash_profile"), ("bash", "darwin", [".profile"], ".profile"),
        ("bash", "darwin", [".profile", ".bash_login"], ".bash_login"), ("zsh", "darwin", [".zprofile"], ".zshrc"),
        ("dash", "linux", [], ".profile"), ("fish", "linux", [], ".config/fish/conf.d/adlc.fish"), ("nologin", "linux", [], None),
    ],
)
def test_each_shell_has_its_start_file(tmp_path, shell, platform, present, expected):
    for name in present:
        (tmp_path / name).touch()
    found = shells.start_file(str(tmp_path), "/x/bin", shell, {}, platform)
    assert (found and found.path) == (expected and str(tmp_path / expected))


@pytest.mark.parametrize("shell", ["dash", "bash", "bash --posix", "zsh", "busybox ash"])
def test_the_line_works_once_whatever_the_directory_is_called(tmp_path, shell):
    if not shutil.which(shell.split()[0]):
        pytest.skip(f"{shell} is not installed")
    folder = tmp_path / "Ü mläut $x 'quoted' * [a] \"b\"/bin"
    folder.mkdir(parents=True)
    (tmp_path / "rc").write_text(shells.block(".profile", str(folder)))
    script = f'. {tmp_path}/rc; . {tmp_path}/rc; printf "%s" "$PATH"'
    done = subprocess.run([*shell.split(), "-c", script], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
    assert done.stdout == f"{os.environ['PATH']}:{folder}", done.stderr


# --- delegation


def test_delegation_shows_what_is_sent_and_prepares_a_configuration_that_says_no(home, checkout):
    done = home(checkout, "--with-delegation")
    assert done.returncode == 0
    assert done.stdout.startswith(delegation.NOTICE)
    assert "      enabled: true" in done.stdout and str(home.home / ".claude/adlc/config.yml") in done.stdout
    assert (home.home / ".local/bin/adlc-read").is_symlink() and (home.home / "bin/adlc-read").is_symlink()
    gate = subprocess.run([home.home / ".local/bin/adlc", "gate"], env=home.environment, cwd=home.place, capture_output=True, text=True)
    assert (gate.returncode, gate.stdout) == (1, "gate 1 disabled-via-config\n"), gate
    assert (home.home / ".claude/adlc/config.yml").stat().st_mode & 0o777 == 0o600


def test_the_lines_shown_switch_it_on(home, checkout):
    done = home(checkout, "--with-delegation")
    shown = done.stdout.split("config.yml:\n")[1].split("then run")[0]
    (home.home / ".claude/adlc/config.yml").write_text("\n".join(line.removeprefix("    ") for line in shown.splitlines()) + "\n")
    gate = subprocess.run(
        [home.home / ".local/bin/adlc", "gate"], env=home.environment | {"MY_MODEL_KEY": "abc"}, cwd=home.place, capture_output=True, text=True,
    )
    assert (gate.returncode, gate.stdout.split("\n")[0]) == (0, "gate 0 ok"), gate


def test_a_configuration_that_is_there_stays(home, checkout):
    config = home.home / ".claude/adlc/config.yml"
    config.parent.mkdir(parents=True)
    config.write_text("delegate:\n  enabled: true\n")
    before = home.snapshot()
    assert "left as it is" in home(checkout, "--with-delegation").stderr
    assert config.read_text() == "delegate:\n  enabled: true\n"
    home(checkout, "--uninstall")
    assert home.snapshot() == before


def test_once_chosen_delegation_stays_installed(home, checkout):
    home(checkout, "--with-delegation")
    assert home(checkout).returncode == 0
    assert (home.home / ".local/bin/adlc-read").is_symlink()


# --- hostile homes


@pytest.mark.parametrize("foreign", ["directory", "file", "link", "dangling link"])
def test_a_foreign_skill_of_the_same_name_stops_everything(home, checkout, foreign):
    home.skills.mkdir(parents=True)
    mine = home.skills / "spec"
    if foreign == "directory":
        mine.mkdir()
        (mine / "SKILL.md").write_text("mine")
    elif foreign == "file":
        mine.write_text("mine")
    else:
        (home.home / "mine").mkdir()
        mine.symlink_to(home.home / ("mine" if foreign == "link" else "gone"))
    before = home.snapshot()
    for arguments in ([], ["--yes", "--with-delegation"], ["--repair"]):
        done = home(checkout, *arguments)
        refused(done, before, home, str(mine), "move it away", "nothing was installed")
    # The command that is printed helps, and loses nothing.
    subprocess.run(["/bin/sh", "-c", re.search(r"mv [^;\n]*", done.stderr)[0]], check=True)
    assert os.path.lexists(home.home / ".claude/spec.yours") and home(checkout).returncode == 0


def test_foreign_programs_and_places_stop_everything(home, checkout):
    (home.home / ".local/bin").mkdir(parents=True)
    (home.home / ".local/bin/adlc").write_text("#!/bin/sh\n")
    (home.home / ".claude").mkdir()
    (home.home / ".claude/skills").write_text("no directory")
    done = home(checkout, "--dry-run")
    for name in (".local/bin/adlc", ".claude/skills"):
        assert str(home.home / name) in done.stderr
    refused(done, home.snapshot(), home, "2 paths of yours in the way")


def test_a_linked_skills_directory_is_respected(home, checkout):
    own = home.home / "dotfiles/skills"
    (own / "mine").mkdir(parents=True)
    (home.home / ".claude").mkdir()
    home.skills.symlink_to("../dotfiles/skills")
    before = home.snapshot()
    assert home(checkout).returncode == 0
    assert os.readlink(home.skills) == "../dotfiles/skills" and (own / "spec").is_symlink()
    assert home(checkout, "--uninstall").returncode == 0
    assert home.snapshot() == before


@pytest.mark.parametrize("target, words", [("{home}/gone", "leads nowhere"), ("{checkout}/skills", "rm ")])
def test_a_skills_link_to_nowhere_or_into_the_checkout_is_refused(home, checkout, target, words):
    (home.home / ".claude").mkdir()
    home.skills.symlink_to(target.format(home=home.home, checkout=checkout))
    there = snapshot(checkout)
    refused(home(checkout), home.snapshot(), home, str(home.skills), words)
    assert snapshot(checkout).keys() - there.keys() <= {path for path in snapshot(checkout) if "__pycache__" in path}


def test_a_link_of_the_users_that_leads_here_already_stays_theirs(home, checkout):
    (home.home / ".local/bin").mkdir(parents=True)
    (home.home / ".local/bin/adlc").symlink_to(checkout / "bin/adlc")
    home.skills.mkdir(parents=True)
    (home.home / "spec").symlink_to(checkout / "skills/spec")
    (home.skills / "spec").symlink_to("../../spec")
    before = home.snapshot()
    assert home(checkout).returncode == 0
    assert home(checkout, "--uninstall").returncode == 0
    assert home.snapshot() == before


@pytest.mark.parametrize("hostile", ["read-only", "link to nowhere", "directory", "hard links"])
def test_a_start_file_that_must_not_be_written_is_left_alone(home, checkout, hostile):
    rc = home.home / Path(start_file_of_this_user()).name
    if hostile == "directory":
        rc.mkdir()
    elif hostile == "link to nowhere":
        rc.symlink_to("/nonexistent/rc")
    else:
        rc.write_text("x=1\n")
        if hostile == "read-only":
            rc.chmod(0o444)
        else:
            os.link(rc, home.home / "other")
    before = home.snapshot()
    done = home(checkout, "--yes")
    assert done.returncode == 0 and installed(home, checkout)
    assert str(rc) in done.stderr and 'PATH="$PATH"' in done.stderr
    assert {path: state for path, state in home.snapshot().items() if path in before} == before


def test_a_linked_start_file_is_written_through_its_link(home, checkout):
    name = Path(start_file_of_this_user()).name
    (home.home / "dotfiles").mkdir()
    (home.home / "dotfiles/rc").write_text("x=1\n")
    (home.home / name).symlink_to("dotfiles/rc")
    before = home.snapshot()
    home(checkout, "--yes")
    assert (home.home / name).is_symlink() and "adlc >>>" in (home.home / "dotfiles/rc").read_text()
    home(checkout, "--uninstall")
    assert home.snapshot() == before


def test_spaces_quotes_and_non_ascii_in_the_home_and_the_checkout(tmp_path, prepared, data_dir, original):
    home = Home(tmp_path, prepared["ADLC_TEST_PYTHON"], data_dir, "Ü mläut \udcff $x 'q' * [a]")
    checkout = tmp_path / "ad lc 'é'"
    shutil.copytree(original, checkout)
    before = home.snapshot()
    done = home(checkout, "--yes", "--with-delegation", env={"HOME": os.fsencode(home.home)}, errors="surrogateescape")
    assert done.returncode == 0 and installed(home, checkout), done
    rc = home.home / Path(start_file_of_this_user()).name
    script = '. "${1}"; command -v adlc && adlc --version'
    found = subprocess.run(["/bin/sh", "-c", script, "sh", os.fsencode(rc)], env=home.environment, capture_output=True)
    assert os.fsdecode(found.stdout) == f"{home.home}/.local/bin/adlc\nadlc {__version__}\n", found
    assert home(checkout, "--uninstall", errors="surrogateescape").returncode == 0
    assert home.snapshot() == before


@pytest.fixture
def stranger(prepared, data_dir, original):
    """A home and a checkout that every user can read; pytest's own directories are private."""
    python = python_for_everyone([prepared["ADLC_TEST_PYTHON"], "/usr/bin/python3", "/usr/local/bin/python3"], UNPRIVILEGED)
    if not python:
        pytest.skip("no Python 3.11+ that an unprivileged user may run")
    place = Path(tempfile.mkdtemp(prefix="adlc-test-", dir="/tmp"))
    place.chmod(0o755)
    shutil.copytree(original, place / "adlc")
    home = Home(place, python, data_dir)
    [ready] = home.data.glob("env/core-*/ready")
    ready.write_text(f"{python}\n{ready.read_text().splitlines()[1]}\n")
    yield home, place / "adlc"
    shutil.rmtree(place)


@needs_root
def test_without_a_home_it_says_so(stranger):
    home, checkout = stranger
    done = home(checkout, env={"HOME": None}, user=UNPRIVILEGED, group=UNPRIVILEGED, extra_groups=[])
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "adlc: no home directory — set HOME\n")


@needs_root
def test_without_a_home_the_password_database_tells(stranger):
    """The home of this user is not theirs to write: refused, with nothing half-made."""
    home, checkout = stranger
    user = pwd.getpwnam("daemon")
    done = home(checkout, env={"HOME": None}, user=user.pw_uid, group=user.pw_gid, extra_groups=[])
    assert done.returncode == 3 and f"{user.pw_dir}/" in done.stderr and "permission denied" in done.stderr
    assert not os.path.lexists(f"{user.pw_dir}/.claude")


@needs_root
def test_under_sudo_the_home_of_another_user_is_left_alone(home, checkout):
    os.chown(home.home, UNPRIVILEGED, UNPRIVILEGED)
    before = home.snapshot()
    refused(home(checkout, "--yes", env={"SUDO_UID": str(UNPRIVILEGED)}), before, home, "without sudo")


@pytest.fixture
def mounted(tmp_path):
    """Mounts a tmpfs with these options on a new directory."""
    done = []

    def mount(options: str, where: Path) -> Path:
        where.mkdir(exist_ok=True)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", where], capture_output=True, text=True)
        if made.returncode:
            pytest.skip(f"mounts are not permitted here: {made.stderr.strip()}")
        done.append(where)
        return where

    yield mount
    for where in reversed(done):
        subprocess.run(["umount", "-l", where], check=True)


@needs_root
def test_on_a_full_disk_everything_is_as_it_was(home, checkout, mounted):
    """Wherever the space ends: each number of inodes stops another step."""
    (home.home / "x").mkdir()
    outcomes = []
    for inodes in range(3, 60):
        home.home = mounted(f"size=1m,nr_inodes={inodes}", home.place / f"h{inodes}")
        (home.home / ".bashrc").write_text("x=1\n")
        before = home.snapshot()
        done = home(checkout, "--yes", env={"HOME": str(home.home)})
        outcomes.append(done.returncode)
        if done.returncode == 0:
            break
        refused(done, before, home, "no space left on device", "everything is as it was")
        assert done.stderr.count("\n") == 1
    assert outcomes[-1] == 0 and outcomes.count(3) > 10


@needs_root
def test_a_disk_without_room_for_the_environment_is_left_as_it_was(home, checkout, mounted, prepared):
    home.home = mounted("size=300k", home.place / "small")
    before = home.snapshot()
    done = home(checkout, env={"HOME": str(home.home), "ADLC_DATA_DIR": None, "PIP_FIND_LINKS": prepared["ADLC_TEST_WHEELS"]})
    refused(done, before, home, "nothing was installed")


def test_without_a_network_nothing_is_installed(home, checkout):
    before = home.snapshot()
    offline = {"ADLC_DATA_DIR": None, "PIP_NO_INDEX": None, "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0"}
    refused(home(checkout, "--yes", env=offline), before, home, "no network", "nothing was installed")


def offer(home, name: str, text: str) -> None:
    (home.tools / name).unlink(missing_ok=True)
    (home.tools / name).write_text(text)
    (home.tools / name).chmod(0o755)


@pytest.mark.parametrize("sent, code", [(signal.SIGTERM, 130), (signal.SIGINT, 130), (signal.SIGHUP, 130)])
def test_interrupted_while_it_makes_the_environment_everything_is_as_it_was(home, checkout, sent, code):
    mark = home.place / "started"
    offer(home, "uv", f"#!/bin/sh\n: >{mark}\nexec {shutil.which('sleep')} 60\n")
    before = home.snapshot()
    process = home.start(checkout, "--yes", env={"ADLC_DATA_DIR": None})
    for _ in range(400):
        if mark.exists():
            break
        time.sleep(0.05)
    process.send_signal(sent)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code and "everything is as it was" in err
    assert home.snapshot() == before


KILLED_AFTER = """
import os, runpy, signal, sys
sys.path.insert(0, sys.argv[1] + "/tools")
from adlc.installation import states
limit, bring_about = int(sys.argv[2]), states.bring_about
def counted(*arguments):
    global limit
    if not limit:
        os.kill(os.getpid(), signal.SIGKILL)
    limit -= 1
    bring_about(*arguments)
states.bring_about = counted
sys.argv = [sys.argv[1] + "/tools/adlc/installation/__main__.py", *sys.argv[3:]]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def killed_after(home, checkout, changes: int, *arguments) -> int:
    """Run with a SIGKILL before the change of that number; the exit code."""
    command = [home.tools / "python3", "-I", "-S", "-X", "utf8", "-c", KILLED_AFTER, checkout, str(changes), *arguments]
    return subprocess.run(command, env=home.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120).returncode


@pytest.mark.parametrize("then", ["--uninstall", "--yes"])
def test_killed_anywhere_the_next_run_starts_from_where_it_was(home, checkout, data_dir, then):
    (home.home / ".bashrc").write_text("x=1\n")
    before = home.snapshot()
    changes = 0
    while killed_after(home, checkout, changes, "--yes") == -signal.SIGKILL:
        if changes:
            assert "killed half-way" in home(checkout, "--dry-run").stderr
        done = home(checkout, then)
        assert done.returncode == 0, done
        if then == "--yes":
            assert installed(home, checkout)
            assert home(checkout, "--uninstall").returncode == 0
        assert home.snapshot() == before, changes
        changes += 1
        if not home.data.exists():  # uninstalling takes it away, too
            shutil.copytree(data_dir, home.data, symlinks=True)
    assert changes > 10


def test_killed_while_uninstalling_the_next_one_completes_it(home, checkout):
    before = home.snapshot()
    home(checkout, "--yes")
    for changes in (1, 4, 9):
        assert killed_after(home, checkout, changes, "--uninstall") == -signal.SIGKILL
        assert "killed half-way; undone" in home(checkout).stderr and installed(home, checkout)
    assert killed_after(home, checkout, 6, "--uninstall") == -signal.SIGKILL
    assert home(checkout, "--uninstall").returncode == 0
    assert home.snapshot() == before


def test_a_damaged_record_is_told_apart_and_repaired(home, checkout):
    # Which directories it made is known from the record alone.
    for name in (".claude/skills", ".claude/adlc", ".local/bin", "bin", ".cache"):
        (home.home / name).mkdir(parents=True)
    (home.home / Path(start_file_of_this_user()).name).write_text("x=1\n")
    before = home.snapshot()
    home(checkout, "--yes", "--with-delegation")
    for damage in ("", "{", "[]", '{"schema": "adlc.installation/1", "owned": [{"path": "relative", "link": "x"}]}'):
        home.record.write_text(damage)
        now = home.snapshot()
        for arguments in ([], ["--uninstall"]):
            refused(home(checkout, *arguments), now, home, str(home.record), "./install.sh --repair")
    assert home(checkout, "--repair").returncode == 0
    assert installed(home, checkout)
    home(checkout, "--uninstall")
    assert home.snapshot() == before


def test_links_to_a_checkout_that_is_gone_are_repaired_when_asked(home, checkout):
    home(checkout)
    home.record.unlink()
    checkout.rename(home.place / "moved")
    before = home.snapshot()
    refused(home(home.place / "moved"), before, home, "./install.sh --repair")
    assert home(home.place / "moved", "--repair").returncode == 0
    assert installed(home, home.place / "moved")


def test_a_moved_clone_is_pointed_to_again(home, checkout):
    before = home.snapshot()
    home(checkout, "--yes", "--with-delegation")
    moved = home.place / "elsewhere/adlc"
    moved.parent.mkdir()
    checkout.rename(moved)
    done = home(moved)
    assert done.returncode == 0 and installed(home, moved), done
    assert [path for path in home.snapshot() if os.path.islink(path) and not os.path.exists(path)] == []
    home(moved, "--uninstall")
    assert home.snapshot() == before


def test_a_linked_worktree_installs_the_main_checkout(home, checkout):
    def git(*arguments):
        identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=checkout, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "all")
    git("worktree", "add", "-q", str(home.place / "tree"))
    done = home(home.place / "tree")
    assert done.returncode == 0 and "linked worktree" in done.stderr
    assert installed(home, checkout)


def test_a_strict_umask_is_respected(home, checkout):
    before = home.snapshot()
    assert home(checkout, "--yes", "--with-delegation", umask=0o077).returncode == 0
    assert installed(home, checkout)
    assert [path for path, (mode, _) in home.snapshot().items() if not os.path.islink(path) and path not in before and int(mode, 8) & 0o077] == []
    home(checkout, "--uninstall", umask=0o077)
    assert home.snapshot() == before


@needs_root
def test_a_noexec_temporary_directory_does_not_matter(home, checkout, mounted, prepared):
    place = mounted("size=64m,noexec", home.place / "noexec")
    (place / "script").write_text("#!/bin/sh\n")
    (place / "script").chmod(0o755)
    with pytest.raises(PermissionError):
        subprocess.run([place / "script"])
    (place / "script").unlink()
    done = home(checkout, env={"TMPDIR": str(place), "ADLC_DATA_DIR": None, "PIP_FIND_LINKS": prepared["ADLC_TEST_WHEELS"]})
    assert done.returncode == 0 and installed(home, checkout), done
    assert os.listdir(place) == []


def test_a_stub_called_python3_is_passed_over_or_told(home, checkout):
    real = os.readlink(home.tools / "python3")
    offer(home, "python3", "#!/bin/sh\necho 'Python was not found'\nexit 49\n")
    before = home.snapshot()
    # An environment that is there names its interpreter; here there is none.
    refused(home(checkout, env={"ADLC_DATA_DIR": None}), before, home, "needs Python 3.11 or newer: install")
    (home.place / "later").mkdir()
    (home.place / "later/python3").symlink_to(real)
    done = home(checkout, env={"PATH": f"{home.tools}:{home.place}/later"})
    assert done.returncode == 0 and installed(home, checkout)


# --- the checkout


def test_lost_executable_bits_are_survived(home, checkout):
    for path in (checkout / "bin").iterdir():
        path.chmod(0o644)
    before = home.snapshot()
    assert home(checkout, "--with-delegation").returncode == 0
    for program, arguments in (("adlc", ["--version"]), ("adlc-read", ["--version"])):
        done = subprocess.run([home.home / ".local/bin" / program, *arguments], env=home.environment, capture_output=True, text=True)
        assert done.returncode == 0 and __version__ in done.stdout, done
    assert home(checkout).stdout.splitlines()[0] == "adlc: already installed; nothing to do"
    home(checkout, "--uninstall")
    assert home.snapshot() == before


@pytest.mark.parametrize("gone", ["bin/adlc-read", "partials", "skills", "templates"])
def test_an_incomplete_checkout_is_refused_before_anything_is_changed(home, checkout, gone):
    target = checkout / gone
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    refused(home(checkout), home.snapshot(), home, "not complete", gone)


def test_the_plugins_own_copy_is_no_place_to_install_from(home, checkout):
    copy = home.home / ".claude/plugins/cache/adlc/adlc/0.1.0"
    copy.parent.mkdir(parents=True)
    checkout.rename(copy)
    done = home(copy)
    assert done.returncode == 3 and "belongs to the plugin" in done.stderr
    assert not home.skills.exists()


def test_two_runs_at_once_make_one_installation(home, checkout):
    running = [home.start(checkout, "--yes") for _ in range(3)]
    said = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * 3, said
    assert sum("already installed" in out for out, _ in said) == 2
    assert (home.home / Path(start_file_of_this_user()).name).read_text().count("adlc >>>") == 1
