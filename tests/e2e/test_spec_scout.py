"""spec-scout in the real Claude Code: a scripted main agent spawns it, and a scripted scout does what its text says."""

import json
import os
import re

import claude_code
import pytest
from builders import Project
from conftest import ROOT
from install_clients import CLIENTS
from scripted_model import Say, Tool
from spec_author import text_of

MARK = "You find which written document governs"
QUESTION = "what happens on /exit?"
RULE = "Bash(adlc search *)"
FORM = re.compile(r"\*\*Governs:\*\* `(\S+)`, `(\S+)`.*\*\*Story:\*\*.*\*\*Code:\*\* (.*)", re.S)


def story(project: Project) -> Project:
    """The document that mentions the word most is not the one whose story it is."""
    project.node("console", desc="The console and its commands.", code=["src/console.py"],
                 body="# console\n\n## raw source\n\n/exit, /exit and /exit again are words that the console parses; what happens is told elsewhere.\n")
    project.node("console/session", desc="Leaving without losing work.", code=["src/session.py#leave"], related=["src/keys.py"],
                 body="# session\n\n## raw source\n\nA person who types /exit wants to come back tomorrow: the session is kept.\n")
    project.write("src/session.py", "def leave():\n    pass\n")
    project.commit()
    return project


class Scout:
    """Searches, reads two bodies in full, ranks by story, tries to write, and answers in the form.

    spell: a tool's name and arguments as Claude Code has them -> as the client has them.
    """

    def __init__(self, root, spell=lambda tool: tool):
        self.root, self.spell, self.tools, self.answer = root, spell, set(), None

    def __call__(self, request):
        self.tools = {tool["name"] for tool in request["tools"]}
        found = yield self.spell(Tool("Bash", command=f'adlc search --json "{QUESTION}"', description="Search"))
        try:
            # A client can append a reminder of its own to what a command printed.
            results = json.JSONDecoder().raw_decode(found.text)[0]["results"]
        except (ValueError, KeyError):
            self.answer = f"floor unavailable: {found.text[:200]}"
            yield Say(self.answer)
            return
        bodies = {}
        for row in results[:2]:
            bodies[row["path"]] = (yield self.spell(Tool("Read", file_path=str(self.root / row["path"])))).text
        yield self.spell(Tool("Edit", file_path=str(self.root / "src/session.py"), old_string="pass", new_string="return 1"))
        yield self.spell(Tool("Write", file_path=str(self.root / "src/new.py"), content="x\n"))
        path = next(path for path, body in bodies.items() if "come back tomorrow" in body)
        code = re.search(r'code: \["(.*?)"\]', bodies[path])[1]
        row = next(row for row in results if row["path"] == path)
        self.answer = f"**Governs:** `{row['id']}`, `{path}`: leaving.\n\n**Story:** a person wants to come back.\n\n**Code:** {code}"
        yield Say(self.answer)


class Main:
    """Spawns the agent, and is told what it answered."""

    def __init__(self, agent):
        self.agent, self.answer = agent, ""

    def __call__(self, request):
        name = next(tool["name"] for tool in request["tools"] if tool["name"] in ("Agent", "Task"))
        result = yield Tool(name, description="Ask the specs", prompt=QUESTION, subagent_type=self.agent, run_in_background=False)
        self.answer = result.text
        yield Say("told")


class Consulting(Main):
    """Does what the skill consult says of a broad question: asks the agent that it names, then reads the document itself."""

    def __init__(self, root):
        super().__init__(None)
        self.root = root

    def __call__(self, request):
        text = text_of(request)
        part = text[text.index("## A broad question"):]
        (self.agent,) = re.findall(r"sub-agent `([\w:-]+)`", part)
        name = next(tool["name"] for tool in request["tools"] if tool["name"] in ("Agent", "Task"))
        result = yield Tool(name, description="Ask the specs", prompt=QUESTION, subagent_type=self.agent, run_in_background=False)
        self.answer = result.text
        id, path, code = FORM.search(self.answer).groups()
        yield Tool("Read", file_path=str(self.root / path))
        yield Say(f"{id} governs it, {path}.")


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    return claude_code.copy_plugin(tmp_path_factory.mktemp("plugin") / "adlc")


