"""The lifecycle skills in the real Claude Code: from a requirement to one that knows what was learned, and a bug's way."""

import json
import re

import pytest
from lifecycle_author import TODAY, Architect, Bugfix, Quick, Status, Validate, Wrapup
from spec_author import Author
from test_spec import REQUEST, TAGS, place, plugin  # noqa: F401  fixtures

LESSON = ("A thing that works once is taken and checked in one step", "Whoever looks first and takes later is overtaken.")


@pytest.fixture
def asked(place):  # noqa: F811
    """Runs one skill to its end with nothing but its own grants, unless `allowed` says more."""
    def run(script, prompt, allowed=""):
        done = place.run(script, prompt, allowed)
        assert done.code == 0 and done.denied == [], done.denied
        # These two answer with their exit code: no delegate, no index yet.
        failed = [
            (tool.name, tool.arguments, result) for tool, result in done.model.calls
            if result.failed and not tool.arguments.get("command", "").startswith(("adlc gate", "adlc context"))
        ]
        assert failed == []
        return done

    run.place = place
    return run


def listed(place) -> dict:  # noqa: F811
    return {row["id"]: row["status"] for row in json.loads(place.adlc("list", "--json").stdout)["documents"]}


def last_command(run) -> str:
    return run.commands()[-1]


def test_a_requirement_is_validated_designed_finished_and_its_lesson_reaches_the_next_one(asked):
    place = asked.place
    root = place.project.root
    place.project.write("src/reset.py", "TOKENS = {}\n")
    first = Author(root, TAGS)
    asked(first, REQUEST)
    assert listed(place) == {first.id: "draft"}

    before = (root / first.path).read_bytes()
    run = asked(Validate(root, TAGS), "/adlc:validate")
    assert "Verdict: ready" in run.said() and (root / first.path).read_bytes() == before

    architect = Architect(root)
    run = asked(architect, f"/adlc:architect {first.id}: validate said that it is ready, and building follows")
    assert architect.states == ["approved", "in-progress"] and last_command(run) == "adlc update --quiet"
    assert (root / first.path.replace("requirement", "design")).exists()

    wrapup = Wrapup(root, TAGS, LESSON)
    run = asked(wrapup, f"/adlc:wrapup {first.id}")
    assert last_command(run) == "adlc update --quiet"
    assert listed(place) == {first.id: "complete", wrapup.lesson_id: ""}
    assert f"{wrapup.base}/references/lesson.md" in run.read_files()

    second = Author(root, TAGS, title="Confirming an address", rules=[("A link works once.", [wrapup.lesson_id]), ("It ends.", [first.id])])
    run = asked(second, REQUEST.replace("password reset", "address confirmation"))
    assert {row["id"] for row in second.retrieval["results"]} == {first.id, wrapup.lesson_id}
    text = (root / second.path).read_text()
    assert f"(informed by {wrapup.lesson_id})" in text and f"(informed by {first.id})" in text
    assert place.adlc("lint", "specs").returncode == 0, place.adlc("lint", "specs").stdout
    assert json.loads(place.adlc("index", "rebuild", "--check", "--json").stdout)["state"] == "fresh"


def test_a_bug_is_fixed_resolved_and_retrieved(asked):
    place = asked.place
    root = place.project.root
    place.project.write("src/reset.py", "TOKENS = {'t': 1}\n\n\ndef use(token):\n    return token in TOKENS\n")
    place.project.write("src/test_reset.py", "import reset\n\nassert reset.use('t') and not reset.use('t')\n")
    bugfix = Bugfix(root, TAGS, LESSON)
    # The code and its tests are the user's to allow; the skill grants neither.
    run = asked(bugfix, "/adlc:bugfix a reset link works twice", "Edit(src/**) Bash(python3 src/test_reset.py)")
    assert bugfix.states[0] == "in-progress" and bugfix.states[-1] == "resolved"
    assert last_command(run) == "adlc update --quiet"
    assert listed(place) == {bugfix.id: "resolved", bugfix.lesson_id: ""}
    assert place.adlc("lint", "specs").returncode == 0, place.adlc("lint", "specs").stdout

    author = Author(root, TAGS, rules=[("A link works once.", [bugfix.id])])
    asked(author, REQUEST)
    assert [row["id"] for row in author.retrieval["results"]] == [bugfix.lesson_id, bugfix.id]
    assert f"(informed by {bugfix.id})" in (root / author.path).read_text()


