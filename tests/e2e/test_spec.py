"""/adlc:spec in the real Claude Code: a scripted model does what the skill says, with nothing but the skill's own grants."""

import json
import re
import subprocess

import claude_code
import delegating
import pytest
from adlc.cli import VERBS
from builders import Project
from conftest import ROOT
from install_clients import CLIENTS
from spec_author import COLD, Author

TAGS = {"component": "auth", "domain": "identity", "stack": "python", "concerns": "security", "tags": "login"}
REQUEST = "/adlc:spec add password reset. component: auth, domain: identity, stack: python, concerns: security, tags: login"
PRIOR = {"component": "auth", "concerns": ["security"], "domain": "identity", "stack": ["python"], "tags": []}
UNAVAILABLE = "/spec: adlc-read unavailable — Claude reading docs directly"
SUPPRESSED = "Spec corpus suppressed by status filter — see stderr warning (BUG-194)."
DEGRADED = "id allocated without remote verification — verify before PR"


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    return claude_code.copy_plugin(tmp_path_factory.mktemp("plugin") / "adlc")


@pytest.fixture(scope="module")
def server():
    running = delegating.Server()
    yield running
    running.end()


class Place:
    """A set-up project with a remote, and everything that a run in it needs."""

    def __init__(self, version, plugin, data, folder):
        self.version, self.plugin, self.home = version, plugin, folder / "home"
        self.state, self.log = folder / "state", folder / "telemetry.jsonl"
        self.env = {
            "ADLC_DATA_DIR": str(data), "ADLC_CACHE_DIR": str(folder / "cache"), "ADLC_STATE_DIR": str(self.state),
            "ADLC_TELEMETRY_LOG": str(self.log),
        }
        self.project = Project(folder / "work/project")
        self.adlc("init")
        self.project.write(".adlc/context/project-overview.md", "# Project overview\n\n## What it is\n\nA shop.\n")
        self.project.write(".adlc/context/taxonomy.md", "# Taxonomy\n")
        self.project.commit()
        self.project.git("clone", "-q", "--bare", ".", str(folder / "remote.git"))
        self.project.git("remote", "add", "origin", str(folder / "remote.git"))

    def adlc(self, *arguments):
        env = claude_code.environment(self.home) | self.env
        self.home.mkdir(parents=True, exist_ok=True)
        return subprocess.run([self.plugin / "bin/adlc", *arguments], cwd=self.project.root, env=env, capture_output=True, text=True, timeout=60)

    def delegate(self, server, behaviour):
        self.env |= {
            "ADLC_DELEGATE_ENABLED": "1", "ADLC_DELEGATE_BASE_URL": server.url(behaviour), "ADLC_DELEGATE_MODEL": "small",
            "ADLC_DELEGATE_API_KEY_ENV": "TEST_KEY", "TEST_KEY": delegating.KEY,
        }

    def run(self, author, prompt=REQUEST, allowed=""):
        return claude_code.run(
            self.version, prompt, author, plugin=self.plugin, home=self.home, project=self.project.root, env=self.env, allowed=allowed,
        )

    def records(self) -> list[dict]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def corpus(self):
        """One of each kind that matches, and one that must not."""
        lint = "## Lesson\n\nTell.\n"
        self.project.lesson("LESSON-001", title="Silent failures need a signal", body=lint, **PRIOR)
        self.project.bug("BUG-001", title="Reuse of tokens", body="## Description\n\nIt.\n", **PRIOR)
        self.project.spec("REQ-001", title="Login", **PRIOR)
        self.project.spec("REQ-002", title="Draft", status="draft", **PRIOR)


@pytest.fixture(params=CLIENTS["claude"]["versions"])
def place(request, plugin, data_dir, tmp_path):
    claude_code.installed(request.param)
    return Place(request.param, plugin, data_dir, tmp_path)


@pytest.fixture
def delegate_stage(data_dir):
    delegating.install_stage(data_dir)


def finished(place, run, author) -> str:
    """What every completed run has in common; returns the requirement as it is on disk."""
    assert run.code == 0 and run.denied == [], run.denied
    text = (place.project.root / author.path).read_text()
    assert text == author.body
    checked = place.adlc("lint", "specs", author.path)
    assert checked.returncode == 0, checked.stdout
    known = {document["id"] for document in json.loads(place.adlc("list", "--json").stdout)["documents"]}
    assert set(re.findall(r"(?:REQ|BUG|LESSON)-\d+", text.replace(SUPPRESSED, ""))) <= known
    assert run.result("adlc lint specs").failed is False
    assert run.result("adlc update").failed is ("update" not in VERBS)
    found = json.loads(place.adlc("retrieve", "--component", "auth", "--json").stdout)
    assert found["counts"]["spec"]["excluded"].get("draft"), "the new requirement is a draft that a later retrieval sees"
    order = [re.match(r"adlc \w+(?: (?:next|create|read|step|specs))?", line)[0] for line in run.commands()]
    assert order[0] == "adlc retrieve" and order[-3:] == ["adlc id next", "adlc lint specs", "adlc update"]
    assert "Retrieved context for this REQ:" in run.said() and "/validate" in run.said()
    return text


