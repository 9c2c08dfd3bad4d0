"""What adlc lint skills says of a line is what the real Claude Code does with it when it loads the skill."""

import json
import subprocess
import sys

import claude_code
import pytest
from conftest import ROOT
from install_clients import CLIENTS
from scripted_model import Say, Tool

# Every line ends in END; most are left as they stand by one of the two sides of each pair.
LINES = [
    "!`echo RAN`", "text !`echo RAN` text", "- a (b !`echo RAN`)", "  !`echo RAN`, x", "in `` !`echo RAN` ``", "text!`echo RAN`", "(!`echo RAN`)", '"!`echo RAN`"',
    "`fn() -> !` (`a.rs`)", "`x !`echo RAN` y`", "x !`` y", "cost $5", "cost $1.20 a month", r"cost \$1.20", "awk '{print $2}'", "x $$1 x", "${1} and $(1) and $HOME",
    "cost $200K", "$A1", "at ${CLAUDE_PLUGIN_ROOT}/bin", "at ${CLAUDE_PLUGIN_ROOT:-.}/bin", "nothing at all!",
]
# The client leaves this one alone, which is the fault.
NOT_REPLACED = {"at ${CLAUDE_PLUGIN_ROOT:-.}/bin"}
# The client writes its own path here, which is the point.
MEANT = {"at ${CLAUDE_PLUGIN_ROOT}/bin", r"cost \$1.20"}


def conversation(request):
    yield Tool("Bash", command="true")
    yield Say("done")


@pytest.fixture
def plugin(tmp_path):
    folder = tmp_path / "plugin"
    (folder / "skills/demo").mkdir(parents=True)
    (folder / ".claude-plugin").mkdir()
    (folder / ".claude-plugin/plugin.json").write_text('{"name": "p"}')
    text = "\n\n".join(f"L{n:02} {line} END" for n, line in enumerate(LINES))
    (folder / "skills/demo/SKILL.md").write_text(f'---\nname: demo\ndescription: "d"\nallowed-tools: "Bash(echo *)"\n---\n\n{text}\n')
    return folder


def found(plugin) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-m", "adlc", "lint", "skills", plugin, "--json"], env={"PYTHONPATH": str(ROOT / "tools"), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60,
    )
    lines = (plugin / "skills/demo/SKILL.md").read_text().split("\n")
    return {lines[f["line"] - 1][4:-4] for f in json.loads(done.stdout)["findings"]}


@pytest.mark.parametrize("version", CLIENTS["claude"]["versions"])
def test_the_lines_that_the_client_changes_are_those_that_are_found(version, plugin, tmp_path):
    (tmp_path / "project").mkdir()
    run = claude_code.run(
        version, "/p:demo one two three four five six", conversation, plugin=plugin, home=tmp_path / "home", project=tmp_path / "project", env={},
        allowed="Bash(true)",
    )
    shown = "\n".join(
        block["text"] for request in run.model.requests for message in request["messages"] if isinstance(message["content"], list)
        for block in message["content"] if block.get("type") == "text" and "L00 " in block["text"]
    )
    kept = {line for n, line in enumerate(LINES) if f"L{n:02} {line} END" in shown}
    assert "nothing at all!" in kept and len(kept) < len(LINES)
    assert found(plugin) == set(LINES) - kept - MEANT | NOT_REPLACED & kept
