"""spec-scout as rendered, in the real opencode: the scripted main agent gives it a task, and it can only read."""

import json
import os
import re
import shutil
import subprocess

import openai_model
import pytest
from builders import Project
from conftest import ROOT
from install_clients import CLIENTS, program
from scripted_model import Say, Tool
from test_spec_scout import FORM, MARK, QUESTION, Scout, story

_ARGUMENTS = {"file_path": "filePath", "old_string": "oldString", "new_string": "newString"}


def spell(tool: Tool) -> Tool:
    return Tool(tool.name.lower(), **{_ARGUMENTS.get(name, name): value for name, value in tool.arguments.items()})


@pytest.fixture
def ask(adlc, tmp_path, data_dir):
    (version,) = CLIENTS["opencode"]["versions"]
    client = program("opencode", version)
    if not client.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"opencode {version} is not installed: run tests/e2e/install_clients.py")
        pytest.skip(f"opencode {version} is not installed")
    project = story(Project(tmp_path / "project"))
    assert adlc("materialize", "--harness", "opencode", cwd=project.root).code == 0

    def run(with_adlc=True):
        answers = []

        def main(request):
            result = yield Tool("task", description="Ask the specs", prompt=QUESTION, subagent_type="spec-scout")
            answers.append(result.text)
            yield Say("told")

        scout = Scout(project.root, spell)
        model = openai_model.Model(main, {MARK: scout})
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": model.url, "apiKey": "x"}, "models": {"m": {"name": "m"}}}
        settings = {"provider": {"scripted": provider}, "model": "scripted/m", "small_model": "scripted/m", "autoupdate": False, "share": "disabled"}
        place = adlc.home / ".config/opencode/opencode.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(settings))
        path = [*([str(ROOT / "bin")] if with_adlc else []), os.path.dirname(shutil.which("node")), "/usr/bin", "/bin"]
        env = {
            "HOME": str(adlc.home), "PATH": os.pathsep.join(path), "TERM": "dumb", "LANG": "C.UTF-8", "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1",
            "ADLC_DATA_DIR": str(data_dir), "ADLC_CACHE_DIR": str(tmp_path / "cache"), "ADLC_STATE_DIR": str(tmp_path / "state"),
            "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
        }
        try:
            done = subprocess.run(
                [client, "run", "--format", "json", QUESTION], cwd=project.root, env=env, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=240,
            )
        finally:
            model.end()
        assert done.returncode == 0 and model.fault is None, (model.fault, done.stdout[-2000:], done.stderr[-2000:])
        assert len(answers) == 1, "the main agent was given no answer"
        return model.lanes[MARK], scout, answers[0]

    run.project = project
    return run


def test_it_searches_reads_two_bodies_answers_in_the_form_and_cannot_write(ask):
    lane, scout, answer = ask()
    calls = [tool.name for tool, _ in lane.calls]
    assert calls == ["bash", "read", "read", "edit", "write"], lane.calls
    assert scout.tools == {"bash", "read", "grep", "glob"}
    assert all("unavailable tool" in result.text for _, result in lane.calls[3:]), lane.calls
    assert (ask.project.root / "src/session.py").read_text() == "def leave():\n    pass\n" and not (ask.project.root / "src/new.py").exists()
    id, path, code = FORM.search(answer).groups()
    assert (id, path) == ("session", ".spec/console/session/spec.md") and code.startswith("src/session.py#leave")


def test_without_adlc_the_floor_is_unavailable(ask):
    lane, _, answer = ask(with_adlc=False)
    assert [tool.name for tool, _ in lane.calls] == ["bash"] and re.search("not found", lane.calls[0][1].text)
    assert "floor unavailable" in answer and "src/session.py" not in answer
