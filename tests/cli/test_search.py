"""adlc search: what is found, in which order, and what is said when nothing is."""

import pytest

from builders import Raw, document


def paths(result) -> list[str]:
    return [row["path"] for row in result.document["results"]]


def test_the_governing_node_comes_first_with_its_line(adlc, corpus):
    document = adlc("search", "what happens on /exit in a session?", "--json").document
    first = document["results"][0]
    assert (first["id"], first["path"], first["layout"]) == ("session", ".spec/console/session/spec.md", "spectree")
    assert "/exit" in first["snippet"]
    line = (corpus.root / first["path"]).read_text().split("\n")[first["line"] - 1]
    assert first["snippet"] in line
    assert document["outcome"] == "matched" and document["matched"] >= len(document["results"])


def test_each_corpus_is_searched_and_can_be_chosen(adlc, corpus):
    every = {row["corpus"] for row in adlc("search", "silent rate session", "--json").document["results"]}
    bugs = adlc("search", "silent rate session", "--corpus", "bug", "--json").document
    assert every == {"lesson", "bug", "spec"}
    assert {row["corpus"] for row in bugs["results"]} == {"bug"} and bugs["searched"] == 2


def test_every_status_is_found(adlc, corpus):
    assert paths(adlc("search", "limiter draft", "--json"))[0] == ".adlc/specs/REQ-002-slug/requirement.md"


def test_the_limit_cuts_and_matched_tells_how_many_there_were(adlc, project):
    for number in range(12):
        project.bug(f"BUG-{number:03}", body="widget")
    default, three = (adlc("search", "widget", *more, "--json").document for more in ((), ("--limit", "3")))
    assert len(default["results"]) == 10 and default["matched"] == 12
    assert three["results"] == default["results"][:3]


def test_equal_scores_are_ordered_by_id_then_path(adlc, project):
    for id, folder in (("REQ-002", "b"), ("REQ-001", "z"), ("REQ-002", "a"), ("REQ-010", "c")):
        project.spec(id, folder=folder, title="Widget", body="same words")
    found = paths(adlc("search", "widget", "--json"))
    assert found == [f".adlc/specs/{folder}/requirement.md" for folder in ("z", "a", "b", "c")]


def test_a_rare_function_word_weighs_less_than_a_rare_word_that_says_something(adlc, project):
    for id, word in (("REQ-001", "can"), ("REQ-002", "backup"), ("REQ-003", "restore")):
        project.spec(id, title="Widget", body=f"The {word} of widgets.")
    assert paths(adlc("search", "can backup", "--json")) == [
        f".adlc/specs/{id}-slug/requirement.md" for id in ("REQ-002", "REQ-001")
    ]
    assert paths(adlc("search", "can", "--json")) == [".adlc/specs/REQ-001-slug/requirement.md"]


def test_explain_shows_parts_that_add_up(adlc, corpus):
    for row in adlc("search", "rate limit bypass", "--explain", "--json").document["results"]:
        assert sum(row["fields"].values()) == pytest.approx(row["score"], abs=0.001)
    text = adlc("search", "rate limit bypass", "--explain").text
    assert "name " in text and "  = " in text
    assert "  = " not in adlc("search", "rate limit bypass").text


def test_the_query_comes_from_arguments_after_dashes_or_from_stdin(adlc, corpus):
    expected = adlc("search", "silent path", "--json").out
    assert adlc("search", "silent", "path", "--json").out == expected
    assert adlc("search", "--json", "--", "silent", "path").out == expected
    assert adlc("search", "-", "--json", stdin="silent path\n").out == expected
    assert adlc("search", "--json", "--", "--limit").document["query"] == "--limit"


def test_code_is_never_in_the_answer(adlc, corpus):
    result = adlc("search", "session exit", "--explain", "--json")
    assert b"console.py" not in result.out and "code" not in result.document["results"][0]


def test_no_match_no_documents_and_unusable_files_are_told_apart(adlc, corpus, project, tmp_path):
    (tmp_path / "none/.spec").mkdir(parents=True)
    nothing = adlc("search", "zzzz", "--json").document
    empty = adlc("search", "zzzz", "--json", "--root", tmp_path / "none").document
    assert (nothing["outcome"], nothing["searched"], nothing["results"]) == ("no_match", 7, [])
    assert (empty["outcome"], empty["searched"], empty["hint"]) == ("empty", 0, None)
    assert nothing["skipped"] == [
        {"path": ".adlc/bugs/BUG-003-broken.md", "corpus": "bug", "reason": "frontmatter opened at line 1 has no closing ---"}
    ]
    assert "1 file(s) could not be used" in adlc("search", "session").talk


