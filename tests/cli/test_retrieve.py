"""adlc retrieve: the integers, the order and the exact sentences of /spec's retrieval."""

import json
import os

import pytest

from builders import DAY, Raw, document

COLD_START = "No prior context retrieved — no tagged documents matched this area."
SUPPRESSED = "Spec corpus suppressed by status filter — see stderr warning (BUG-194)."
UNREADABLE = "Spec corpus unreadable — see stderr warning."
HEADING = "Retrieved context for this REQ:"
ALL = ("--component", "auth", "--domain", "identity", "--stack", "python,redis", "--concerns", "security,privacy", "--tags", "login,mfa")


def ids(result) -> list[str]:
    return [row["id"] for row in result.document["results"]]


def scores(result) -> dict[str, int]:
    return {row["id"]: row["score"] for row in result.document["results"]}


# -- scores ------------------------------------------------------------------------------------


def test_each_dimension_gives_its_points(adlc, project):
    full = {"component": "auth", "domain": "identity", "stack": ["python", "redis"], "concerns": ["security", "privacy"], "tags": ["login", "mfa"]}
    for name, value in full.items():
        project.spec(f"REQ-{name}", **{name: value})
    project.spec("REQ-all", **full)
    rows = {row["id"]: row for row in adlc("retrieve", *ALL, "--json").document["results"]}
    assert {id: row["score"] for id, row in rows.items()} == {
        "REQ-all": 13, "REQ-concerns": 4, "REQ-component": 3, "REQ-domain": 2, "REQ-stack": 2, "REQ-tags": 2,
    }
    assert rows["REQ-all"]["parts"] == {"component": 3, "domain": 2, "concerns": 4, "stack": 2, "tags": 2}


def test_values_fold_case_and_space_and_lists_are_sets(adlc, project):
    project.spec("REQ-001", component="  Auth   Core ", stack=["Python", "python ", "PYTHON"])
    result = adlc("retrieve", "--component", "auth core", "--stack", "python", "--stack", "Python", "--json")
    assert scores(result) == {"REQ-001": 4}


def test_dimensions_do_not_mix_and_text_gives_nothing(adlc, project):
    project.spec("REQ-001", title="auth", tags=["auth"], body="auth auth")
    assert ids(adlc("retrieve", "--component", "auth", "--json")) == []


def test_hc110_empty_never_equals_empty(adlc, project):
    project.spec("REQ-001", component="", domain="", stack=[], concerns=[], tags=[])
    project.bug("BUG-001", component="", domain=Raw("~"), stack=[""], concerns=Raw("[null]"), tags=Raw(""))
    result = adlc("retrieve", "--component", "", "--json")
    assert ids(result) == []
    assert result.document["outcome"] == "no_match"
    assert ids(adlc("retrieve", "--component", "null", "--concerns", "null", "--json")) == []


def test_hc111_the_floor_is_for_lessons_without_any_tag(adlc, project):
    empty = {"component": "", "domain": "", "stack": [], "concerns": [], "tags": []}
    project.lesson("LESSON-001", **empty)
    project.lesson("LESSON-002")
    project.lesson("LESSON-003", **empty | {"tags": ["other"]})
    project.spec("REQ-001")
    project.bug("BUG-001")
    result = adlc("retrieve", *ALL, "--json")
    assert scores(result) == {"LESSON-001": 1, "LESSON-002": 1}
    assert result.document["results"][0]["parts"] == {"foundational": 1}


@pytest.mark.parametrize("written", ['[a, "b c"]', "\n  - a\n  - b c", "a, b c", '"a, b c"', "[a, 'b c', ]", "\n- a\n- b c # why"])
def test_lists_are_read_in_every_form(adlc, project, written):
    project.spec("REQ-001", tags=Raw(written))
    assert scores(adlc("retrieve", "--tags", "a,b c", "--json")) == {"REQ-001": 2}


# -- which documents -----------------------------------------------------------------------------


