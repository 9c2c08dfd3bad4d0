"""What adlc search says beside its answer: nothing matches, hardly anything does, the documents are in another script."""

import pytest


def hint(adlc, *words):
    return adlc("search", *words, "--json").document["hint"]


@pytest.fixture
def archive(project):
    """Specs in English about things that share no words."""
    project.spec("REQ-001", title="Invoice archive", body="## Description\n\nBooks are kept for ten years.\n")
    project.spec("REQ-002", title="Session renewal", body="## Description\n\nA cookie lasts a month.\n")
    project.spec("REQ-003", title="Authentication of devices", body="## Description\n\nA key for each phone.\n")
    project.bug("BUG-001", title="Thumbnails rotate", body="Pictures from cameras lie on their side.")
    return project


@pytest.mark.parametrize("asked, id", [
    ("invoyce", "REQ-001"),  # another letter
    ("nvoice", "REQ-001"),  # the first one is missing
    ("sesions", "REQ-002"),
    ("thumbnials", "BUG-001"),  # two changed places
    ("authent", "REQ-003"),  # the beginning of a word
])
def test_f22_a_misspelt_word_names_the_title_it_comes_near(adlc, archive, asked, id):
    assert [row["id"] for row in hint(adlc, asked)["nearest"]] == [id]
    assert f"nearest: {id}" in adlc("search", asked).talk


def test_unlike_words_and_words_of_the_body_are_not_near(adlc, archive):
    assert hint(adlc, "zebra")["nearest"] == []
    assert hint(adlc, "cokie")["nearest"] == []


def test_more_words_alike_come_first_then_id_and_path(adlc, project):
    for id, title in (("REQ-003", "Invoice store"), ("REQ-002", "Invoice export"), ("REQ-001", "Invoice list"), ("REQ-004", "Invoice")):
        project.spec(id, title=title)
    assert [row["id"] for row in hint(adlc, "invoyce", "exprt")["nearest"]] == ["REQ-002", "REQ-001", "REQ-003"]


def test_nearest_keeps_to_the_chosen_corpus_and_to_documents_that_are_still_there(adlc, archive):
    assert hint(adlc, "invoyce", "--corpus", "bug")["nearest"] == []
    (archive.root / ".adlc/specs/REQ-001-slug/requirement.md").unlink()
    assert hint(adlc, "invoyce")["nearest"] == []


def test_the_number_searched_and_the_list_are_named_and_the_exit_code_stays_zero(adlc, archive):
    result = adlc("search", "zebra")
    assert result.code == 0 and result.out == b""
    assert result.talk == "adlc: no document matches (4 searched); adlc list shows them all\n"


def test_f22_a_question_in_another_script_is_told_what_the_documents_are_written_in(adlc, archive):
    assert "written in Han, the documents are written in: Latin" in adlc("search", "怎么重置密码").talk
    assert hint(adlc, "怎么重置密码")["scripts"] == ["Latin"]
    assert "written in Cyrillic, the documents" in adlc("search", "Как восстановить пароль").talk


def test_f22_the_scripts_are_those_of_the_documents_not_assumed(adlc, project):
    project.node("login", title="登录", desc="用户可以重置密码")
    project.node("pay", title="支付", desc="订单需要支付")
    talk = adlc("search", "password reset").talk
    assert "written in Latin, the documents are written in: Han" in talk
    assert "written in" not in adlc("search", "锁").talk


def test_f22_a_match_on_a_stray_word_still_tells_of_the_other_script(adlc, archive):
    result = adlc("search", "cookie 什么时候过期")
    assert "REQ-002" in result.text and "written in Han, the documents are written in: Latin" in result.talk
    assert hint(adlc, "cookie 什么时候过期")["missing"] == []


def test_a_foreign_letter_is_no_script_of_the_documents(adlc, project):
    project.spec("REQ-001", title="Response time", body="## Description\n\n" + "Answers come soon enough for everybody. " * 3 + "µ\n")
    assert hint(adlc, "zebra")["scripts"] == ["Latin"]


def test_a_weak_match_says_what_it_lacks_and_keeps_its_answer(adlc, archive):
    query = "kubernetes autoscaling month helm charts"
    result, document = adlc("search", query), adlc("search", query, "--json").document
    assert result.code == 0 and "REQ-002" in result.text
    assert result.talk == (
        "adlc: a weak match: the first document lacks kubernetes, autoscaling, helm, charts; adlc list shows all 4\n"
    )
    assert document["outcome"] == "matched"
    assert document["hint"] == {
        "nearest": [], "scripts": ["Latin"], "all": "adlc list", "missing": ["kubernetes", "autoscaling", "helm", "charts"],
    }


def test_a_weak_match_names_titles_near_the_words_no_document_has(adlc, archive):
    assert [row["id"] for row in hint(adlc, "month kubernetes helm invoyce")["nearest"]] == ["REQ-001"]


def test_a_good_match_and_a_short_question_need_no_hint(adlc, archive):
    for query in ("session cookie lasts zebra", "cookie zebra", "invoice"):
        assert hint(adlc, query) is None
        assert adlc("search", query).talk == ""


def test_hints_are_plain_lines_whatever_is_asked(adlc, archive):
    result = adlc("search", "x\x1b[2Jy\u202ez \x9b", "--", "-q")
    assert result.code == 0 and not any(char in result.talk + result.text for char in "\x1b\x9b\u202e")


def test_a_large_corpus_gets_the_same_hints(adlc, project):
    for number in range(600):
        project.write(f".adlc/bugs/BUG-{number:04}.md", f"---\nid: BUG-{number:04}\ntitle: Entry {number}\n---\nplain words\n")
    project.bug("BUG-9999", title="Invoice archive")
    found = hint(adlc, "invoyce")
    assert [row["id"] for row in found["nearest"]] == ["BUG-9999"] and found["scripts"] == ["Latin"]
    assert hint(adlc, "nvoice")["nearest"] == []  # here only words with the same first letter are compared
