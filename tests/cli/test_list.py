"""adlc list: every document, and every file that is none, with the reason."""

import pytest

from builders import Raw, document


def test_documents_are_listed_by_path_with_what_they_are(adlc, corpus):
    listed = adlc("list", "--json").document
    rows = listed["documents"]
    assert [row["path"] for row in rows] == sorted(row["path"] for row in rows)
    by_id = {row["id"]: row for row in rows}
    assert by_id["REQ-001"] == {
        "id": "REQ-001", "title": "Login sessions", "path": ".adlc/specs/REQ-001-slug/requirement.md", "corpus": "spec",
        "layout": "adlc", "status": "complete", "purpose": "A person stays signed in on one device.", "validScope": [],
        "requirementCount": 2,
    }
    assert by_id["session"]["validScope"] == ["src/console.py"]
    assert by_id["session"]["purpose"] == "What happens on /exit in a session."


def test_specs_and_corpora_can_be_chosen(adlc, corpus):
    def kinds(*options):
        document = adlc("list", "--json", *options).document
        return {row["corpus"] for row in document["documents"]}, len(document["skipped"])

    assert kinds() == ({"lesson", "bug", "spec"}, 1)
    assert kinds("--specs") == kinds("--corpus", "spec") == ({"spec"}, 0)
    assert kinds("--corpus", "lesson", "--specs") == ({"lesson", "spec"}, 0)
    assert kinds("--corpus", "bug") == ({"bug"}, 1)


def test_meta_adds_tags_dates_and_problems(adlc, project):
    project.spec("REQ-001", stack=["a", "b"], concerns=Raw("x, y"), title=Raw("Retry: twice"), related=["REQ-002"])
    (row,) = adlc("list", "--meta", "--json").document["documents"]
    assert (row["stack"], row["concerns"], row["related"], row["created"]) == (["a", "b"], ["x", "y"], ["REQ-002"], "2026-01-10")
    assert row["title"] == "Retry: twice" and row["frontmatter"] == "ok"
    (problem,) = row["problems"]
    assert "not strict YAML" in problem and "read line by line" in problem


def test_the_text_form_has_a_line_for_each_document_and_names_what_is_left_out(adlc, corpus):
    result = adlc("list")
    assert "REQ-002     Draft of the rate limiter  [draft]" in result.text.splitlines()
    assert result.talk == "adlc: not used: .adlc/bugs/BUG-003-broken.md: frontmatter opened at line 1 has no closing ---\n"
    meta = adlc("list", "--meta").text
    assert ".spec/console/session/spec.md" in meta and "scope: src/console.py" in meta


def test_an_empty_corpus_is_no_failure(adlc, project):
    (project.root / ".spec").mkdir()
    assert adlc("list", "--json").document["outcome"] == "empty"
    text = adlc("list")
    assert text.code == 0 and text.out == b"" and text.talk == "adlc: no documents here yet\n"


def test_hc117_repeated_ids_and_an_id_unlike_its_directory_are_all_kept(adlc, project):
    project.spec("REQ-001", folder="REQ-001-one")
    project.spec("REQ-001", folder="REQ-001-two")
    project.spec("REQ-009", folder="REQ-003-other")
    rows = adlc("list", "--json").document["documents"]
    assert [(row["id"], row["path"].split("/")[2]) for row in rows] == [
        ("REQ-001", "REQ-001-one"), ("REQ-001", "REQ-001-two"), ("REQ-009", "REQ-003-other"),
    ]


def test_a_document_without_an_id_takes_it_from_its_name(adlc, project):
    project.spec(folder="REQ-042-things", text=document("# Things", status="complete"))
    project.bug(name="BUG-007-oops", text="# Oops\n\nIt broke.\n")
    rows = adlc("list", "--json").document["documents"]
    assert [(row["id"], row["title"]) for row in rows] == [("BUG-007", "Oops"), ("REQ-042", "Things")]


def test_f17_the_nearest_root_upwards_wins(adlc, corpus):
    corpus.git("init", "-q")
    inner = corpus.root / "packages/a"
    (inner / ".adlc/specs/REQ-900-x").mkdir(parents=True)
    (inner / ".adlc/specs/REQ-900-x/requirement.md").write_text(document(id="REQ-900"))
    (inner / "src/deep").mkdir(parents=True)
    (corpus.root / "docs").mkdir()
    assert [row["id"] for row in adlc("list", "--json", cwd=inner / "src/deep").document["documents"]] == ["REQ-900"]
    assert len(adlc("list", "--json", cwd=corpus.root / "docs").document["documents"]) == 7