def test_hc101_specs_are_admitted_unless_their_status_is_excluded(adlc, project):
    admitted = ["complete", "done", "completed", "deployed", "approved", "in-progress", "in-review", "frobnicated", "", None]
    for number, status in enumerate(admitted):
        project.spec(f"REQ-1{number:02}", status=status, component="auth")
    for number, status in enumerate(["draft", "superseded", "cancelled", "rejected"]):
        project.spec(f"REQ-2{number:02}", status=status, component="auth")
    result = adlc("retrieve", "--component", "auth", "--json")
    assert sorted(ids(result)) == [f"REQ-1{number:02}" for number in range(len(admitted))]
    assert result.document["counts"]["spec"] == {
        "files": 14, "admitted": 10, "excluded": {"cancelled": 1, "draft": 1, "rejected": 1, "superseded": 1}, "malformed": 0,
    }
    assert result.document["excludedStatuses"] == ["draft", "superseded", "cancelled", "rejected"]


@pytest.mark.parametrize("written, admitted", [
    ("Draft", False), ('" DRAFT "', False), ("'draft'", False), ("[draft]", False), ("draft # for now", False),
    ("\n  - draft", False), ("Complete ", True), ("[done]", True), ("drafted", True), ("not draft", True), ("~", True),
])
def test_f24_a_status_is_compared_without_case_space_and_quotes(adlc, project, written, admitted):
    project.spec("REQ-001", status=Raw(written), component="auth")
    assert ids(adlc("retrieve", "--component", "auth", "--json")) == (["REQ-001"] if admitted else [])


def test_hc107_a_status_in_the_body_is_not_one(adlc, project):
    project.spec("REQ-001", status=None, component="auth", body="status: draft\n\n---\nstatus: draft\n---\n")
    assert ids(adlc("retrieve", "--component", "auth", "--json")) == ["REQ-001"]


def test_hc105_bugs_are_admitted_when_resolved_or_closed(adlc, project):
    for number, status in enumerate(["resolved", "closed", " Resolved", "open", "in-review", None]):
        project.bug(f"BUG-{number:03}", status=status, component="auth")
    result = adlc("retrieve", "--component", "auth", "--json")
    assert sorted(ids(result)) == ["BUG-000", "BUG-001", "BUG-002"]
    assert result.document["counts"]["bug"]["excluded"] == {"(none)": 1, "in-review": 1, "open": 1}


def test_lessons_are_admitted_whatever_their_status(adlc, project):
    project.lesson("LESSON-001", status="draft", component="auth")
    assert ids(adlc("retrieve", "--component", "auth", "--json")) == ["LESSON-001"]


def test_hc108_a_comment_before_the_frontmatter_is_passed_over(adlc, project):
    text = "<!-- Name: LESSON-xxx-slug.md\n     one per lesson -->\n\n" + document(id="LESSON-001", title="T", component="auth")
    project.lesson(text=text)
    assert ids(adlc("retrieve", "--component", "auth", "--json")) == ["LESSON-001"]


def test_hc109_frontmatter_is_read_to_its_end_however_long(adlc, project):
    padding = {f"key{number}": "x" for number in range(60)}
    project.spec("REQ-001", **padding, component="auth")
    assert ids(adlc("retrieve", "--component", "auth", "--json")) == ["REQ-001"]


def test_a_malformed_document_is_left_out_and_named(adlc, project):
    project.spec("REQ-001", component="auth")
    project.bug("BUG-001", text="no frontmatter at all\n")
    project.lesson("LESSON-001", text="---\nid: LESSON-001\n{{{\n---\n")
    result = adlc("retrieve", "--component", "auth", "--json")
    assert result.code == 0 and ids(result) == ["REQ-001"]
    counts = result.document["counts"]
    assert (counts["bug"]["malformed"], counts["lesson"]["malformed"], counts["spec"]["malformed"]) == (1, 1, 0)
    assert [line.split(":")[0] for line in result.document["warnings"]] == [
        ".adlc/bugs/BUG-001-slug.md", ".adlc/knowledge/lessons/LESSON-001-slug.md",
    ]


def test_a_spec_tree_is_no_part_of_this_retrieval(adlc, project):
    project.node("auth", component="auth")
    project.spec("REQ-001", component="auth")
    assert ids(adlc("retrieve", "--component", "auth", "--json")) == ["REQ-001"]


