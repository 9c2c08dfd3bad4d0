"""Runs one real Claude Code with this plugin, a fresh home and a clean environment, against a scripted model."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from install_clients import program
from scripted_model import Model

CHECKOUT = Path(__file__).resolve().parents[2]


class Run:
    """model: its requests and calls. events: what the client printed. home, project: where it ran."""

    def __init__(self, done, model: Model):
        self.code, self.err, self.model = done.returncode, done.stderr, model
        self.events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    @property
    def denied(self) -> list:
        return next(event for event in self.events if event["type"] == "result")["permission_denials"]

    def said(self) -> str:
        """Everything that the user saw as text."""
        return "\n".join(
            block["text"] for event in self.events if event["type"] == "assistant"
            for block in event["message"]["content"] if block["type"] == "text"
        )

    def commands(self) -> list[str]:
        return [tool.arguments["command"] for tool, _ in self.model.calls if tool.name == "Bash"]

    def result(self, start: str):
        """The Result of the command that begins so."""
        return next(result for tool, result in self.model.calls if tool.name == "Bash" and tool.arguments["command"].startswith(start))

    def read_files(self) -> list[str]:
        return [tool.arguments["file_path"] for tool, _ in self.model.calls if tool.name == "Read"]


def installed(version: str) -> Path:
    executable = program("claude", version)
    if not executable.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"claude {version} is not installed: run tests/e2e/install_clients.py")
        pytest.skip(f"claude {version} is not installed")
    return executable


def copy_plugin(target: Path) -> Path:
    """The tracked files as they are now, and nothing else."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, check=True).stdout
    for name in os.fsdecode(listed).split("\0"):
        if name and (CHECKOUT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, target / name)
    return target


def environment(home: Path) -> dict:
    path = dict.fromkeys([os.path.dirname(shutil.which("node") or "/usr/bin/node"), "/usr/local/bin", "/usr/bin", "/bin"])
    return {
        "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude"), "PATH": os.pathsep.join(path), "TERM": "dumb",
        "LANG": "C.UTF-8", "NO_COLOR": "1", "ANTHROPIC_API_KEY": "dummy", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "SHELL": "/bin/bash",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def run(
    version: str, prompt: str, script, *, plugin: Path | None, home: Path, project: Path, env: dict, allowed: str = "",
    sources: str = "", agents: dict | None = None,
) -> Run:
    """`claude -p PROMPT` to its end. The script must have been asked and must not have failed.

    sources: the settings it reads. agents: as in Model.
    """
    executable = installed(version)
    home.mkdir(parents=True, exist_ok=True)
    model = Model(script, agents)
    command = [
        executable, "-p", prompt, *(["--plugin-dir", plugin] if plugin else []), "--output-format", "stream-json", "--verbose",
        "--setting-sources", sources, "--model", "claude-sonnet-4-5", *(["--allowedTools", allowed] if allowed else []),
    ]
    try:
        done = subprocess.run(
            command, cwd=project, env=environment(home) | {"ANTHROPIC_BASE_URL": model.url} | env,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180,
        )
    finally:
        model.end()
    if model.fault is not None:
        raise model.fault
    # A skill that the client refuses to load ends the run with exit 0 and without a request.
    assert model.calls, f"the conversation never started: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return Run(done, model)