@pytest.fixture(params=CLIENTS["claude"]["versions"])
def ask(request, plugin, data_dir, tmp_path):
    """Asks the question; returns (run, scout, main)."""
    claude_code.installed(request.param)
    project = story(Project(tmp_path / "project"))

    def run(agent="adlc:spec-scout", allowed="", with_plugin=True, settings=None, env=None, prompt=QUESTION, main=None):
        scout, main = Scout(project.root), main or Main(agent)
        if settings is not None:
            # The user's: rules of a project count only once its folder is trusted.
            place = tmp_path / "home/.claude/settings.json"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(settings))
        done = claude_code.run(
            request.param, prompt, main, plugin=plugin if with_plugin else None, home=tmp_path / "home", project=project.root,
            env={"ADLC_DATA_DIR": str(data_dir), "ADLC_CACHE_DIR": str(tmp_path / "cache"), "ADLC_STATE_DIR": str(tmp_path / "state")} | (env or {}),
            allowed=allowed, sources="user,project" if settings is not None else "", agents={MARK: scout},
        )
        return done, scout, main

    run.project = project
    return run


def governed(ask, done, scout, main):
    lane = done.model.lanes[MARK]
    assert lane.requests, "the scout was never asked"
    results = dict.fromkeys(tool.name for tool, _ in lane.calls)
    assert list(results) == ["Bash", "Read", "Edit", "Write"], lane.calls
    by_name = {tool.name: result for tool, result in lane.calls}
    assert not by_name["Bash"].failed and [tool.name for tool, _ in lane.calls].count("Read") == 2
    assert by_name["Edit"].failed and by_name["Write"].failed
    assert not {"Edit", "Write", "NotebookEdit", "Agent", "Task"} & scout.tools and {"Bash", "Read"} <= scout.tools
    assert (ask.project.root / "src/session.py").read_text() == "def leave():\n    pass\n" and not (ask.project.root / "src/new.py").exists()
    id, path, code = FORM.search(main.answer).groups()
    assert (id, path) == ("session", ".spec/console/session/spec.md") and code.startswith("src/session.py#leave")


def test_it_searches_reads_two_bodies_and_answers_in_the_form(ask):
    governed(ask, *ask(allowed=RULE))


def test_the_rule_in_the_settings_suffices(ask):
    governed(ask, *ask(settings={"permissions": {"allow": [RULE]}}))


def test_the_rendered_one_does_the_same_without_the_plugin(ask, adlc):
    done = adlc("materialize", "--harness", "claude", cwd=ask.project.root)
    assert done.code == 0, done
    path = os.pathsep.join([str(ROOT / "bin"), claude_code.environment(ROOT)["PATH"]])
    governed(ask, *ask(agent="spec-scout", with_plugin=False, settings={"permissions": {"allow": [RULE]}}, env={"PATH": path}))


def test_consult_spawns_it_and_its_own_grant_suffices(ask):
    """No rule in any settings: what the skill may run, the agent that it spawns may run."""
    main = Consulting(ask.project.root)
    done, scout, _ = ask(prompt=f"/adlc:consult {QUESTION}", main=main)
    governed(ask, done, scout, main)
    assert main.agent == "adlc:spec-scout" and "session governs it, .spec/console/session/spec.md." in done.said()
    assert any(path.endswith(".spec/console/session/spec.md") for path in done.read_files())
    # What was refused is the scout's attempt to write.
    assert {denial["tool_name"] for denial in done.denied} <= {"Edit", "Write"}


def test_without_the_rule_it_is_refused_and_says_so(ask):
    """A plugin agent's tools grant nothing."""
    done, scout, main = ask()
    assert done.denied and "floor unavailable" in main.answer


def test_f03_without_adlc_the_floor_is_unavailable(ask, adlc):
    assert adlc("materialize", "--harness", "claude", cwd=ask.project.root).code == 0
    done, scout, main = ask(agent="spec-scout", with_plugin=False, settings={"permissions": {"allow": [RULE]}})
    lane = done.model.lanes[MARK]
    assert [tool.name for tool, _ in lane.calls] == ["Bash"] and "not found" in lane.calls[0][1].text
    assert "floor unavailable" in main.answer and "src/session.py" not in main.answer
    system = json.dumps(lane.requests[0]["system"], ensure_ascii=False)
    assert "say `floor unavailable`" in system, "the words come from the agent's own text"
