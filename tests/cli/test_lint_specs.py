"""adlc lint specs: each check fails on its planted fault and is silent on what looks like one."""

import os

import pytest

from builders import document
from conftest import ROOT

SPEC = ".adlc/specs/REQ-010-reset/requirement.md"
FIELDS = {
    "id": "REQ-010", "title": "Password reset", "status": "draft", "deployable": "true", "created": "2026-05-01", "updated": "2026-05-02",
    "component": "auth", "domain": "identity", "stack": ["python"], "concerns": ["security"], "tags": ["email"],
}
BODY = """# Password reset

## Description

People forget passwords.

## System Model

### Entities

- Token: hash, expiry

## Business Rules

- BR-1: A token works once. (informed by BUG-001)
- BR-2: A token ends after an hour, whatever the clock
  of the client says. (informed by LESSON-001,
  REQ-001)

## Acceptance Criteria

- [ ] AC-1: The second use is refused. (BR-1)
- [x] AC-2: After 61 minutes it is refused. (BR-2)

## External Dependencies

- None.

## Assumptions

- Mail arrives.

## Open Questions

- None.

## Out of Scope

- Text messages.

## Retrieved Context

- LESSON-001 (lesson, score 5): Silent failures (and loud ones): a comparison
- BUG-001 (bug, score 5): Reuse of tokens
- REQ-001 (spec, score 3): Login
"""
PROVENANCE = """## Provenance

- Source: `standup-2026-08-27.txt` (kind: transcript)
- Intake date: 2026-08-27

| Section | Severity | Gap | Disposition |
|---|---|---|---|
| System Model | blocking | Who may archive \\| restore? | answered |
| Business Rules | assumption | Does archiving cascade? | assumed |
| Acceptance Criteria | blocking | What does the UI show meanwhile? | open |

"""
INTAKE = (
    BODY.replace("## Retrieved", PROVENANCE + "## Retrieved")
    .replace("- Mail arrives.", "- Mail arrives.\n- Does archiving cascade? — assumed: it is shallow. (intake gap: Business Rules)")
    .replace("## Open Questions\n\n- None.", "## Open Questions\n\n- [ ] What does the UI show\n  meanwhile? (intake gap: Acceptance Criteria — blocking, unanswered at intake)")
)
NO_GAPS = BODY.replace("## Retrieved", PROVENANCE.rsplit("\n|", 3)[0] + "\n\n_No gaps identified._\n\n## Retrieved")


@pytest.fixture
def others(project):
    """What the specimen cites, all of it clean."""
    tags = {"component": "auth", "domain": "identity", "stack": ["python"], "concerns": ["security"], "tags": []}
    project.lesson("LESSON-001", body="## Lesson\n\nTell.", **tags)
    project.bug("BUG-001", body="## Description\n\nIt.\n\n## Root Cause\n\nThat.\n\n## Resolution\n\nThis.", **tags)
    body = BODY.replace("(informed by BUG-001)", "").replace("(informed by LESSON-001,\n  REQ-001)", "")
    body = body[: body.index("- LESSON-001 (lesson")] + "No prior context retrieved — no tagged documents matched this area.\n"
    project.write(".adlc/specs/REQ-001-login/requirement.md", document(body, **FIELDS | {"id": "REQ-001"}))
    return project


def findings(result) -> list[str]:
    return [f"{f['check']}: {f['message']}" for f in result.document["findings"]]


def specimen(project, body=BODY, **fields):
    return project.write(SPEC, document(body, **FIELDS | fields))


@pytest.mark.parametrize("body", [BODY, INTAKE, NO_GAPS], ids=["plain", "intake", "no gaps"])
def test_a_sound_document_is_clean(adlc, others, body):
    specimen(others, body)
    result = adlc("lint", "specs")
    assert result.code == 0 and result.out == b"" and result.talk == "adlc: 4 documents examined, 0 findings\n", result