def test_what_a_finished_requirement_replaces_is_no_prior_art_any_more(asked):
    place = asked.place
    root = place.project.root
    for id, status in (("REQ-001", "complete"), ("REQ-002", "in-progress")):
        author = Author(root, TAGS)
        asked(author, REQUEST)
        assert author.id == id
        (root / author.path).write_text((root / author.path).read_text().replace("status: draft", f"status: {status}"))
        place.project.write(author.path.replace("requirement", "design"), "# Design\n\n## Tasks\n\n- [ ] T-1: Build.\n")
    old = ".adlc/specs/REQ-001-password-reset/requirement.md"
    asked(Wrapup(root, TAGS, replaces=old), "/adlc:wrapup REQ-002")
    assert listed(place) == {"REQ-001": "superseded", "REQ-002": "complete"}
    found = json.loads(place.adlc("retrieve", "--component", "auth", "--json").stdout)
    assert [row["id"] for row in found["results"]] == ["REQ-002"] and found["counts"]["spec"]["excluded"] == {"superseded": 1}
    assert place.adlc("lint", "specs").returncode == 0, place.adlc("lint", "specs").stdout


def test_validate_sees_what_was_learned_after_the_requirement_was_written(asked):
    place = asked.place
    author = Author(place.project.root, TAGS)
    asked(author, REQUEST)
    place.project.lesson("LESSON-001", title="Tell", body="## Lesson\n\nTell.\n", component="auth", domain="identity", stack=[], concerns=[], tags=[])
    script = Validate(place.project.root, TAGS)
    run = asked(script, "/adlc:validate")
    assert script.newer == ["LESSON-001"] and any("LESSON-001" in path for path in run.read_files())


def test_without_the_users_word_bugfix_may_not_touch_the_code(place):  # noqa: F811
    place.project.write("src/reset.py", "TOKENS = {'t': 1}\n\n\ndef use(token):\n    return token in TOKENS\n")
    run = place.run(Bugfix(place.project.root, TAGS), "/adlc:bugfix a reset link works twice")
    assert re.findall(r"src/\S+reset\.py", str(run.denied)) and "return token in TOKENS" in (place.project.root / "src/reset.py").read_text()


@pytest.fixture
def governed(place):  # noqa: F811
    """A mail with a requirement over it that is complete, and a design that is under way."""
    body = "## Description\n\nThe reset mail.\n\n## Business Rules\n\n- BR-1: The mail names the hour at which the link ends.\n"
    path = place.project.spec("REQ-001", title="The reset mail and its wording", body=body, component="auth", scope=["src/mail.py"])
    place.project.write("src/mail.py", "TEXT = 'Hallo, the link ends at {hour}'\n")
    place.project.write(".adlc/specs/REQ-002-x/design.md", "# Design\n\n## Tasks\n\n- [ ] T-1: Build.\n")
    place.project.spec("REQ-002", folder="REQ-002-x", status="in-progress", component="other")
    return path


def test_a_small_change_leaves_a_line_and_what_governs_it_fresh(asked, governed):
    place = asked.place
    script = Quick(place.project.root, ("src/mail.py", "Hallo", "Hello"), "greeting")
    run = asked(script, "/adlc:quick the mail says Hallo", "Edit(src/**)")
    assert not script.stopped and "Hello" in (place.project.root / "src/mail.py").read_text()
    assert f"{TODAY}: wording" in (place.project.root / ".adlc/changes.md").read_text()
    assert f"reviewed: {TODAY}" in governed.read_text() and last_command(run) == "adlc update --quiet"
    # The code is committed after the documents, so that only `reviewed` can say that this was seen.
    place.project.git("add", ".adlc")
    place.project.git("commit", "-q", "-m", "documents")
    place.project.commit()
    assert json.loads(place.adlc("show", "REQ-001", "--json").stdout)["staleness"] | {"why": ""} == {"state": "fresh", "commits": 0, "why": ""}


def test_a_change_of_a_rule_stops_and_is_handed_over(asked, governed):
    place = asked.place
    script = Quick(place.project.root, ("src/mail.py", " at {hour}", ""), "the hour at which the link ends")
    before = governed.read_bytes()
    run = asked(script, "/adlc:quick drop the hour from the mail", "Edit(src/**)")
    assert script.stopped and "BR-1" in run.said() and "/adlc:spec" in run.said()
    assert "{hour}" in (place.project.root / "src/mail.py").read_text() and governed.read_bytes() == before
    assert not (place.project.root / ".adlc/changes.md").exists()


def test_status_only_reads(place, governed):  # noqa: F811
    place.project.commit()
    script = Status(place.project.root)
    run = place.run(script, "/adlc:status")
    assert run.denied == [] and script.listed.splitlines()[0] == "REQ-002  Title of REQ-002  [in-progress]"
    assert "no section '## Description'" in script.linted.text and script.index.failed, "an index was never made"
    assert any(path.endswith("design.md") for path in run.read_files())
    assert place.project.git("status", "--porcelain") == ""
