"""What makes a spec thin or broken, told by adlc show."""

import pytest

from builders import document

RULES = "## Description\n\nWhat it is for.\n\n## Business Rules\n\n- BR-1: One.\n- BR-2: Two.\n"
GOOD = RULES + "\n## Acceptance Criteria\n\n- [ ] AC-1: Seen.\n"
OPENSPEC = "# login\n\n## Purpose\nSign people in.\n\n## Requirements\n\n"
SCENARIO = "\n#### Scenario: it works\n- **WHEN** a\n- **THEN** b\n\n"


def shown(adlc, name: str) -> tuple[str, list[str]]:
    found = adlc("show", name, "--json").document
    return found["health"], [finding["kind"] for finding in found["findings"]]


@pytest.mark.parametrize("body, fields, expected", [
    (GOOD, {}, ("good", [])),
    (GOOD, {"scope": ["src/", "tests/"]}, ("good", [])),
    ("## Description\n\nWords only.\n", {}, ("broken", ["no_requirement"])),
    ("", {}, ("broken", ["no_requirement", "placeholder"])),
    (RULES, {}, ("thin", ["unchecked"])),
    (GOOD.replace("What it is for.", "TBD - written later"), {}, ("thin", ["placeholder"])),
    (GOOD.replace("Two.", "TBD"), {}, ("thin", ["placeholder"])),
    (GOOD + "\nThe limit is [NEEDS CLARIFICATION: which?].\n", {}, ("thin", ["placeholder"])),
    (GOOD + "\nA purpose of `TBD` is none.\n", {}, ("good", [])),
    (GOOD.replace("Two.", "One."), {}, ("thin", ["duplicate_title"])),
    (GOOD, {"scope": ["**"]}, ("thin", ["wide_scope"])),
    (GOOD, {"scope": ["./"]}, ("thin", ["wide_scope"])),
    (GOOD, {"scope": [f"src/{n}.py" for n in range(80)]}, ("thin", ["wide_scope"])),
    (GOOD + "\n" + "long text " * 7000, {}, ("thin", ["over_long"])),
    (GOOD, {"related": ["REQ-404"]}, ("thin", ["dangling_related"])),
    (GOOD, {"related": ["req-001", "[[REQ-001]]", "src/a.py", "https://x.example/y"]}, ("good", [])),
])
def test_the_health_of_a_requirement(adlc, project, body, fields, expected):
    project.spec("REQ-001", body=body, **fields)
    assert shown(adlc, "REQ-001") == expected


@pytest.mark.parametrize("path, text, expected", [
    ("openspec/specs/login/spec.md", OPENSPEC + "### Requirement: One\nIt SHALL.\n" + SCENARIO, ("good", [])),
    ("openspec/specs/login/spec.md", OPENSPEC + "### Requirement: One\nIt SHALL when asked.\n", ("thin", ["unchecked"])),
    ("openspec/specs/login/spec.md", "# login\n\n## Purpose\nSign in.\n", ("broken", ["no_requirement"])),
    ("openspec/specs/login/spec.md", OPENSPEC.replace("Sign people in.", "TBD - created by archiving") + "### Requirement: One\nIt SHALL.\n" + SCENARIO, ("thin", ["placeholder"])),
    ("docs/adr/0001-login.md", "# 1. Login\n\n## Status\nAccepted\n\n## Context\nWe need it.\n\n## Decision\nDo it.\n", ("good", [])),
    (".spec/login/spec.md", document("Words that govern.", title="login", desc="For signing in."), ("good", [])),
    (".kiro/specs/login/requirements.md", "# Login\n\n## Introduction\nSign in.\n\n## Requirements\n\n### Requirement 1: Enter\n\n#### Acceptance Criteria\n\n1. WHEN a THEN b SHALL c\n", ("good", [])),
    (".kiro/specs/login/requirements.md", "# Login\n\n## Introduction\nSign in.\n\n## Requirements\n\n### Requirement 1: Enter\n\nAs a user.\n", ("thin", ["unchecked"])),
])
def test_the_health_in_other_layouts(adlc, project, path, text, expected):
    project.write(path, text)
    assert shown(adlc, path) == expected


def test_a_sound_spec_whose_code_moved_on_is_stale_and_an_unsound_one_is_what_it_is(adlc, project):
    project.spec("REQ-001", body=GOOD, scope=["src/a.py"])
    project.spec("REQ-002", body=RULES, scope=["src/a.py"])
    project.write("src/a.py", "1")
    project.commit("2026-03-01T12:00:00Z")
    assert shown(adlc, "REQ-001") == ("good", [])
    project.write("src/a.py", "2")
    project.commit("2026-03-02T12:00:00Z")
    assert shown(adlc, "REQ-001") == ("stale", []) and shown(adlc, "REQ-002") == ("thin", ["unchecked"])
    staleness = adlc("show", "REQ-001", "--json").document["staleness"]
    assert (staleness["state"], staleness["commits"]) == ("stale", 1)
    assert "health: stale\nstaleness: stale (1 commit to" in adlc("show", "REQ-001").text


def test_lessons_and_bugs_have_no_requirements_to_lack(adlc, project):
    project.lesson("LESSON-001", body="Write it down.")
    project.bug("BUG-001", body="It broke. TODO: more.")
    assert shown(adlc, "LESSON-001") == shown(adlc, "BUG-001") == ("good", [])


def test_findings_name_the_parts(adlc, project):
    project.write("openspec/specs/login/spec.md", OPENSPEC + "".join(f"### Requirement: Part {n}\nIt SHALL.\n\n" for n in range(5)))
    (finding,) = adlc("show", "login", "--json").document["findings"]
    assert finding["message"] == "5 of 5 requirements have no scenario or criterion: part-0, part-1, part-2 and 2 more"
    assert "health: thin; 5 of 5 requirements" in adlc("show", "login").text
