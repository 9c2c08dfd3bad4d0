"""adlc intake: sources come from files and standard input, answers on stdout, exit codes as Step 1.4 wants them."""

import os

import pytest

from conftest import ROOT, at_most
from test_contract import check

SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def standup(project):
    project.write("standup.txt", f"[10:00] Ana: the token is {SECRET}\n" + "[10:01] Bo: more\n" * 449)
    return project


def left_over(adlc) -> list:
    folder = adlc.state / "adlc-intake"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def request(adlc, text: str) -> str:
    path = adlc("intake", "detect").text.strip()
    with open(path, "w") as file:
        file.write(text)
    return path


def test_one_request_from_its_file_to_the_end(adlc, standup):
    path = request(adlc, "--intake standup.txt component: auth")
    answer = adlc("intake", "detect", path)
    assert (answer.code, answer.text, answer.talk) == (0, "intake flag\nkind transcript\nsource standup.txt\nrest component: auth\n", "")
    cut = adlc("intake", "segment", path, "--json").document
    assert (cut["lines"], cut["segments"], cut["redacted"], cut["name"], cut["kind"]) == (450, 3, 1, "standup.txt", "transcript")
    assert [(r["id"], r["start"], r["end"]) for r in cut["ranges"]] == [("S01", 1, 200), ("S02", 201, 400), ("S03", 401, 450)]
    for file in (cut["corpus"], cut["ranges"][0]["file"]):
        text = open(file).read()
        assert "[REDACTED]" in text and SECRET not in text and str(standup.root) not in text
    assert adlc("intake", "clean", cut["corpus"], path).code == 0
    assert left_over(adlc) == [] and (standup.root / "standup.txt").exists()


@pytest.mark.parametrize("spelling", ["{}//state", "{}/./state/", "{}/nowhere/../state", "{}/with blank"])
def test_a_state_directory_spelt_in_another_way_is_cleaned_too(adlc, standup, tmp_path, spelling):
    adlc.environment["ADLC_STATE_DIR"] = spelling.format(tmp_path)
    adlc.state = tmp_path / spelling.rstrip("/").rpartition("/")[2]
    path = request(adlc, "--intake standup.txt")
    assert adlc("intake", "detect", path).code == 0
    cut = adlc("intake", "segment", path, "--json").document
    assert cut["name"] == "standup.txt"
    removed = adlc("intake", "clean", cut["corpus"], path, "--json").document
    assert removed["kept"] == [] and left_over(adlc) == []


@pytest.mark.parametrize("text", ["Add it.", "\n".join(["Add it."] * 25), "Add a flag --intake", "nosuch.txt"])
def test_no_source_is_silence_and_leaves_nothing(adlc, text):
    path = request(adlc, text)
    answer = adlc("intake", "detect", path)
    assert (answer.code, answer.out, answer.err) == (1, b"", b"") and left_over(adlc) == []
    assert adlc("intake", "detect", "-", "--json", stdin=text).document == {"schema": "adlc.intake/1", "verb": "detect", "activated": False, "missing": None}


def test_a_flag_for_no_file_is_told_in_one_line(adlc):
    answer = adlc("intake", "detect", request(adlc, "--intake nosuch.txt"))
    assert (answer.code, answer.talk) == (1, "adlc: --intake names no file that can be read: nosuch.txt\n") and left_over(adlc) == []


def test_a_pasted_text_becomes_a_file_of_its_own_that_goes_in_the_end(adlc):
    text = "\n".join(['$(touch ran) `touch ran` "; touch ran; \' '] * 26)
    path = request(adlc, text)
    answer = adlc("intake", "detect", path, "--json").document
    assert (answer["reason"], answer["inline"], answer["name"]) == ("lines", True, "inline-request.txt")
    assert open(answer["path"]).read() == text.rstrip() + "\n"
    cut = adlc("intake", "segment", path, "--json").document
    assert cut["lines"] == 26
    adlc("intake", "clean", cut["corpus"], answer["path"])
    assert left_over(adlc) == [] and os.listdir(adlc.cwd) == []


def test_detecting_twice_is_the_same(adlc):
    path = request(adlc, "\n".join("x" * 26))
    assert adlc("intake", "detect", path, "--json").out == adlc("intake", "detect", path, "--json").out


def test_over_the_budget_nothing_is_made(adlc, project):
    project.write("long.txt", "x\n" * 8001)
    answer = adlc("intake", "segment", "long.txt")
    assert answer.code == 3 and answer.out == b"" and "8001 lines (41 segments" in answer.talk and left_over(adlc) == []
    assert adlc("intake", "segment", "long.txt", "--json").error["kind"] == "over_budget"


def test_an_unreadable_source_is_2(adlc, project, as_user):
    project.write("closed.txt", "x\n")
    os.chmod(project.root / "closed.txt", 0)
    for name in ("closed.txt", "nosuch.txt", "."):
        answer = adlc("intake", "segment", name, prefix=as_user)
        assert answer.code == 2 and answer.out == b"" and left_over(adlc) == []