SUPPRESSED = "Spec corpus suppressed by status filter — see stderr warning (BUG-194)."
COLD = "No prior context retrieved — no tagged documents matched this area."
LISTED = BODY[BODY.index("- LESSON-001 (lesson"):]
FAULTS = [
    # check, change of the text, words of the message
    ("frontmatter", ("status: \"draft\"\n", ""), "status is missing"),
    ("frontmatter", ("deployable: \"true\"\n", ""), "deployable is missing"),
    ("frontmatter", ("title: \"Password reset\"", "title: \"<what the feature does>\""), "still the template's"),
    ("frontmatter", ("stack: [\"python\"]\n", ""), "stack is missing"),
    ("frontmatter", ("id: \"REQ-010\"", "id: REQ-10"), "three to six digits"),
    ("frontmatter", ("id: \"REQ-010\"", "id: REQ-0101"), "does not fit the name"),
    ("frontmatter", ("title: \"Password reset\"", "title: Reset: the password"), "not strict YAML"),
    ("frontmatter", ("status: \"draft\"", "status: [draft, complete]"), "status is a list"),
    ("frontmatter", ("---\nid", "id"), "no frontmatter"),
    ("frontmatter", ("stack: [\"python\"]", "stack: [\"python\""), "cannot be read"),
    ("dates", ("created: \"2026-05-01\"\n", ""), "created is missing"),
    ("dates", ("created: \"2026-05-01\"\nupdated: \"2026-05-02\"\n", ""), "undated"),
    ("dates", ("2026-05-02", "soon"), "'soon' is not a date"),
    ("dates", ("2026-05-02", "2026-02-30"), "is not a date"),
    ("dates", ("2026-05-02", "2026-04-30"), "is before created"),
    ("sections", ("## Assumptions\n\n- Mail arrives.\n\n", ""), "no section '## Assumptions'"),
    ("sections", ("- Mail arrives.\n", ""), "'## Assumptions' is empty"),
    ("sections", ("- Mail arrives.\n", "<!-- later -->\n"), "'## Assumptions' is empty"),
    ("sections", ("## Retrieved Context", "## Description\n\nMore.\n\n## Retrieved Context"), "already at line"),
    ("sections", ("## Out of Scope\n\n- Text messages.\n\n", "## Out of Scope\n\n- Text messages.\n\n## Open Questions\n\n- x\n\n"), "already at line"),
    ("sections", ("## Assumptions\n\n- Mail arrives.\n\n## Open Questions\n\n- None.\n", "## Open Questions\n\n- None.\n\n## Assumptions\n\n- Mail arrives.\n"), "stands after '## Open Questions'"),
    ("sections", ("- REQ-001 (spec, score 3): Login\n", "- REQ-001 (spec, score 3): Login\n\n## Notes\n\nx\n"), "not the last section"),
    ("sections", ("- Mail arrives.", "- <what is taken to be true>"), "template's"),
    ("sections", ("# Password reset\n", "# <title>\n"), "template's <title>"),
    ("numbering", ("- BR-2: ", "- "), "has no number: BR-2"),
    ("numbering", ("- BR-2: ", "- BR-3: "), "BR-3 follows BR-1"),
    ("numbering", ("- BR-2: ", "- BR-1: "), "BR-1 was already at line"),
    ("numbering", ("- BR-1: ", "- BR-2: "), "BR-2 follows nothing"),
    ("numbering", ("- [x] AC-2: ", "- AC-2: "), "is a checkbox"),
    ("numbering", ("- [x] AC-2: ", "- [x] "), "has no number: AC-2"),
    ("citations", ("BUG-001)", "BUG-002)"), "cites BUG-002, which does not exist"),
    ("citations", ("BUG-001)", "BUG-1)"), "cites BUG-1, which is no id"),
    ("citations", ("BUG-001)", "bug-001)"), "is no id"),
    ("citations", ("BUG-001)", "REQ-1234567)"), "is no id"),
    ("citations", ("BUG-001)", "REQ-00\N{ARABIC-INDIC DIGIT ONE})"), "is no id"),
    ("citations", ("BUG-001)", "BUG-001 and REQ-001)"), "is no id"),
    ("citations", ("BUG-001)", "BUG-001; rm)"), "is no id"),
    ("citations", ("BUG-001)", "REQ-010)"), "cites itself"),
    ("citations", ("(informed by BUG-001)", "(informed by )"), "cites nothing"),
    ("citations", ("  REQ-001)", "  REQ-404)"), "cites REQ-404"),
    ("references", ("(BR-1)", "(BR-7)"), "BR-7 is not defined"),
    ("references", ("- Mail arrives.", "- [Mail](../REQ-404-mail/requirement.md) arrives."), "links to"),
    ("references", ("- Mail arrives.", "- [Mail](../../../../outside.md) arrives."), "links to"),
    ("references", ("tags: [", "related: [REQ-404]\ntags: ["), "related names REQ-404"),
    ("retrieved", ("(spec, score 3)", "(spec, 3)"), "is neither"),
    ("retrieved", ("- REQ-001 (spec,", "- REQ-404 (spec,"), "lists REQ-404, which does not exist"),
    ("retrieved", ("- REQ-001 (spec,", "- REQ-001 (bug,"), "REQ-001 is no bug"),
    ("retrieved", ("- REQ-001 (spec,", "- REQ-010 (spec,"), "lists the document itself"),
    ("retrieved", ("- REQ-001 (spec,", "- BUG-001 (bug,"), "listed twice"),
    ("retrieved", ("- LESSON-001 (lesson, score 5)", "- LESSON-001 (lesson, score 0)"), "is neither"),
    ("retrieved", ("- LESSON-001 (lesson", f"{COLD}\n- LESSON-001 (lesson"), "says that nothing was retrieved"),
    ("retrieved", (LISTED, f"{COLD}\n{SUPPRESSED}\n"), "stands alone"),
    ("retrieved", (LISTED, f"{SUPPRESSED.rstrip('.')}\n"), f"write exactly: {SUPPRESSED}"),
    ("retrieved", (LISTED, f"- {COLD}\n"), f"write exactly: {COLD}"),
    ("retrieved", (LISTED, LISTED + SUPPRESSED + "\n"), "stands alone, before any document"),
    ("provenance", ("- Mail arrives.", "- Mail? (intake gap: Assumptions)"), "there is no '## Provenance'"),
]
INTAKE_FAULTS = [
    ("provenance", ("`standup-2026-08-27.txt`", "`/home/me/standup.txt`"), "base name only"),
    ("provenance", ("(kind: transcript)", "(kind: podcast)"), "has no line - Source"),
    ("provenance", ("- Intake date: 2026-08-27\n", ""), "has no line - Intake date"),
    ("provenance", ("Intake date: 2026-08-27", "Intake date: 2026-13-27"), "has no line - Intake date"),
    ("provenance", ("| Section | Severity |", "| Section | Weight |"), "header is not"),
    ("provenance", ("| blocking | Who", "| severe | Who"), "severity 'severe'"),
    ("provenance", ("cascade? | assumed |", "cascade? | guessed |"), "disposition 'guessed'"),
    ("provenance", ("| Business Rules | assumption", "| Rules | assumption"), "no section '## Rules'"),
    ("provenance", ("| Does archiving cascade? |", "| Does archiving ever cascade? |"), "does not have it word for word"),
    ("provenance", ("- [ ] What does the UI", "- What does the UI"), "an open gap is a checkbox"),
    ("provenance", ("What does the UI show meanwhile? | open", "What does the UI show meanwhile? | answered"), "does not belong here"),
    ("provenance", ("cascade? | assumed |", "cascade? | open |"), "only a blocking gap stays open"),
    ("provenance", (" | answered |", " | more | answered |"), "this one has 5"),
    ("provenance", ("| Does archiving cascade? |", "|  |"), "the gap is empty"),
    ("sections", ("## Retrieved Context\n", "## Retrieved Context\n\nx\n\n## Provenance\n"), "already at line"),
]


