"""Which skill a name without the plugin's prefix starts in the real Claude Code, where the client has a command of that name."""

import json

import pytest
from claude_code import CHECKOUT, run
from scripted_model import Say, Tool

from adlc.installation import source

CLIENTS = json.loads((CHECKOUT / "tests/e2e/clients.json").read_text())
OWN_INIT = "analyze this codebase"


def conversation(body):
    yield Tool("Bash", command="true", description="nothing")
    yield Say("done")


def told(version, name, folder) -> str:
    """What the model is told when the user types /NAME. folder: its `.claude` is the client's."""
    (folder / "project").mkdir()
    done = run(
        version, f"/{name}", conversation, plugin=None, home=folder, project=folder / "project", env={}, allowed="Bash(true)", sources="user",
    )
    return json.dumps(done.model.requests[0]["messages"])


@pytest.mark.parametrize("version", CLIENTS["claude"]["versions"])
@pytest.mark.parametrize("name", source.CLIENTS_OWN)
def test_a_linked_skill_wins_over_the_clients_own_command(version, name, tmp_path):
    (tmp_path / ".claude/skills").mkdir(parents=True)
    (tmp_path / ".claude/skills" / name).symlink_to(CHECKOUT / "skills" / name)
    text = told(version, name, tmp_path)
    assert f"# {name.capitalize()}" in text and OWN_INIT not in text


@pytest.mark.parametrize("version", CLIENTS["claude"]["versions"])
def test_without_the_skill_the_clients_own_is_started(version, tmp_path):
    assert OWN_INIT in told(version, "init", tmp_path)