# -- order ---------------------------------------------------------------------------------------


def test_hc113_score_then_date_then_corpus_then_id(adlc, project):
    project.spec("REQ-003", component="auth", concerns=["security"], updated="2020-01-01")
    project.spec("REQ-002", component="auth", updated="2026-01-02")
    project.spec("REQ-001", component="auth", updated="2026-01-01")
    project.spec("REQ-010", component="auth", updated="2026-01-01")
    project.bug("BUG-001", component="auth", updated="2026-01-01")
    project.lesson("LESSON-001", component="auth", updated="2026-01-01")
    result = adlc("retrieve", "--component", "auth", "--concerns", "security", "--json")
    assert ids(result) == ["REQ-003", "REQ-002", "LESSON-001", "BUG-001", "REQ-001", "REQ-010"]


def test_hc113_there_are_no_quotas(adlc, project):
    for number in range(15):
        project.bug(f"BUG-{number:03}", component="auth")
    project.lesson("LESSON-001")
    assert {row["corpus"] for row in adlc("retrieve", "--component", "auth", "--json").document["results"]} == {"bug"}


def test_hc113_a_shared_concern_and_tag_outweigh_the_component_by_three(adlc, project):
    project.bug("BUG-001", component="auth", concerns=["security"], tags=["login"])
    project.bug("BUG-002", component="auth")
    found = scores(adlc("retrieve", *ALL, "--json"))
    assert found["BUG-001"] - found["BUG-002"] == 3


def test_hc116_twenty_documents_give_fifteen_and_always_the_same(adlc, project):
    for number in reversed(range(20)):
        project.spec(f"REQ-{number:03}", component="auth")
    result = adlc("retrieve", "--component", "auth", "--json")
    assert ids(result) == [f"REQ-{number:03}" for number in range(15)]
    assert adlc("retrieve", "--component", "auth", "--json").out == result.out
    assert result.document["counts"]["spec"]["admitted"] == 20


@pytest.mark.parametrize("fields, date, source", [
    ({"updated": "2026-03-04"}, "2026-03-04", "updated"),
    ({"updated": "", "created": "2026-03-04"}, "2026-03-04", "created"),
    ({"updated": Raw("2026-3-4")}, "2026-03-04", "updated"),
    ({"updated": Raw("2026-03-04 10:00:00")}, "2026-03-04", "updated"),
    ({"updated": "2026-03-04T23:30:00-05:00"}, "2026-03-05", "updated"),
    ({"updated": "2026-03-04T00:30:00Z"}, "2026-03-04", "updated"),
    ({"updated": "yesterday", "created": DAY}, DAY, "created"),
    ({"updated": "2026-02-30", "created": DAY}, DAY, "created"),
    ({"updated": Raw("2026-99999999999999999999-01"), "created": DAY}, DAY, "created"),
    ({"updated": None, "created": None}, "2021-06-01", "mtime"),
    ({"updated": "0000-00-00", "created": "never"}, "2021-06-01", "mtime"),
])
def test_the_effective_date_and_where_it_is_from(adlc, project, fields, date, source):
    project.spec("REQ-001", component="auth", mtime=1622505600, **fields)
    result = adlc("retrieve", "--component", "auth", "--json")
    (row,) = result.document["results"]
    assert (row["effectiveDate"], row["dateSource"]) == (date, source)
    unreadable = sum(value is not None and value != "" and source != name for name, value in fields.items() if name == "updated" or source == "mtime")
    assert len(result.document["warnings"]) == unreadable


def test_hc115_an_undated_document_has_its_files_date_and_without_that_comes_last(adlc, project):
    undated = {"component": "auth", "created": None, "updated": None}
    project.spec("REQ-001", mtime=0, **undated)
    project.spec("REQ-002", mtime=1767225600, **undated)
    project.spec("REQ-003", component="auth", updated="1999-01-01")
    rows = adlc("retrieve", "--component", "auth", "--json").document["results"]
    assert [(row["id"], row["effectiveDate"], row["dateSource"]) for row in rows] == [
        ("REQ-002", "2026-01-01", "mtime"), ("REQ-003", "1999-01-01", "updated"), ("REQ-001", "0001-01-01", "none"),
    ]