@pytest.mark.parametrize("body, check, change, message", [
    *((BODY, *fault) for fault in FAULTS), *((INTAKE, *fault) for fault in INTAKE_FAULTS),
    (NO_GAPS, "provenance", ("_No gaps identified._", ""), "lists no gap"),
    (INTAKE, "provenance", ("| Section |", "_No gaps identified._\n\n| Section |"), "and lists gaps"),
])
def test_a_planted_fault_is_found_by_its_check(adlc, others, body, check, change, message):
    path = specimen(others, body)
    text = path.read_text()
    assert text.count(change[0]) >= 1
    path.write_text(text.replace(change[0], change[1], 1))
    result = adlc("lint", "specs", "--json")
    assert result.code == 1 and result.err == b"" and result.document["outcome"] == "findings"
    assert any(line.startswith(f"{check}: ") and message in line for line in findings(result)), findings(result)
    assert {f["path"] for f in result.document["findings"]} == {SPEC}


@pytest.mark.parametrize("change", [
    ("title: \"Password reset\"", "title: \"Reset: the password\""),
    ("---\nid", "<!-- reviewed -->\n---\nid"),
    ("component: \"auth\"", "component: \"\""),
    ("2026-05-02", "2026-05-02T23:30:00+02:00"),
    ("## System Model\n\n### Entities\n\n- Token: hash, expiry\n\n", ""),
    ("- Mail arrives.", "- `(informed by REQ-404)` is the form; <details> and <T> are no placeholders."),
    ("- Mail arrives.", "```\n## Description\n(informed by REQ-404)\n- <what is taken to be true>\n```"),
    ("- Mail arrives.", "- As in REQ-258 BR-7 of the sister repository, and REQ-999. See [it](https://example.invalid/x)."),
    ("- Mail arrives.", "- [Login](../REQ-001-login/requirement.md#description) and [here](#out-of-scope)."),
    ("- BR-2: ", "- BR-1a: Not in a URL.\n- BR-2: "),
    ("- BR-1: ", "- **BR-1:** "),
    ("AC-1: ", ""),
    (LISTED, f"{COLD}\n"),
    (LISTED, f"{SUPPRESSED}\n\n- BUG-001 (bug, score 5): Reuse\n"),
    (LISTED, "Spec corpus unreadable — see stderr warning.\n"),
    ("tags: [", "related: [REQ-001, docs/other.md]\ntags: ["),
    ("## Retrieved Context\n", "## Notes\n\nFree.\n\n## Retrieved Context\n"),
], ids=range(17))
def test_what_only_looks_like_a_fault_is_none(adlc, others, change):
    path = specimen(others)
    text = path.read_text()
    assert change[0] in text
    text = text.replace(change[0], change[1], 1)
    path.write_text(text.replace("AC-2: ", "") if change[0] == "AC-1: " else text)
    assert findings(adlc("lint", "specs", "--json")) == []


