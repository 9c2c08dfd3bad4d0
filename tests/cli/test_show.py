"""adlc show: one document by id or path."""

import pytest

from builders import Raw


def test_a_document_is_shown_with_its_parts(adlc, corpus):
    shown = adlc("show", "REQ-001", "--json").document
    refs = [(chunk["ref"], chunk["kind"]) for chunk in shown["chunks"]]
    assert refs == [("Description", "section"), ("BR-1", "rule"), ("BR-2", "rule"), ("AC-1", "criterion")]
    assert shown["chunks"][1]["text"] == "A session ends after 30 days."
    lines = (corpus.root / shown["path"]).read_text().split("\n")
    assert "BR-1" in lines[shown["chunks"][1]["line"] - 1]
    assert "## Business Rules" in shown["body"] and "title:" not in shown["body"]
    assert shown["requirementCount"] == 2


def test_a_spec_tree_node_is_shown_with_the_code_it_governs(adlc, corpus):
    shown = adlc("show", "session", "--json").document
    assert (shown["code"], shown["scope"]) == (["src/console.py#exit"], ["src/console.py"])
    assert "code: src/console.py#exit" in adlc("show", "session").text


@pytest.mark.parametrize("name", ["req-001", ".adlc/specs/REQ-001-slug/requirement.md", "../project/.adlc/specs/REQ-001-slug/requirement.md"])
def test_ids_fold_case_and_paths_work_from_the_root_and_from_here(adlc, corpus, name):
    assert adlc("show", name, "--json").document["id"] == "REQ-001"


def test_a_path_works_from_a_subdirectory(adlc, corpus):
    result = adlc("show", "requirement.md", "--json", cwd=corpus.root / ".adlc/specs/REQ-002-slug")
    assert result.document["id"] == "REQ-002"


def test_an_ambiguous_id_lists_the_candidates(adlc, project):
    project.spec("SAME", folder="one")
    project.spec("SAME", folder="two")
    failed = adlc("show", "SAME", "--json")
    assert failed.code == 2 and failed.error["kind"] == "ambiguous_id"
    assert failed.error["candidates"] == [".adlc/specs/one/requirement.md", ".adlc/specs/two/requirement.md"]
    assert adlc("show", failed.error["candidates"][1], "--json").document["path"] == ".adlc/specs/two/requirement.md"
    talk = adlc("show", "SAME").talk
    assert ".adlc/specs/one/requirement.md, .adlc/specs/two/requirement.md" in talk and talk.count("\n") == 1


def test_an_id_that_occurs_in_two_corpora_is_ambiguous(adlc, project):
    project.spec("X-1")
    project.bug("X-1")
    assert adlc("show", "X-1", "--json").error["candidates"] == [".adlc/bugs/X-1-slug.md", ".adlc/specs/X-1-slug/requirement.md"]


def test_an_exact_id_is_preferred_to_one_in_another_case(adlc, project):
    project.spec("req-1", folder="lower")
    project.spec("REQ-1", folder="upper")
    assert adlc("show", "req-1", "--json").document["path"] == ".adlc/specs/lower/requirement.md"
    assert adlc("show", "Req-1", "--json").error["kind"] == "ambiguous_id"


def test_an_unknown_id_names_the_nearest(adlc, corpus):
    failed = adlc("show", "REQ-0001", "--json")
    assert failed.code == 2 and failed.error["kind"] == "not_found" and "nearest: REQ-001" in failed.error["message"]


def test_a_file_that_could_not_be_used_says_why(adlc, corpus):
    failed = adlc("show", ".adlc/bugs/BUG-003-broken.md", "--json")
    assert failed.error["kind"] == "not_found" and "has no closing ---" in failed.error["message"]


def test_a_link_inside_the_root_is_shown(adlc, corpus):
    (corpus.root / ".adlc/bugs/BUG-009-link.md").symlink_to("BUG-001-slug.md")
    result = adlc("show", ".adlc/bugs/BUG-009-link.md", "--json")
    assert result.document["title"] == "Rate limit bypass" and result.document["body"].strip() == "The limiter counted per connection."


def test_a_hostile_body_cannot_steer_the_terminal(adlc, project):
    project.bug("BUG-001", title=Raw(r'"\e[31mred"'), body="one\x1b[2J\ttwo\x9b\u202e\u2066 three\r\n\n    indented\x07\n")
    text = adlc("show", "BUG-001").text
    assert "two" in text and "    indented" in text
    assert not any(char in text for char in "\x1b\x9b\u202e\u2066\x07\r")
    in_json = adlc("show", "BUG-001", "--json")
    assert not any(char in in_json.text for char in "\x1b\x9b\u202e\u2066\x07")
    assert "\x1b[2J\ttwo\x9b\u202e\u2066" in in_json.document["body"], "nothing is lost in JSON"


def test_a_deleted_working_directory_does_not_matter_with_a_root(adlc, corpus, tmp_path):
    import subprocess

    (tmp_path / "gone").mkdir()
    call = f'cd {tmp_path}/gone && rmdir {tmp_path}/gone && exec sh "$1" show REQ-001 --json --root "$2"'
    done = subprocess.run(["sh", "-c", call, "sh", adlc.command[1], corpus.root], env=adlc.environment, capture_output=True)
    assert done.returncode == 0 and b'"REQ-001"' in done.stdout, done


def test_headings_in_fences_and_comments_are_no_parts(adlc, project):
    project.spec("REQ-001", body="## Real\n\ntext\n\n```md\n## Fenced\n```\n\n<!--\n## Hidden\n-->\n")
    refs = [chunk["ref"] for chunk in adlc("show", "REQ-001", "--json").document["chunks"]]
    assert refs == ["Real"]


def test_parts_from_another_file_name_it(adlc, project):
    folder = "llmanspec/specs/export"
    project.write(f"{folder}/spec.toon", """kind: llman.sdd.spec
name: export
purpose: Write rows.
requirements[1]{req_id,title,statement}:
  r1,Rows,System MUST write rows.
""")
    scenarios = "Feature: Export\n\n  @req:r1\n  Scenario: Two rows\n    Then two rows\n\n  @req:r1\n  Scenario: None\n    Then none\n"
    project.write(f"{folder}/export.feature", scenarios)
    shown = adlc("show", "export", "--json").document
    assert [(chunk["ref"], chunk.get("path"), chunk["line"]) for chunk in shown["chunks"]] == [
        ("r1", None, 5), ("r1/two-rows", f"{folder}/export.feature", 4), ("r1/none", f"{folder}/export.feature", 8),
    ]
    assert f"\nfrom {folder}/export.feature: r1/two-rows (line 4), r1/none (line 8)\n" in adlc("show", "export").text