def test_hc117_repeated_ids_are_both_kept_with_their_paths(adlc, project):
    for folder in ("one", "two"):
        project.spec("REQ-001", folder=folder, component="auth")
    project.spec("REQ-005", folder="REQ-004-other", component="auth")
    result = adlc("retrieve", "--component", "auth", "--json")
    assert [(row["id"], row["path"]) for row in result.document["results"]] == [
        ("REQ-001", ".adlc/specs/one/requirement.md"), ("REQ-001", ".adlc/specs/two/requirement.md"),
        ("REQ-005", ".adlc/specs/REQ-004-other/requirement.md"),
    ]
    warning = "REQ-001: 2 documents have this id: .adlc/specs/one/requirement.md, .adlc/specs/two/requirement.md"
    assert result.document["warnings"] == [warning]
    assert f"adlc: {warning}\n" in adlc("retrieve", "--component", "auth").talk


# -- the exact lines -----------------------------------------------------------------------------


def test_the_summary_and_the_lines_for_the_spec(adlc, project):
    project.lesson("LESSON-034", title="Silent failure remediation", component="auth", concerns=["security"])
    project.bug("BUG-012", title="Auth rate-limit bypass", component="auth", concerns=["security"])
    project.spec("REQ-019", title="Prior login redesign", component="auth")
    options = ("retrieve", "--component", "auth", "--concerns", "security")
    assert adlc(*options).text == (
        f"{HEADING}\n"
        "  LESSON-034 (lesson, score 5): Silent failure remediation\n"
        "  BUG-012    (bug,    score 5): Auth rate-limit bypass\n"
        "  REQ-019    (spec,   score 3): Prior login redesign\n"
    )
    assert adlc(*options, "--json").document["retrievedContext"] == [
        "- LESSON-034 (lesson, score 5): Silent failure remediation",
        "- BUG-012 (bug, score 5): Auth rate-limit bypass",
        "- REQ-019 (spec, score 3): Prior login redesign",
    ]


def test_hc102_all_specs_excluded_is_no_cold_start(adlc, project):
    for number in range(3):
        project.spec(f"REQ-00{number}", status="draft", component="auth")
    project.lesson("LESSON-001", title="Kept", component="auth")
    warning = (
        "/spec: WARNING — spec corpus has 3 requirement.md files but 0 passed the status filter (statuses seen: draft). "
        "Retrieval is running on lessons+bugs only. This is a filter/vocabulary mismatch, not a cold start — see BUG-194.\n"
    )
    text, data = adlc("retrieve", "--component", "auth"), adlc("retrieve", "--component", "auth", "--json")
    assert text.talk == data.talk == warning and text.code == data.code == 0
    assert text.text == f"{HEADING}\n  {SUPPRESSED}\n  LESSON-001 (lesson, score 3): Kept\n"
    assert data.document["retrievedContext"] == [SUPPRESSED, "- LESSON-001 (lesson, score 3): Kept"]
    assert data.document["suppressed"] == {"files": 3, "excluded": {"draft": 3}, "malformed": 0}


def test_the_statuses_seen_are_distinct_as_written_and_in_code_point_order(adlc, project):
    for number, status in enumerate(["superseded", "draft", "Draft", "draft", '"  rejected "']):
        project.spec(f"REQ-00{number}", status=Raw(status))
    assert "(statuses seen: Draft, draft, rejected, superseded)." in adlc("retrieve").talk


def test_a_suppressed_corpus_without_other_results_says_only_that(adlc, project):
    project.spec("REQ-001", status="draft")
    result = adlc("retrieve", "--json")
    assert result.document["retrievedContext"] == [SUPPRESSED]
    assert result.document["outcome"] == "no_match"