def test_findings_are_one_line_each_with_place_and_check(adlc, others):
    path = specimen(others)
    path.write_text(path.read_text().replace("(BR-1)", "(BR-7)"))
    result = adlc("lint", "specs")
    line = path.read_text().split("\n").index("- [ ] AC-1: The second use is refused. (BR-7)") + 1
    assert result.text == f"{SPEC}:{line}: references: BR-7 is not defined in this document\n"
    assert result.talk == "adlc: 4 documents examined, 1 finding\n" and result.code == 1


def test_bugs_and_lessons_are_checked_too(adlc, project):
    project.bug("BUG-007", status="open", body="## Description\n\nIt.", component="auth", domain="", stack=[], concerns=[], tags=[])
    project.bug("BUG-008", body="## Description\n\nIt.", created=None, updated=None)
    project.lesson("LESSON-007", body="# Nothing", component="", domain="", stack=[], concerns=[], tags=[])
    by_path = {}
    for finding in adlc("lint", "specs", "--json").document["findings"]:
        by_path.setdefault(finding["path"].rsplit("/", 1)[1][:8], []).append(f"{finding['check']}: {finding['message']}")
    assert "BUG-007-" not in by_path
    assert {"dates", "frontmatter", "sections"} == {line.split(":")[0] for line in by_path["BUG-008-"]}
    assert by_path["LESSON-0"] == ["sections: there is no section '## Lesson'"]


def test_tags_are_held_to_the_taxonomy(adlc, others):
    others.write(".adlc/context/taxonomy.md", "# T\n\n## component\n\n- `auth`: x\n\n## concerns\n\n- `security`\n\n## tags\n\n- `e-mail`, `tokens`\n\n## stack\n\n- `<technology>`\n")
    specimen(others, concerns=["Security", "securty"], component="auth", tags=["token", "anything"])
    assert findings(adlc("lint", "specs", SPEC, "--json")) == [
        "taxonomy: concerns 'securty' is not in .adlc/context/taxonomy.md; nearest: security",
        "taxonomy: tags 'token' is not in .adlc/context/taxonomy.md; nearest: tokens",
    ]
    specimen(others, concerns=["Auth", "speed"], tags=[])
    assert findings(adlc("lint", "specs", SPEC, "--json")) == [
        "taxonomy: concerns 'Auth' is not in .adlc/context/taxonomy.md; there it is a value of component",
        "taxonomy: concerns 'speed' is not in .adlc/context/taxonomy.md",
    ]