def test_f22_a_chinese_question_finds_the_chinese_document(adlc, project):
    project.node("login", title="登录", body="用户可以重置密码。\n")
    project.node("other", title="支付", body="订单需要支付。\n")
    result = adlc("search", "怎么重置密码", "--json")
    assert paths(result) == [".spec/login/spec.md"]
    assert "重置密码" in result.document["results"][0]["snippet"]


def test_f22_one_absent_term_does_not_void_the_query(adlc, project):
    project.node("login", body="用户可以重置密码 on the login page.\n")
    result = adlc("search", "重置密码 zzzz kubernetes", "--json")
    assert paths(result) == [".spec/login/spec.md"]
    assert result.document["terms"]["zzzz"] == 0


def test_a_word_that_every_document_has_does_not_void_the_others(adlc, project):
    for number in range(1, 9):
        project.spec(f"REQ-00{number}", title=f"Session of room {number}", body="A session.\n")
    project.spec("REQ-009", title="Session keys", body="The session rotates its keys.\n")
    result = adlc("search", "session rotates", "--json").document
    assert result["results"][0]["id"] == "REQ-009" and result["results"][0]["score"] > 2 * result["results"][1]["score"]
    assert adlc("search", "session", "--json").document["matched"] == 9


def test_f22_without_hits_the_nearest_titles_the_scripts_and_the_list_are_named(adlc, project):
    project.spec("REQ-001", title="Invoice archive")
    project.spec("REQ-002", title="Unrelated")
    project.node("zh", title="登录 页面 重置 密码")
    hint = adlc("search", "invoyce 支付", "--json").document["hint"]
    assert [row["id"] for row in hint["nearest"]] == ["REQ-001"]
    assert hint["scripts"] == ["Latin", "Han"] and hint["all"] == "adlc list"
    talk = adlc("search", "invoyce 支付").talk
    assert "no document matches (3 searched); adlc list" in talk
    assert "nearest: REQ-001  Invoice archive" in talk and "written in: Latin, Han" in talk


def test_a_quoted_context_is_not_the_specs_own_text(adlc, project):
    project.spec("REQ-001", title="Reports", body="## Description\n\nMonthly.\n\n## Retrieved Context\n\n- LESSON-9 (lesson, score 3): zebra\n")
    project.spec("REQ-002", title="The zebra itself")
    assert paths(adlc("search", "zebra", "--json")) == [".adlc/specs/REQ-002-slug/requirement.md"]


def test_f28_big_documents_give_a_small_answer(adlc, project):
    words = " ".join(f"word{n} widget" for n in range(2000))
    for number in range(30):
        project.spec(f"REQ-{number:03}", title="T" * 3000, body=f"## Description\n\n{words}\n")
    for options in ((), ("--json",)):
        assert len(adlc("search", "widget", *options).out) < 12_000


def test_f30_the_document_survives_merged_streams(adlc, corpus):
    import subprocess

    merged = adlc("search", "session", "--json", stderr=subprocess.STDOUT)
    assert merged.document["skipped"] and merged.document["outcome"] == "matched"
    failed = adlc("search", "", "--json", stderr=subprocess.STDOUT)
    assert failed.code == 2 and failed.error["kind"] == "usage"


def test_hostile_text_is_shown_as_data(adlc, project):
    title = Raw(r'"red \e[31m up\u202Eside\nsecond\u2028third\x9b"')
    project.write(".adlc/bugs/BUG-\x1b[2J\nX.md", document("widget \x1b]0;owned\x07", id=Raw(r'"BUG\e[1m"'), title=title))
    for result in (adlc("search", "widget"), adlc("search", "widget", "--json"), adlc("list", "--meta"), adlc("list", "--json")):
        shown = result.text
        assert result.code == 0 and "red" in shown
        assert not any(char in shown for char in "\x1b\x07\x9b\u202e\u2028"), result
    assert len(adlc("list").text.splitlines()) == 1


def test_the_line_shown_is_not_the_title_once_more(adlc, project):
    project.spec("REQ-001", title="A token ends", body="\n# A token ends\n\n## Description\n\nWhoever signs in gets one.\n\n- BR-1: A token lives for an hour.\n")
    project.write("docs/adr/0007-tokens.md", "# 7. Tokens end\n\n## Context\n\nThey live for an hour.\n")
    (first, second) = adlc("search", "token ends", "--json").document["results"]
    rows = {row["id"]: (row["snippet"], row["line"]) for row in (first, second)}
    assert rows["REQ-001"] == ("BR-1: A token lives for an hour.", 16)
    assert rows["ADR-0007"] == ("They live for an hour.", 0)