@pytest.mark.parametrize("draft, numbers", [(False, (0, 2)), (True, (1, 2))])
def test_hc104_malformed_specs_have_a_signal_of_their_own(adlc, project, draft, numbers):
    project.spec(folder="a", text="no frontmatter\n")
    project.spec(folder="b", text="---\nid: REQ-002\n")
    if draft:
        project.spec(folder="c", status="draft")
    result = adlc("retrieve", "--json")
    assert result.talk == (
        f"/spec: WARNING — spec corpus has {sum(numbers)} requirement.md files but none could be used "
        f"(excluded: {numbers[0]}, malformed: {numbers[1]}). Retrieval is running on lessons+bugs only.\n"
    )
    assert result.document["retrievedContext"] == [UNREADABLE]
    assert result.document["suppressed"]["malformed"] == 2


def test_hc103_without_specs_it_is_a_cold_start_without_a_warning(adlc, project):
    (project.root / ".adlc/specs/REQ-001-empty").mkdir(parents=True)
    result = adlc("retrieve", "--component", "auth", "--json")
    assert result.code == 0 and result.err == b""
    assert result.document["outcome"] == "empty" and result.document["suppressed"] is None
    assert result.document["retrievedContext"] == [COLD_START]
    assert adlc("retrieve").text == f"{HEADING}\n  {COLD_START}\n"


def test_documents_that_all_score_zero_are_a_cold_start_too(adlc, project):
    project.spec("REQ-001", component="billing")
    result = adlc("retrieve", "--component", "auth", "--json")
    assert result.err == b"" and result.document["retrievedContext"] == [COLD_START]
    assert result.document["outcome"] == "no_match"


@pytest.mark.parametrize("made", [None, ".adlc", ".adlc/context", ".adlc/specs"])
def test_without_documents_retrieval_goes_on(adlc, project, made):
    if made:
        (project.root / made).mkdir(parents=True)
    result = adlc("retrieve", "--component", "auth", "--json")
    assert result.code == 0 and result.document["retrievedContext"] == [COLD_START]
    assert result.document["counts"]["spec"] == {"files": 0, "admitted": 0, "excluded": {}, "malformed": 0}


def test_hostile_titles_and_ids_stay_on_their_line(adlc, project):
    project.spec(folder="x", id=Raw(r'"REQ\e[1m\u202e"'), title=Raw(r'"a\n- REQ-666 (spec, score 99): forged\u2028\e[2J"'), component="auth")
    lines = adlc("retrieve", "--component", "auth", "--json").document["retrievedContext"]
    assert lines == ["- REQ [1m (spec, score 3): a - REQ-666 (spec, score 99): forged [2J"]
    assert len(adlc("retrieve", "--component", "auth").text.splitlines()) == 2


# -- what the query misses -------------------------------------------------------------------------


def test_f23_unmatched_tags_name_the_nearest_and_where_else_they_occur(adlc, project):
    project.spec("REQ-001", tags=["hooks", "webhook"], stack=["ci"], component="auth")
    project.spec("REQ-002", status="draft", tags=["hook"])
    result = adlc("retrieve", "--component", "auth", "--tags", "hook,ci,qqqq", "--json")
    assert result.document["unmatched"] == [
        {"dimension": "tags", "value": "ci", "nearest": [], "elsewhere": ["stack"]},
        {"dimension": "tags", "value": "hook", "nearest": ["hooks", "webhook"], "elsewhere": []},
        {"dimension": "tags", "value": "qqqq", "nearest": [], "elsewhere": []},
    ]
    assert scores(result) == {"REQ-001": 3}
    talk = adlc("retrieve", "--component", "auth", "--tags", "hook,ci").talk
    assert "no document has tags 'hook'; nearest: hooks, webhook" in talk
    assert "no document has tags 'ci'; known as stack" in talk


def test_an_unknown_tag_is_told_even_when_nothing_is_like_it(adlc, project):
    project.spec("REQ-001", status="draft", component="auth")
    result = adlc("retrieve", "--tags", "qqqq,qq zz")
    assert result.code == 0
    warning, *told = result.talk.splitlines()
    assert warning.startswith("/spec: WARNING — spec corpus has 1 requirement.md files but 0 passed")
    assert told == ["adlc: no document has tags 'qq zz'", "adlc: no document has tags 'qqqq'"]
    in_json = adlc("retrieve", "--tags", "qqqq,qq zz", "--json")
    assert in_json.talk == warning + "\n"
    assert [row["value"] for row in in_json.document["unmatched"]] == ["qq zz", "qqqq"]


