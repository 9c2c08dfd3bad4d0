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


SOUND = {
    "dash": '---\ndescription: "MARK dash -- one"\n---\n', "quoted": "---\ndescription: 'MARK quoted: two'\n---\n",
    "folded": "---\nname: folded\ndescription: >-\n  MARK folded\n  three\n---\n",
}
# What this client makes of them differs by its version; others drop them.
FAULTY = {
    "inner": '---\ndescription: "MARK inner --- one"\n---\n', "blank": "\n---\ndescription: MARK blank\n---\n", "none": "# MARK none\n",
    "comment": "<!-- x -->\n---\ndescription: MARK comment\n---\n", "list": "---\n- description\n---\nMARK list\n", "tab": "---\nname: tab\n\tdescription: MARK tab\n---\n",
    "unclosed": "---\ndescription: MARK unclosed\n\n", "flow": "---\ndescription: [MARK flow]\n---\n", "empty": '---\ndescription: ""\n---\nMARK empty\n',
    "mark": "\ufeff---\ndescription: MARK mark\n---\n", "colon": "---\ndescription: MARK colon: two\n---\n",
}


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


def findings(plugin) -> list[dict]:
    done = subprocess.run(
        [sys.executable, "-m", "adlc", "lint", "skills", plugin, "--json"], env={"PYTHONPATH": str(ROOT / "tools"), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60,
    )
    return json.loads(done.stdout)["findings"]


@pytest.mark.parametrize("version", CLIENTS["claude"]["versions"])
def test_a_skill_that_the_client_does_not_offer_is_found(version, plugin, tmp_path):
    (tmp_path / "project").mkdir()
    for name, text in {**SOUND, **FAULTY}.items():
        (plugin / f"skills/{name}").mkdir()
        (plugin / f"skills/{name}/SKILL.md").write_text(text + "\nText.\n")
    run = claude_code.run(
        version, "hello", conversation, plugin=plugin, home=tmp_path / "home", project=tmp_path / "project", env={}, allowed="Bash(true)",
    )
    asked = json.dumps(run.model.requests)
    offered = {name for name in {**SOUND, **FAULTY} if f"MARK {name}" in asked}
    found = {f["path"].split("/")[1] for f in findings(plugin) if f["check"] == "frontmatter"}
    assert found == set(FAULTY) and set(SOUND) <= offered and len(found - offered) >= 9


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
    lines = (plugin / "skills/demo/SKILL.md").read_text().split("\n")
    found = {lines[f["line"] - 1][4:-4] for f in findings(plugin)}
    assert found == set(LINES) - kept - MEANT | NOT_REPLACED & kept