@pytest.mark.parametrize("words, code, out", [
    (("1", "4200"), 0, "1 200\n"), (("7", "4200"), 0, "1201 1400\n"), (("21", "4200"), 0, "4001 4200\n"), (("3", "450"), 0, "401 450\n"),
    (("08", "4200"), 0, "1401 1600\n"), (("09", "4200"), 0, "1601 1800\n"), (("5", "0900"), 0, "801 900\n"),
    (("22", "4200"), 2, ""), (("0", "450"), 2, ""), (("abc", "450"), 2, ""), (("1",), 2, ""), ((), 2, ""), (("-1", "450"), 2, ""),
])
def test_a_range(adlc, words, code, out):
    answer = adlc("intake", "range", *words)
    assert (answer.code, answer.text) == (code, out)


def test_redact_rewrites_its_own_files_and_filters_but_never_rewrites_the_user_s(adlc, standup):
    cut = adlc("intake", "segment", "standup.txt", "--json").document
    with open(cut["corpus"], "a") as file:
        file.write(SECRET)
    assert adlc("intake", "redact", cut["corpus"]).code == 0 and SECRET not in open(cut["corpus"]).read()
    before = (standup.root / "standup.txt").read_bytes()
    assert adlc("intake", "redact", "standup.txt").code == 2 and (standup.root / "standup.txt").read_bytes() == before
    assert adlc("intake", "redact", "-", stdin=f"a\n{SECRET}\nb\n").text == "a\n[REDACTED]\nb\n"
    adlc("intake", "clean", cut["corpus"])
    assert left_over(adlc) == []


def test_redact_is_2_for_a_corpus_that_is_not_writable(adlc, standup, as_user):
    corpus = adlc("intake", "segment", "standup.txt", "--json").document["corpus"]
    with open(corpus, "a") as file:
        file.write(SECRET)
    os.chmod(corpus, 0o400)
    answer = adlc("intake", "redact", corpus, prefix=as_user)
    assert answer.code == 2 and "not writable" in answer.talk


SECTIONS = ["System Model", "Business Rules", "Acceptance Criteria", "External Dependencies", "Out of Scope"]


def test_the_sections_come_from_the_template_without_those_that_intake_fills(adlc, project):
    (project.root / ".adlc/specs").mkdir(parents=True)
    assert adlc("intake", "sections").text.split("\n")[:-1] == SECTIONS
    project.write(".adlc/templates/requirement-template.md", "---\nx: |\n  ## Head\n---\n# T\n## Rules\n<!--\n## Hidden\n-->\n```\n## Fenced\n```\n## Provenance\n### Deep\n## Limits\n")
    assert adlc("intake", "sections", "--json").document["sections"] == ["Rules", "Limits"]


def test_the_open_gaps_are_told_in_the_contract_s_one_line(adlc):
    answer = adlc("intake", "announce", "2")
    assert answer.talk == "/spec: intake found 2 blocking gap(s) — written to Open Questions, not answered (non-interactive mode)\n" and answer.out == b""
    assert (adlc("intake", "announce", "0").talk, adlc("intake", "announce", "x").code) == ("", 2)


def test_clean_leaves_a_user_s_file_alone(adlc, project):
    project.write("docs/inline-request.txt", "x")
    for env in ({"TMPDIR": "/"}, {"TMPDIR": ""}, {"TMPDIR": str(project.root)}):
        document = adlc("intake", "clean", "docs/inline-request.txt", "/", "--json", env=env).document
        assert document["removed"] == [] and (project.root / "docs/inline-request.txt").exists()


def test_every_document_fits_its_schema(adlc, standup):
    path = request(adlc, "--intake standup.txt")
    calls = [
        ("detect",), ("detect", path), ("detect", "standup.txt"), ("segment", path), ("range", "2", "450"), ("redact", path), ("redact", "-"), ("sections", "--root", "."),
        ("announce", "0"), ("clean", path, "standup.txt"), ("segment", "nosuch"), ("range", "9", "9"), ("detect", "nosuch"), ("nosuch",),
    ]
    (standup.root / ".adlc/specs").mkdir(parents=True)
    for words in calls:
        check(adlc("intake", *words, "--json", stdin="x").document)


def test_a_source_is_never_an_argument(adlc, project):
    """Text given as the argument is taken for the name of a file."""
    assert adlc("intake", "detect", "--", "$(touch ran)\n" * 30).code == 2 and not (project.root / "ran").exists()
    assert ROOT.joinpath("skills/spec/SKILL.md").read_text().count("adlc intake detect") == 2


def test_what_a_full_disk_did_not_let_be_made_leaves_nothing(adlc, standup):
    for words in (("detect",), ("segment", "standup.txt")):
        result = adlc("intake", *words, prefix=at_most(0))
        assert (result.code, result.out) == (3, b"") and "for intake" in result.talk and left_over(adlc) == []