# -- the query -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "component: auth\ntags: [login, mfa]\n",
    "component: auth\ntags:\n- login\n- mfa\n",
    "component: auth\ntags: login, mfa",
    '{"component": "auth", "tags": ["login", "mfa"]}',
    '{\n\t"component": "auth",\n\t"domain": null,\n\t"tags": ["login", "mfa", ""]\n}\n',
    "\ufeffcomponent: auth\r\ntags: [login, mfa]\r\n",
])
def test_a_query_file_can_be_yaml_or_json(adlc, corpus, text):
    expected = adlc("retrieve", "--component", "auth", "--tags", "login,mfa", "--json").document
    corpus.write("query.yml", text)
    assert adlc("retrieve", "--query", "query.yml", "--json").document == expected
    assert adlc("retrieve", "--query", "-", "--json", stdin=text).document == expected


def test_json_escapes_beyond_the_basic_plane_are_read(adlc, project):
    project.spec("REQ-001", component="🚀 launch")
    assert ids(adlc("retrieve", "--query", "-", "--json", stdin=json.dumps({"component": "🚀 launch"}))) == ["REQ-001"]


@pytest.mark.parametrize("text, says", [
    ("hello", "not a list of `key: value` lines"), ("[1, 2]", "not a list"), ("component: [", "neither YAML nor JSON"),
    ('{"component": ', "neither YAML nor JSON"), ("component: {a: b}", "'component' in the query is neither"),
    ("tags: [[a]]", "'tags' in the query is neither"), ("colour: red", "unknown key 'colour'"),
    ("component: a\ncomponent: b", "'component' twice"), ("a\x00b", "NUL"), (b"component: \xff", "not valid UTF-8"),
    ('{"component": "\\ud800"}', "neither YAML nor JSON"), ("[" * 5000, "nested too deeply"), ("#" * 70_000, "longer than 64 KiB"),
])
def test_a_query_that_cannot_be_read_is_refused_in_one_line(adlc, corpus, text, says):
    result = adlc("retrieve", "--query", "-", stdin=text)
    assert result.code == 2 and result.out == b"" and result.talk.count("\n") == 1, result
    assert says in result.talk


def test_a_missing_query_file_and_a_doubled_query_are_usage_errors(adlc, corpus):
    assert "no such file" in adlc("retrieve", "--query", "nowhere.yml", "--json").error["message"]
    doubled = adlc("retrieve", "--query", "-", "--component", "auth", "--json", stdin="component: auth")
    assert doubled.code == 2 and "exclude each other" in doubled.error["message"]


def test_an_empty_query_gives_the_untagged_lessons_only(adlc, corpus):
    assert ids(adlc("retrieve", "--json")) == ids(adlc("retrieve", "--query", "-", "--json", stdin="")) == ["LESSON-002"]


# -- the skill's block -----------------------------------------------------------------------------