def test_a_file_that_cannot_be_read_is_a_finding(adlc, others):
    others.write(".adlc/bugs/BUG-009-x.md", b"\xff\xfeb\0")
    result = adlc("lint", "specs")
    assert result.code == 1 and result.text.startswith(".adlc/bugs/BUG-009-x.md:1: unreadable: encoded as UTF-16")
    assert "4 documents examined" in result.talk


@pytest.mark.parametrize("path, examined", [
    (SPEC, 1), (".adlc/specs", 2), (".adlc/specs/REQ-010-reset", 2 - 1), (".adlc/bugs", 1), (".", 4), (".adlc", 4),
])
def test_a_path_limits_what_is_examined_not_what_may_be_cited(adlc, others, path, examined):
    specimen(others)
    document = adlc("lint", "specs", path, "--json").document
    assert (document["outcome"], document["examined"]) == ("clean", examined)
    assert adlc("lint", "specs", others.root / path, "--json", cwd="/").document == document


def test_nothing_examined_is_no_success(adlc, project, tmp_path):
    (project.root / ".adlc/specs").mkdir(parents=True)
    project.write("README.md", "x")
    (tmp_path / "empty").mkdir()
    for arguments in ((), ("README.md",), (tmp_path / "empty",)):
        result = adlc("lint", "specs", *arguments, "--json")
        assert result.code == 1 and result.document == {
            "schema": "adlc.lint/1", "target": "specs", "outcome": "nothing", "examined": 0, "findings": [],
        }
    assert adlc("lint", "specs", "README.md").talk == (
        "adlc: 0 documents examined, 0 findings\n"
        "adlc: nothing was checked: there is no requirement, bug or lesson of .adlc in README.md\n"
    )


@pytest.mark.parametrize("arguments, code, kind", [
    (("lint",), 2, "usage"), (("lint", "spec"), 2, "usage"), (("lint", "specs", "nowhere.md"), 2, "not_found"),
    (("lint", "specs", "--root", "/nonexistent"), 3, "no_root"), (("lint", "specs", "/", "--root", "."), 2, "usage"),
])
def test_wrong_calls_are_told_from_faulty_documents(adlc, others, arguments, code, kind):
    result = adlc(*arguments, "--json")
    assert (result.code, result.error["kind"]) == (code, kind)


def test_three_hundred_findings_are_exit_1(adlc, project):
    for number in range(300):
        project.lesson(f"LESSON-{number + 1:03}", body="x")
    result = adlc("lint", "specs", "--json")
    assert result.code == 1 and len(result.document["findings"]) >= 300


def test_it_sees_the_files_of_a_worktree(adlc, others):
    specimen(others)
    others.commit()
    others.git("worktree", "add", "-q", ".worktrees/w")
    assert adlc("lint", "specs", "--json", cwd=others.root / ".worktrees/w").document["examined"] == 4


def test_text_of_documents_cannot_steer_the_terminal(adlc, others):
    path = specimen(others)
    path.write_text(path.read_text().replace("BUG-001)", "\x1b[31mBUG)"))
    result = adlc("lint", "specs")
    assert result.code == 1 and b"\x1b" not in result.out


def test_a_template_that_nobody_filled_in_is_not_clean(adlc, others):
    others.write(SPEC, (ROOT / "templates/requirement-template.md").read_bytes())
    found = findings(adlc("lint", "specs", SPEC, "--json"))
    assert any("three to six digits" in line for line in found) and sum("template's" in line for line in found) >= 8
    assert any("not a date" in line for line in found)


def test_this_repository_is_clean(adlc):
    result = adlc("lint", "specs", "--json", cwd=ROOT)
    assert findings(result) == [] and result.document["examined"] >= 41
    assert os.path.isdir(ROOT / ".adlc/specs")
