"""adlc id check: is this number somebody else's, and what is wrong with the ids of the project."""

import shutil
import subprocess

import pytest

from ids_fixtures import fingerprint


@pytest.fixture
def repo(lab):
    return lab.repo("a", "REQ-100-x", remote=True)


def check(lab, *arguments, code: int = 0, **options) -> dict:
    result = lab.id("check", *arguments, "--json", **options)
    assert result.code == code, result
    return result.document


def found(document: dict, check: str) -> list:
    return [row for row in document["findings"] if row["check"] == check]


@pytest.mark.parametrize("branches, suggestion", [(["feat/REQ-600-x"], "REQ-601"), (["feat/REQ-600-x", "feat/REQ-650-y"], "REQ-651"), (["feat/REQ-600"], "REQ-601")])
def test_a_number_on_somebody_elses_branch_is_a_collision_with_the_way_out(lab, repo, branches, suggestion):
    """HC-37"""
    for branch in branches:
        repo.branch(branch, keep=False)
    document = check(lab, "REQ-600", code=1)
    assert document["outcome"] == "collision"
    assert {row["fix"] for row in found(document, "taken")} == {f"adlc id renumber REQ-600 {suggestion}"}
    text = lab.id("check", "REQ-600")
    assert text.code == 1 and f"\n    adlc id renumber REQ-600 {suggestion}\n" in text.text


def test_a_number_that_nobody_has_is_clear(lab, repo):
    repo.branch("feat/REQ-600-x", keep=False)
    for id in ("REQ-060", "REQ-6000", "REQ-601", "BUG-600", "LESSON-600"):
        assert check(lab, id)["outcome"] == "clear"


def test_120_and_1200_are_never_confused(lab, repo):
    """HC-36"""
    repo.branch("feat/REQ-1200-x", "REQ-1200-y", keep=False)
    assert check(lab, "REQ-120")["outcome"] == "clear"
    repo.branch("feat/REQ-120-x", keep=False)
    assert check(lab, "REQ-120", code=1)
    repo.git("push", "-q", "origin", "--delete", "feat/REQ-1200-x")
    assert check(lab, "REQ-1200")["outcome"] == "clear"


def test_what_could_not_be_asked_is_a_warning_and_no_collision(lab, repo):
    """HC-38"""
    shutil.rmtree(lab.path / "a.git")
    document = check(lab, "REQ-600")
    assert document["degraded"] and document["findings"] == []
    result = lab.id("check", "REQ-600")
    assert result.code == 0 and "not everything could be asked" in result.talk and "renumber" not in result.text + result.talk


def test_a_merged_artifact_of_this_very_name_is_ones_own(lab, repo):
    """HC-39"""
    assert check(lab, "REQ-100")["outcome"] == "clear"
    other = lab.clone("a", "elsewhere")
    other.git("mv", ".adlc/specs/REQ-100-x", ".adlc/specs/REQ-100-theirs")
    other.commit()
    other.push()
    document = check(lab, "REQ-100", code=1)
    assert "REQ-100-theirs" in document["findings"][0]["message"]


def test_ones_own_reservation_is_clear_another_machines_is_not(lab, repo):
    """HC-39"""
    lab.next("req", "--reserve")
    assert check(lab, "REQ-101")["outcome"] == "clear"
    other = lab.clone("a", "elsewhere")
    assert found(check(lab, "REQ-101", code=1, cwd=other, env=lab.machine("elsewhere")), "taken")
    (lab.state / ".adlc-ids/ledger").unlink()
    assert "reservation" in check(lab, "REQ-101", code=1)["findings"][0]["message"]


def test_a_reserved_number_is_settled_once_its_artifact_is_merged(lab, repo):
    """HC-39: any other clone sees a reservation that is not its own, and the very same document."""
    lab.next("req", "--reserve")
    repo.artifact("REQ-101-y")
    repo.commit()
    repo.push()
    other = lab.clone("a", "elsewhere")
    assert check(lab, "REQ-101", cwd=other, env=lab.machine("elsewhere"))["outcome"] == "clear"


def test_ones_own_pushed_branch_is_clear(lab, repo):
    repo.git("checkout", "-q", "-b", "feat/REQ-101-y")
    repo.commit()
    repo.push("feat/REQ-101-y")
    assert check(lab, "REQ-101")["outcome"] == "clear"
    repo.artifact("REQ-101-y")
    repo.commit()
    repo.push("feat/REQ-101-y")
    assert check(lab, "REQ-101")["outcome"] == "clear"