@pytest.fixture
def installed(adlc, tmp_path):
    """The program from a copy of the checkout, whose skill can be changed."""
    import shutil

    from conftest import ROOT

    copy = tmp_path / "installed"
    for name in ("bin", "tools", "skills"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    adlc.command = ["sh", str(copy / "bin/adlc")]
    return copy


def test_the_exclusion_set_is_read_from_the_skill(adlc, corpus, installed):
    skill = installed / "skills/spec/SKILL.md"
    more = skill.read_text().replace("- `rejected`", "- `complete` — not here\n- `rejected`")
    skill.write_text(more)
    result = adlc("retrieve", "--component", "auth", "--json")
    assert "REQ-001" not in ids(result) and "complete" in result.document["excludedStatuses"]


@pytest.mark.parametrize("change", [
    lambda text: text.replace("<!-- retrieval-status: spec-exclude -->", ""),
    lambda text: text.replace("<!-- /retrieval-status -->", ""),
    lambda text: text.replace("- `", "`"),
    lambda text: text.replace("<!-- retrieval-status: spec-exclude -->", "```\n<!-- retrieval-status: spec-exclude -->") + "\n```\n",
    None,
])
def test_without_the_skills_block_retrieval_is_unavailable(adlc, corpus, installed, change):
    skill = installed / "skills/spec/SKILL.md"
    skill.write_text(change(skill.read_text())) if change else skill.unlink()
    result = adlc("retrieve", "--component", "auth", "--json")
    assert result.code == 3 and result.error["kind"] == "skill_block_missing" and "reinstall" in result.error["fix"]


# -- vendored partials -------------------------------------------------------------------------------


def test_vendored_partials_are_absent_current_or_modified(adlc, corpus, installed):
    def state(**options):
        return adlc("retrieve", "--json", **options).document["partials"]

    (installed / "partials").mkdir(exist_ok=True)
    (installed / "partials/mine.sh").write_text("echo hello\n")
    assert state() == "absent"
    copy = corpus.write(".adlc/partials/mine.sh", "echo hello\n")
    assert state() == "current"
    copy.write_text("echo HELLO\n")
    assert state() == "modified"
    assert "source none of them" in adlc("retrieve").talk


@pytest.mark.parametrize("make", [
    lambda folder: (folder / "other.sh").write_text("echo own\n"),
    lambda folder: (folder / "other.sh").mkdir(),
    lambda folder: (folder / "other.sh").symlink_to("nowhere"),
    lambda folder: os.mkfifo(folder / "other.sh"),
], ids=["unknown", "directory", "dangling", "pipe"])
def test_a_partial_that_the_installation_does_not_have_is_modified(adlc, corpus, make):
    folder = corpus.root / ".adlc/partials"
    folder.mkdir()
    make(folder)
    assert adlc("retrieve", "--json").document["partials"] == "modified"


def test_partials_of_the_working_directory_count_too(adlc, corpus):
    corpus.write("sub/.adlc/partials/evil.sh", "echo own\n")
    assert adlc("retrieve", "--json", cwd=corpus.root / "sub").document["partials"] == "modified"


def test_without_documents_that_is_all_that_is_said(adlc, tmp_path):
    result = adlc("retrieve", "--component", "web", "--tags", "a,b", cwd=tmp_path)
    assert result.code == 0 and result.talk == "adlc: no documents here yet\n"


def test_without_a_tag_nothing_was_compared_and_that_is_said(adlc, project):
    project.spec("REQ-001", component="auth")
    result = adlc("retrieve", "--tags", "")
    assert result.code == 0 and result.talk == "adlc: no tag was asked for, so nothing was compared — adlc retrieve --component … --tags …\n"
    assert adlc("retrieve", "--component", "auth").talk == ""


def test_documents_of_other_layouts_are_not_called_absent(adlc, project):
    project.write("openspec/specs/session/spec.md", "## Purpose\nSessions end.\n\n## Requirements\n")
    result = adlc("retrieve", "--component", "auth")
    assert result.code == 0 and result.talk == "adlc: no documents in .adlc yet; 1 of other layouts have no tags to compare — adlc search \"…\"\n"


def test_a_document_that_takes_no_part_is_said_to_be_left_out(adlc, project):
    project.lesson("LESSON-001", text="no frontmatter\n")
    project.spec("REQ-001", component="auth")
    path = ".adlc/knowledge/lessons/LESSON-001-slug.md"
    assert adlc("retrieve", "--component", "auth").talk == f"adlc: {path}: left out: no frontmatter\n"


def test_a_corpus_that_may_not_be_looked_into_is_no_cold_start(adlc, project, as_user):
    project.spec("REQ-001", component="auth")
    (project.root / ".adlc").chmod(0)
    result = adlc("retrieve", "--component", "auth", "--json", prefix=as_user)
    (project.root / ".adlc").chmod(0o755)
    assert (result.code, result.document["outcome"]) == (0, "no_match") and "none could be used" in result.talk
    assert result.document["retrievedContext"] == [UNREADABLE] and ".adlc/specs: left out: permission denied" in result.document["warnings"]