def test_f20_a_monorepo_root_and_a_package_are_separate_corpora(adlc, corpus):
    package = corpus.root / "packages/a"
    (package / ".adlc/bugs").mkdir(parents=True)
    (package / ".adlc/bugs/BUG-001-own.md").write_text(document(id="BUG-001", title="The package's own"))
    whole = adlc("list", "--json", "--root", corpus.root).document["documents"]
    own = adlc("list", "--json", "--root", package).document["documents"]
    assert [row["path"] for row in own] == [".adlc/bugs/BUG-001-own.md"] and own[0]["title"] == "The package's own"
    assert not any("packages" in row["path"] for row in whole)


def test_f17_a_repository_inside_the_root_is_not_governed_by_it(adlc, corpus):
    inner = corpus.root / "vendor/tool"
    (inner / ".git").mkdir(parents=True)
    result = adlc("list", "--json", cwd=inner)
    assert result.code == 3 and result.error["kind"] == "no_root"


def test_f17_a_given_root_is_strict(adlc, corpus):
    (corpus.root / "sub").mkdir()
    result = adlc("list", "--json", "--root", corpus.root / "sub")
    assert result.code == 3 and result.error["kind"] == "no_root"


@pytest.mark.parametrize("folder", ["node_modules", ".venv", ".worktrees", "__pycache__"])
def test_other_peoples_trees_are_not_walked(adlc, project, folder):
    project.node("mine")
    project.node(f"{folder}/theirs")
    assert [row["id"] for row in adlc("list", "--json").document["documents"]] == ["mine"]


def test_nested_checkouts_are_not_walked(adlc, project):
    project.node("mine")
    project.node("nested/theirs")
    project.write(".spec/nested/.git", "gitdir: elsewhere\n")
    assert [row["id"] for row in adlc("list", "--json").document["documents"]] == ["mine"]


def test_node_ids_are_the_shortest_path_that_is_unique(adlc, project):
    for folder in ("a/session", "b/session", "b", "c/deep/leaf"):
        project.node(folder)
    ids = {row["path"]: row["id"] for row in adlc("list", "--json").document["documents"]}
    assert ids == {
        ".spec/a/session/spec.md": "a_session", ".spec/b/session/spec.md": "b_session", ".spec/b/spec.md": "b",
        ".spec/c/deep/leaf/spec.md": "leaf",
    }


def test_statuses_can_be_chosen_and_none_that_fits_is_not_an_empty_corpus(adlc, project):
    project.spec("REQ-001", status="In-Progress ")
    project.spec("REQ-002", status=None)
    project.bug("BUG-001", status="open")
    project.lesson("LESSON-001")

    def ids(option, *more):
        answer = adlc("list", "--status", option, *more, "--json").document
        return answer["outcome"], [row["id"] for row in answer["documents"]]

    assert ids("in-progress,OPEN") == ("matched", ["BUG-001", "REQ-001"])
    assert ids("in-progress,open", "--specs") == ("matched", ["REQ-001"])
    assert ids("complete") == ("no_match", [])
    result = adlc("list", "--status", "complete, draft")
    assert (result.code, result.out, result.talk) == (0, b"", "adlc: no document has status complete, draft\n")
    assert adlc("list", "--status", " ,", "--json").error["kind"] == "usage"


def test_no_documents_at_all_is_empty_whatever_the_status(adlc, project):
    (project.root / ".adlc/specs").mkdir(parents=True)
    assert adlc("list", "--status", "draft", "--json").document["outcome"] == "empty"


def test_a_corpus_without_documents_is_told_from_a_project_without_any(adlc, project):
    project.spec("REQ-001")
    project.spec("REQ-002")
    for command in (("list",), ("search", "token")):
        assert adlc(*command, "--corpus", "bug").talk == "adlc: no bug here; 2 other documents: adlc list\n"
    project.bug("BUG-001", text="---\nid: BUG-001\n")
    for command in (("list",), ("search", "token")):
        assert adlc(*command, "--corpus", "bug").talk.startswith("adlc: no document here can be used\n")


def test_a_title_that_only_repeats_the_id_is_not_printed_twice(adlc, project):
    project.write("openspec/specs/session/spec.md", "## Purpose\nSessions end.\n\n## Requirements\n")
    assert adlc("list").text == "session\n"


def test_one_directory_that_cannot_be_read_is_named_once(adlc, project):
    (project.root / "inside/specs").mkdir(parents=True)
    (project.root / ".adlc").symlink_to("inside")
    assert adlc("list").talk.count(".adlc: a symbolic link to a directory") == 1