def test_another_worktrees_draft_is_a_collision(lab, repo):
    repo.git("worktree", "add", "-q", "-b", "w", lab.path / "far/w")
    for path in (repo.path, lab.path / "far/w"):
        (path / f".adlc/specs/REQ-101-{path.name}").mkdir()
    assert "REQ-101-w" in check(lab, "REQ-101", code=1)["findings"][0]["message"]


def test_a_sibling_repositorys_number_is_a_note(lab, repo):
    lab.repo("b", "REQ-100-theirs")
    document = check(lab, "REQ-100")
    assert [(row["level"], row["check"]) for row in document["findings"]] == [("note", "taken")]


def test_another_clone_of_the_project_is_the_project(lab, repo):
    second = lab.clone("a", "elsewhere").path.rename(lab.repos / "second")
    (second / ".adlc/specs/REQ-101-theirs").mkdir(parents=True)
    assert check(lab, "REQ-101", code=1)
    assert check(lab, "REQ-100")["findings"] == []


@pytest.mark.parametrize("id", ["REQ-1", "REQ-1234567", "REQ-000", "req-100", "REQ-10x", "../REQ-100", "ADR-100", "REQ-٣٣٣", ""])
def test_what_is_no_id_is_a_usage_error(lab, id):
    lab.repo()
    result = lab.id("check", id, "--json")
    assert result.code == 2 and result.error["kind"] == "usage"


# --- the whole project

def test_a_sound_project_is_clear_and_nothing_is_written(lab, repo):
    repo.artifact("BUG-007-x.md", "---\nid: BUG-007\n---\nSee REQ-100.\n")
    before = fingerprint(repo.path)
    document = check(lab)
    assert document == {"schema": "adlc.id-check/1", "id": None, "outcome": "clear", "findings": [], "degraded": False, "reasons": []}
    assert fingerprint(repo.path) == before
    assert lab.id("check").text == "no id is taken twice, misplaced or missing\n"


def test_two_branches_that_took_one_number_are_found_after_the_merge(lab, repo):
    """F13: both were green and merged without a conflict. Works on a machine without any state."""
    repo.branch("one", "REQ-101-first")
    repo.branch("two", "REQ-101-second")
    repo.git("merge", "-q", "one")
    repo.git("merge", "-q", "-m", "m", "two")
    repo.push()
    clone = lab.clone("a", "ci")
    document = check(lab, code=1, cwd=clone, env=lab.machine("ci"))
    (row,) = found(document, "duplicate")
    assert row["path"] == ".adlc/specs/REQ-101-second" and "REQ-101-first" in row["message"]
    assert row["fix"] == "adlc id renumber REQ-101 REQ-102 --path .adlc/specs/REQ-101-second"
    done = lab.id(*row["fix"].split()[2:], "--yes", cwd=clone, env=lab.machine("ci"))
    assert done.code == 0 and check(lab, cwd=clone, env=lab.machine("ci"))["outcome"] == "clear"


def test_the_older_document_keeps_a_number_taken_twice(lab, repo):
    repo.artifact("LESSON-005-a.md", "---\nid: LESSON-005\ncreated: 2026-02-02\n---\n")
    repo.artifact("LESSON-005-b.md", "---\nid: LESSON-005\ncreated: 2026-01-01\n---\n")
    repo.artifact("LESSON-0005-c.md", "---\nid: LESSON-005\n---\n")
    rows = found(check(lab, code=1), "duplicate")
    assert [row["fix"].split()[4:] for row in rows] == [
        ["LESSON-007", "--path", ".adlc/knowledge/lessons/LESSON-0005-c.md"], ["LESSON-006", "--path", ".adlc/knowledge/lessons/LESSON-005-a.md"],
    ]


def test_a_document_whose_id_is_not_that_of_its_directory_is_found(lab, repo):
    repo.artifact("REQ-101-y", "---\nid: REQ-202\n---\n")
    repo.artifact("BUG-003-z.md", "---\nid: REQ-100\n---\n")
    repo.artifact("REQ-0102-padded", "---\nid: REQ-102\n---\n")
    rows = found(check(lab, code=1), "mismatch")
    assert [(row["id"], row["path"]) for row in rows] == [("REQ-100", ".adlc/bugs/BUG-003-z.md"), ("REQ-202", ".adlc/specs/REQ-101-y/requirement.md")]
    assert "write id: REQ-101" in rows[1]["fix"]


def test_a_citation_of_a_document_that_is_nowhere_is_found(lab, repo):
    repo.artifact("REQ-101-y", "---\nid: REQ-101\nrelated: [REQ-555]\n---\n\nInformed by REQ-100, BUG-009 (BUG-009) and REQ-1000.\n")
    rows = found(check(lab, code=1), "missing_reference")
    assert [(row["id"], row["line"]) for row in rows] == [("BUG-009", 6), ("REQ-1000", 6), ("REQ-555", 3)]


