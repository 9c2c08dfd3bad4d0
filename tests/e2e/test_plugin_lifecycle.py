"""The plugin in the real Claude Code, from a directory and from a git address: added, installed, used, updated, removed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import claude_code
import pytest
from adlc import __version__
from conftest import ROOT
from install_clients import CLIENTS, program
from scripted_model import Tool

NEWER = "99.1.0"
# The client refuses file:// as an address; git itself is told where this one is.
ADDRESS = "https://git.example.org/adlc.git"


class Client:
    """One version of the client with a fresh home, and the place the plugin comes from."""

    def __init__(self, version: str, source: str, folder: Path, wheels: str):
        claude_code.installed(version)
        self.version, self.home, self.project = version, folder / "home", folder / "project"
        self.home.mkdir()
        self.project.mkdir()
        spec = self.project / ".adlc/specs/REQ-001-one/requirement.md"
        spec.parent.mkdir(parents=True)
        spec.write_text("---\nid: REQ-001\ntitle: One\nstatus: approved\n---\n## Description\nOne.\n")
        self.source, self.is_git = claude_code.copy_plugin(folder / "market/adlc"), source == "git"
        # Packages come from a directory; nothing is asked of the network.
        self.env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels, "PIP_CONFIG_FILE": "/dev/null"}
        if self.is_git:
            (self.home / ".gitconfig").write_text(f'[url "file://{self.source}"]\n\tinsteadOf = {ADDRESS}\n')
            self.git("init", "-q", "-b", "main")
            self.commit()

    @property
    def address(self) -> str:
        return ADDRESS if self.is_git else str(self.source)

    def git(self, *arguments):
        identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.source, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a version")

    def plugin(self, *arguments) -> str:
        done = subprocess.run(
            [program("claude", self.version), "plugin", *arguments], env=claude_code.environment(self.home) | self.env, cwd=self.project,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        )
        assert done.returncode == 0, done
        return done.stdout

    def listed(self) -> dict:
        return {entry["id"]: entry for entry in json.loads(self.plugin("list", "--json"))}

    def bump(self) -> None:
        """What a release does: the one version in its four places."""
        for name in ("tools/adlc/__init__.py", "pyproject.toml", ".claude-plugin/plugin.json", "bin/adlc"):
            path = self.source / name
            text = path.read_text()
            assert __version__ in text
            path.write_text(text.replace(__version__, NEWER))
        skill = self.source / "skills/spec/SKILL.md"
        skill.write_text(skill.read_text() + "\nA sentence of the newer version.\n")
        if self.is_git:
            self.commit()

    def session(self) -> tuple[str, list[str]]:
        """One session that calls the skill; -> all that the model saw, and what `adlc` in the shell tool answered."""

        def script(_):
            for command in ("adlc --version", "adlc where root", "adlc list --json", "adlc where python"):
                result = yield Tool("Bash", command=command, description="ask adlc")
                assert not result.failed, result

        run = claude_code.run(
            self.version, "/adlc:spec add password reset", script, plugin=None, home=self.home, project=self.project, env=self.env,
            allowed="Bash(adlc *)", sources="user",
        )
        assert run.code == 0 and run.denied == []
        # A newer client puts a reminder of its own below each result.
        answers = [result.text.split("\n\n<system-reminder>")[0] for _, result in run.model.calls]
        return json.dumps(run.model.requests, ensure_ascii=False), answers

    def environments(self) -> list[str]:
        return sorted(path.parent.name for path in self.home.rglob("env/core-*/ready"))


@pytest.fixture(params=[(version, source) for version in CLIENTS["claude"]["versions"] for source in ("directory", "git")], ids="-".join)
def client(request, tmp_path, wheels):
    version, source = request.param
    return Client(version, source, tmp_path, wheels)


@pytest.fixture(scope="session")
def wheels():
    if "ADLC_TEST_WHEELS" in os.environ:
        return os.environ["ADLC_TEST_WHEELS"]
    sys.path.insert(0, str(ROOT / "tests/runner"))
    from prepare import prepare

    return prepare()["ADLC_TEST_WHEELS"]


def readme_commands() -> list[list[str]]:
    """The arguments of every `claude plugin …` line of the README."""
    lines = re.findall(r"^\$ claude plugin (.*)$", (ROOT / "README.md").read_text(), flags=re.M)
    return [line.split() for line in lines]


def test_from_adding_it_to_removing_it(client):
    add, install, uninstall, forget = readme_commands()
    assert add[:2] == ["marketplace", "add"] and install[0] == "install" and uninstall[0] == "uninstall" and forget[:2] == ["marketplace", "remove"]
    client.plugin("marketplace", "add", client.address)
    client.plugin(*install)
    assert client.listed()["adlc@adlc"]["version"] == __version__

    seen, (version, root, found, _) = client.session()
    assert "Turn a request into `.adlc/specs/REQ-xxx-feature-slug/requirement.md`" in seen
    assert "add password reset" in seen and "A sentence of the newer version." not in seen
    assert version == f"adlc {__version__}" and "REQ-001" in found
    assert [name.rsplit("-", 1)[0] for name in client.environments()] == [f"core-{__version__}"]

    client.bump()
    client.plugin("marketplace", "update", "adlc")
    client.plugin("update", "adlc@adlc")
    assert client.listed()["adlc@adlc"]["version"] == NEWER
    # The network is gone: what the older version had is taken over.
    client.env["PIP_FIND_LINKS"] = "/nonexistent"
    seen, (version, root, found, _) = client.session()
    assert "A sentence of the newer version." in seen
    assert version == f"adlc {NEWER}" and "REQ-001" in found
    assert f"core-{NEWER}" in [name.rsplit("-", 1)[0] for name in client.environments()]

    in_cache = "/plugins/cache/" in root
    assert in_cache or not client.is_git
    if in_cache:
        assert list(client.home.glob(".claude/plugins/data/adlc-adlc/env/core-*"))
    client.plugin(*uninstall)
    client.plugin(*forget)
    assert "adlc@adlc" not in client.listed()
    if not in_cache:
        # This client runs the plugin from the folder itself; the folder's install.sh takes its traces away.
        done = subprocess.run(["/bin/sh", client.source / "install.sh", "--uninstall"], env=claude_code.environment(client.home), capture_output=True, text=True)
        assert done.returncode == 0, done
    left = [str(path.relative_to(client.home)) for path in client.home.rglob("*adlc*")]
    # The client itself keeps copies of removed versions for a while, marked as orphaned.
    assert [path for path in left if not path.startswith(".claude/plugins/cache/")] == []
    assert "adlc" not in (client.home / ".claude/settings.json").read_text()
    assert sorted(path.name for path in self_made(client.project)) == ["requirement.md"]


def self_made(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