def retrieved_context(text: str) -> str:
    return text.rsplit("## Retrieved Context\n\n", 1)[1]


def test_a_cold_start_is_written_as_one(place):
    author = Author(place.project.root, TAGS)
    run = place.run(author)
    text = finished(place, run, author)
    assert retrieved_context(text) == f"{COLD}\n"
    assert author.id == "REQ-001" and DEGRADED not in text
    assert author.retrieval["outcome"] == "empty" and author.warning is None
    assert not any("gate" in line for line in run.commands()) and not place.log.exists()


def test_prior_art_is_read_by_the_delegate_and_cited(place, server, delegate_stage):
    place.corpus()
    place.delegate(server, "ok")
    author = Author(place.project.root, TAGS, rules=[("A token works once.", ["BUG-001"]), ("Say so.", ["LESSON-001", "REQ-001"])])
    before = len(server.requests)
    run = place.run(author)
    text = finished(place, run, author)
    assert retrieved_context(text).splitlines() == [
        "- LESSON-001 (lesson, score 8): Silent failures need a signal", "- BUG-001 (bug, score 8): Reuse of tokens",
        "- REQ-001 (spec, score 8): Login",
    ]
    assert "(informed by BUG-001)" in text and "(informed by LESSON-001, REQ-001)" in text
    assert author.id == "REQ-003"
    (record,) = place.records()
    assert (record["skill"], record["step"], record["gate"], record["mode"], record["reason"]) == ("spec", "Step-1.6", "pass", "delegated", "ok")
    (request,) = server.requests[before:]
    assert set(re.findall(r'<document id="([^"]*)"', request["messages"][1]["content"])) == {"LESSON-001", "BUG-001", "REQ-001"}
    shown = run.result("adlc delegate read").text
    assert "/spec: delegating bulk retrieval read to the delegate (3 docs)" in shown
    assert "--- BEGIN DELEGATE PROPOSAL (untrusted) ---" in shown
    assert not [path for path in run.read_files() if "LESSON-001" in path or "BUG-001" in path or "REQ-001" in path]


def test_a_model_that_skips_the_delegate_leaves_a_ghost_skip(place, server, delegate_stage):
    place.corpus()
    place.delegate(server, "ok")
    author = Author(place.project.root, TAGS, skip_delegate=True)
    before = len(server.requests)
    finished(place, place.run(author), author)
    (record,) = place.records()
    assert (record["gate"], record["mode"]) == ("pass", "ghost-skip") and len(server.requests) == before
    assert "ghost-skip" in place.adlc("telemetry", "report", "--json").stdout


def test_only_what_the_delegate_left_out_is_read_and_a_forged_citation_is_dropped(place, server, delegate_stage):
    for number in range(1, 21):
        place.project.lesson(f"LESSON-{number:03}", title=f"Lesson {number}", body="## Lesson\n\nTell.\n", **PRIOR)
    place.delegate(server, "forged")
    author = Author(place.project.root, TAGS, rules=[("A token works once.", ["REQ-666666", "LESSON-001"])])
    run = place.run(author)
    text = finished(place, run, author)
    assert [row["id"] for row in author.retrieval["results"]] == [f"LESSON-{number:03}" for number in range(1, 16)]
    assert [path.rsplit("/", 1)[1][:10] for path in run.read_files() if "lessons/" in path] == ["LESSON-014", "LESSON-015"]
    assert "REQ-666666" not in text and "(informed by LESSON-001)" in text
    shown = run.result("adlc delegate read").text
    assert "citation rejected" in shown and "citation ok: LESSON-001" in shown
    assert place.records()[0]["mode"] == "delegated"


def test_a_corpus_of_drafts_is_told_and_not_called_a_cold_start(place):
    for number in (1, 2):
        place.project.spec(f"REQ-00{number}", status="draft", **PRIOR)
    author = Author(place.project.root, TAGS)
    run = place.run(author)
    text = finished(place, run, author)
    warning = (
        "/spec: WARNING — spec corpus has 2 requirement.md files but 0 passed the status filter (statuses seen: draft). Retrieval is running "
        "on lessons+bugs only. This is a filter/vocabulary mismatch, not a cold start — see BUG-194."
    )
    assert author.warning == warning and retrieved_context(text) == f"{SUPPRESSED}\n" and COLD not in text