@pytest.mark.parametrize("text", ["`REQ-555`", "```\nREQ-555\n```", "<!-- REQ-555 -->", "REQ-xxx", "REQ-5", "XREQ-555", "REQ-555a", "REQ-1234567", "``a ` REQ-555``"])
def test_examples_and_other_words_are_no_citations(lab, repo, text):
    repo.artifact("REQ-101-y", f"---\nid: REQ-101\n---\n\n{text}\n")
    assert check(lab)["findings"] == []


def test_documents_on_branches_and_in_sibling_repositories_can_be_cited(lab, repo):
    repo.branch("wip", "REQ-300-w")
    lab.repo("b", "REQ-400-s", "BUG-044-s.md")
    repo.artifact("REQ-101-y", "---\nid: REQ-101\n---\n\nREQ-300 REQ-400 BUG-044\n")
    assert check(lab)["findings"] == []


def test_a_number_that_was_handed_out_and_never_written_is_a_note(lab, repo):
    lab.next("req", "--reserve")
    lab.next("bug")
    rows = found(check(lab), "lost")
    assert [(row["id"], row["level"]) for row in rows] == [("BUG-001", "note"), ("REQ-101", "note")]
    assert rows[1]["fix"].startswith("git push ") and rows[1]["fix"].endswith(":refs/adlc/ids/req/101")
    repo.artifact("REQ-101-y")
    repo.artifact("BUG-001-y.md")
    assert found(check(lab), "lost") == []


def test_a_number_past_six_digits_is_found(lab, repo):
    repo.artifact("REQ-1234567-y", "---\nid: REQ-1234567\n---\n")
    assert [row["check"] for row in check(lab, code=1)["findings"]] == ["too_large"]


def test_documents_that_cannot_be_read_do_not_stop_the_others(lab, repo):
    repo.artifact("REQ-101-y").write_bytes(b"\xff\xfe\x00broken")
    (repo.path / ".adlc/specs/REQ-102-empty").mkdir()
    repo.artifact("REQ-103-z", "---\nid: REQ-104\n---\n")
    assert [row["check"] for row in check(lab, code=1)["findings"]] == ["mismatch"]


def test_the_answer_is_the_same_every_time(lab, repo):
    repo.artifact("REQ-101-a", "---\nid: REQ-555\n---\nREQ-700 BUG-001\n")
    repo.artifact("REQ-101-b", "---\nid: REQ-556\n---\nREQ-700\n")
    outputs = {lab.id("check", "--offline", "--json", env={"PYTHONHASHSEED": str(n)}).out for n in range(3)}
    assert len(outputs) == 1


def test_git_is_not_needed_for_a_plain_folder(lab):
    from ids_fixtures import Repo

    plain = Repo(lab, lab.path / "plain")
    plain.artifact("REQ-001-a")
    plain.artifact("REQ-001-b")
    assert found(check(lab, code=1, cwd=plain), "duplicate")
    assert subprocess.run(["git", "rev-parse"], cwd=plain.path, capture_output=True).returncode


def test_a_place_without_numbers_is_not_called_checked(lab):
    plain = lab.path / "plain"
    plain.mkdir()
    result = lab.id("check", cwd=plain)
    assert (result.code, result.text) == (0, "") and result.talk.startswith("adlc: nothing was checked: ")
    lab.repo("a", "REQ-001-x")
    assert lab.id("check").text == "no id is taken twice, misplaced or missing\n"


def test_a_name_with_line_ends_stays_on_its_line(lab, repo):
    """What a repository calls its files cannot speak for the command."""
    forged = "x\nadlc: all is well\x1b[2J"
    for name in (f"BUG-001-{forged}.md", "BUG-001-y.md"):
        repo.artifact(name)
    repo.artifact("REQ-9999999-" + forged)
    results = [
        lab.id("check", "--offline"), lab.id("high", "req", "--offline"), lab.id("renumber", "BUG-001", "BUG-009", "--path", f".adlc/bugs/BUG-001-{forged}.md"),
        lab.id("renumber", "BUG-001", "BUG-009", "--path", f".adlc/bugs/BUG-001-{forged}.md", "--yes"),
    ]
    for result in results:
        said = result.text + result.talk
        assert "\x1b" not in said and "adlc: all is well" not in said.split("\n") and said, result
    assert [result.code for result in results] == [1, 0, 0, 0]
