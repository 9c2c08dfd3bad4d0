"""Each harness' own check accepts the rendered agent, and shows a planted fault: with the real command line clients."""

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
from writing import fences

READ_ONLY = {"read", "grep", "glob", "list", "bash"}


class Place:
    """A project and a home with the rendered agent in both, and the client."""

    def __init__(self, adlc, folder, name):
        (self.version,) = CLIENTS[name]["versions"]
        self.program = program(name, self.version)
        if not self.program.exists():
            if os.environ.get("CI") == "true":
                pytest.fail(f"{name} {self.version} is not installed: run tests/e2e/install_clients.py")
            pytest.skip(f"{name} {self.version} is not installed")
        self.project, self.home = Project(folder / "project"), adlc.home
        self.project.spec()
        self.project.commit()
        level = ["--user"] if name in ("codex", "gemini") else []
        done = adlc("materialize", "--harness", name, *level, "--json", cwd=self.project.root)
        assert done.code == 0, done
        row = next(row for row in done.document["agents"] if row["path"])
        self.agent = (self.home if level else self.project.root) / row["path"]

    def damage(self, before: str, after: str) -> None:
        text = self.agent.read_text()
        assert before in text
        self.agent.write_text(text.replace(before, after))

    def run(self, *arguments, env: dict | None = None):
        path = os.pathsep.join([os.path.dirname(shutil.which("node")), "/usr/bin", "/bin"])
        base = {"HOME": str(self.home), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8", "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            [self.program, *arguments], cwd=self.project.root, env=base | (env or {}), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=240,
        )


@pytest.fixture
def place(adlc, tmp_path):
    return lambda name: Place(adlc, tmp_path, name)


def test_opencode_lists_a_subagent_with_exactly_the_tools_that_read(place):
    opencode = place("opencode")
    shown = json.loads(opencode.run("debug", "agent", "spec-scout").stdout)
    assert shown["mode"] == "subagent" and shown["description"].startswith("Finds the spec")
    allowed = {name for name, on in shown["tools"].items() if on}
    assert allowed <= READ_ONLY and {"read", "bash"} <= allowed, allowed


def test_opencode_does_not_find_a_broken_one(place):
    opencode = place("opencode")
    opencode.damage("mode:", "mode")
    done = opencode.run("debug", "agent", "spec-scout")
    assert done.returncode and "not found" in done.stdout + done.stderr


def test_codex_offers_the_role(place):
    codex = place("codex")
    assert "spec-scout: {\\nFinds the spec" in codex.run("debug", "prompt-input", "hi").stdout


def test_codex_drops_a_role_with_a_field_it_does_not_know(place):
    codex = place("codex")
    codex.damage("name =", "tools = []\nname =")
    assert "spec-scout: {" not in codex.run("debug", "prompt-input", "hi").stdout


@pytest.mark.parametrize("fault, loaded", [(None, True), ("- read_file", False), ("description:", False)])
def test_gemini_reports_no_error_of_loading_and_reports_a_planted_one(place, fault, loaded):
    gemini = place("gemini")
    (gemini.home / ".gemini/settings.json").write_text('{"security":{"folderTrust":{"enabled":false}}}')
    if fault:
        gemini.damage(fault, fault.replace("read_file", "Read").replace("description", "color: red\ndescription"))
    done = gemini.run("skills", "list")
    assert done.returncode == 0
    assert ("Agent loading error" not in done.stderr) is loaded, done.stderr


@pytest.mark.parametrize("fault, listed", [(None, True), ("tools:\n  - read_file\n", False)])
def test_qwen_offers_the_agent_and_drops_a_broken_one(place, fault, listed):
    qwen = place("qwen")
    if fault:
        qwen.damage(fault, 'tools: ["read_file"]\nx:\n')

    def script(request):
        yield Say("hello")

    model = openai_model.Model(script)
    try:
        done = qwen.run("-p", "hi", "--auth-type", "openai", "--openai-api-key", "x", "--openai-base-url", model.url, "--model", "m")
    finally:
        model.end()
    assert done.returncode == 0 and model.requests and model.fault is None, done.stderr
    assert ("**spec-scout**: Finds the spec" in json.dumps(model.requests)) is listed


@pytest.mark.parametrize("fault, listed", [(None, True), ("description:", False)])
def test_copilot_names_the_agent(place, fault, listed):
    copilot = place("copilot")
    if fault:
        copilot.damage(fault, "about:")
    offline = {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:9/v1", "COPILOT_MODEL": "m"}
    done = copilot.run("--agent", "nope", "-p", "hi", env=offline)
    said = done.stdout + done.stderr
    assert re.search(r"No such agent: nope", said), said
    assert ("spec-scout" in said) is listed, said


class Consulting:
    """What the skill says of a broad question where there is no sub-agent: search, read in full, answer."""

    def __init__(self, root):
        self.root, self.skill, self.found = root, "", ""

    def __call__(self, request):
        location = re.search(r"<location>([^<]*/consult/SKILL\.md)</location>", request["system"])[1]
        self.skill = (yield Tool("read", path=location)).text
        line = next(fence for fence in fences(self.skill) if fence.startswith("adlc search"))
        self.found = (yield Tool("bash", command=line.replace("WORDS", "title of the requirement"))).text
        yield Tool("read", path=re.search(r"\.adlc/specs/\S+requirement\.md", self.found)[0])
        yield Say("REQ-001 governs it.")


@pytest.mark.parametrize("fault, listed", [(None, True), ("description:", False)])
def test_pi_offers_the_skill_and_its_main_agent_does_what_it_says(place, adlc, fault, listed):
    pi = place("pi")
    assert pi.agent == pi.project.root / ".agents/skills/consult/SKILL.md"
    if fault:
        pi.damage(fault, "about:")
    script = Consulting(pi.project.root)

    def unoffered(request):
        yield Say("no skill")

    model = openai_model.Model(script if listed else unoffered)
    provider = {"baseUrl": model.url, "api": "openai-completions", "apiKey": "x", "models": [{"id": "m"}],
                "compat": {"supportsDeveloperRole": False, "supportsReasoningEffort": False}}
    (pi.home / ".pi/agent").mkdir(parents=True)
    (pi.home / ".pi/agent/models.json").write_text(json.dumps({"providers": {"scripted": provider}}))
    own = {name: adlc.environment[name] for name in ("ADLC_DATA_DIR", "ADLC_CACHE_DIR", "ADLC_STATE_DIR")}
    path = os.pathsep.join([str(ROOT / "bin"), os.path.dirname(shutil.which("node")), "/usr/bin", "/bin"])
    try:
        done = pi.run("--offline", "--no-session", "--provider", "scripted", "--model", "m", "-p", "hi", env=own | {"PATH": path})
    finally:
        model.end()
    assert done.returncode == 0 and model.requests and model.fault is None, (done.stdout, done.stderr, model.fault)
    assert ("Ask this repository" in json.dumps(model.requests[0])) is listed
    if listed:
        assert "Generated by adlc materialize" in script.skill and "REQ-001" in script.found and "REQ-001 governs it." in done.stdout