def test_lessons_stand_beneath_the_suppressed_line(place):
    place.project.spec("REQ-001", status="rejected", **PRIOR)
    place.project.lesson("LESSON-001", title="Tell", body="## Lesson\n\nTell.\n", **PRIOR)
    author = Author(place.project.root, TAGS)
    run = place.run(author)
    text = (place.project.root / author.path).read_text()
    assert run.denied == [] and retrieved_context(text) == f"{SUPPRESSED}\n- LESSON-001 (lesson, score 8): Tell\n"


def test_without_opting_in_nothing_is_sent_and_the_documents_are_read_directly(place, server, delegate_stage):
    place.corpus()
    place.delegate(server, "ok")
    del place.env["ADLC_DELEGATE_ENABLED"]
    author = Author(place.project.root, TAGS)
    before = len(server.requests)
    run = place.run(author)
    finished(place, run, author)
    gate = run.result("adlc gate")
    assert gate.failed and "gate 1 not-opted-in" in gate.text and gate.text.count(UNAVAILABLE) == 1
    assert len(server.requests) == before and not any("delegate read" in line for line in run.commands())
    assert [path.rsplit("/", 1)[1] for path in run.read_files() if ".adlc/bugs" in path or "lessons" in path] == ["LESSON-001-slug.md", "BUG-001-slug.md"]
    (record,) = place.records()
    assert (record["gate"], record["mode"], record["reason"]) == ("fail", "fallback", "not-opted-in")


def test_a_veto_is_told_in_its_own_words(place):
    place.corpus()
    place.env |= {"ADLC_DISABLE_DELEGATE": "1"}
    run = place.run(Author(place.project.root, TAGS))
    assert "/spec: adlc-read disabled via ADLC_DISABLE_DELEGATE — Claude reading docs directly" in run.result("adlc gate").text


def test_a_failed_call_falls_back_and_is_told_once(place, server, delegate_stage):
    place.corpus()
    place.delegate(server, "refused")
    author = Author(place.project.root, TAGS)
    run = place.run(author)
    finished(place, run, author)
    failed = run.result("adlc delegate read")
    assert failed.failed and failed.text.count("/spec: adlc-read failed — Claude reading docs directly") == 1 and UNAVAILABLE not in failed.text
    assert place.records()[0]["reason"] == "api-error" and len([p for p in run.read_files() if "-slug" in p]) == 3


def test_an_unreachable_remote_does_not_stop_the_requirement(place, tmp_path):
    place.project.git("remote", "set-url", "origin", str(tmp_path / "gone.git"))
    author = Author(place.project.root, TAGS)
    run = place.run(author)
    text = finished(place, run, author)
    assumptions = text.split("## Assumptions\n\n")[1].split("\n\n")[0]
    assert f"- {DEGRADED}" in assumptions.splitlines() and author.id == "REQ-001"


def test_the_second_requirement_cites_the_first_one_and_its_lesson(place):
    first = Author(place.project.root, TAGS)
    place.run(first)
    path = place.project.root / first.path
    path.write_text(path.read_text().replace("status: draft", "status: complete"))
    place.project.lesson("LESSON-001", title="Links are opened by machines", body="## Lesson\n\nTell.\n", updated="2026-01-01", **PRIOR)
    second = Author(place.project.root, TAGS, rules=[("As before.", [first.id]), ("A button confirms.", ["LESSON-001"])])
    run = place.run(second)
    assert run.denied == [] and second.id == "REQ-002" and run.result("adlc lint specs").failed is False
    assert f"(informed by {first.id})" in second.body and "(informed by LESSON-001)" in second.body
    assert retrieved_context(second.body).splitlines() == [
        f"- {first.id} (spec, score 9): Password reset", "- LESSON-001 (lesson, score 8): Links are opened by machines",
    ]


def test_the_skills_grants_are_narrow_and_what_lies_outside_is_denied(place):
    """Positive control: the client does enforce the grants under which the other runs had no denied call."""
    from scripted_model import Tool

    skill = (ROOT / "skills/spec/SKILL.md").read_text()
    grants = re.search(r'^allowed-tools: "(.*)"$', skill, re.M)[1]
    names = re.findall(r"(\w+)(?:\(([^)]*)\))?", grants)
    assert "Bash" in dict(names) and all(pattern not in ("", "*") for _, pattern in names)

    def script(_):
        yield Tool("Bash", command="touch x", description="x")
        yield Tool("Write", file_path=f"{place.project.root}/src.py", content="x")
        yield Tool("Read", file_path=f"{place.home.parent}/secret")

    (place.home.parent / "secret").write_text("x")
    run = place.run(script)
    assert [denial["tool_name"] for denial in run.denied] == ["Bash", "Write", "Read"]
    assert not (place.project.root / "x").exists() and not (place.project.root / "src.py").exists()


def test_without_an_overview_it_asks_for_init(place):
    (place.project.root / ".adlc/context/project-overview.md").unlink()
    author = Author(place.project.root, TAGS)
    run = place.run(author)
    assert "/adlc:init" in run.said() and author.id is None and run.commands() == []
