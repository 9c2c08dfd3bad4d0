"""The plugin as the real Claude Code sees it: `claude plugin validate --strict` on the tracked files."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from install_clients import CLIENTS, program

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=CLIENTS["claude"]["versions"])
def claude(request, tmp_path):
    """Runs one version with a fresh home and nothing of the caller's environment."""
    executable = program("claude", request.param)
    if not executable.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"claude {request.param} is not installed: run tests/e2e/install_clients.py")
        pytest.skip(f"claude {request.param} is not installed")
    home = tmp_path / "home"
    home.mkdir()
    path = os.pathsep.join({os.path.dirname(shutil.which("node") or "/usr/bin/node"), "/usr/bin", "/bin"})
    environment = {
        "HOME": str(home), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8", "NO_COLOR": "1",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }  # fmt: skip

    def run(*arguments):
        return subprocess.run(
            [executable, *arguments], env=environment, cwd=home, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    return run


@pytest.fixture
def plugin(tmp_path):
    """The tracked files as they are now, and nothing else."""
    copy = tmp_path / "plugin"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, check=True).stdout
    for name in os.fsdecode(listed).split("\0"):
        if name and (CHECKOUT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, copy / name)
    return copy


def both_manifests(plugin):
    return [plugin, plugin / ".claude-plugin/plugin.json"]


def test_strict_validation_is_clean(claude, plugin):
    for target in both_manifests(plugin):
        done = claude("plugin", "validate", "--strict", str(target))
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Validation passed" in done.stdout + done.stderr


def drop(key):
    return lambda manifest: {name: value for name, value in manifest.items() if name != key}


@pytest.mark.parametrize(
    "file, damage",
    [
        ("plugin.json", drop("name")),
        ("plugin.json", drop("author")),
        ("plugin.json", lambda manifest: {**manifest, "unknown": 1}),
        ("marketplace.json", drop("owner")),
        ("marketplace.json", drop("description")),
    ],
)
def test_a_planted_fault_is_caught(claude, plugin, file, damage):
    manifest = plugin / ".claude-plugin" / file
    manifest.write_text(json.dumps(damage(json.loads(manifest.read_text()))))
    codes = [claude("plugin", "validate", "--strict", str(target)).returncode for target in both_manifests(plugin)]
    assert any(codes)


def test_it_installs_and_the_installed_copy_finds_itself(claude, plugin):
    for arguments in (["marketplace", "add", str(plugin)], ["install", "adlc@adlc", "--scope", "user"]):
        done = claude("plugin", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    listed = {entry["id"]: entry for entry in json.loads(claude("plugin", "list", "--json").stdout)}
    copy = listed["adlc@adlc"]["installPath"]
    assert copy != str(plugin)
    done = subprocess.run([f"{copy}/bin/adlc", "where", "root"], env={}, capture_output=True, text=True)
    assert done.stdout == f"{os.path.realpath(copy)}\n", done.stderr
