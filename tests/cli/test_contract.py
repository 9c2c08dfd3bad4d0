"""Every JSON document the program prints, answers and failures, fits its schema; the page names every key."""

import json
import re

import jsonschema
import pytest
import referencing

from adlc.cli import VERBS
from adlc.errors import KINDS
from builders import Raw
from conftest import ROOT

SCHEMAS = {p.name.removesuffix(".schema.json"): json.loads(p.read_text()) for p in (ROOT / "tools/adlc/schemas").glob("*.json")}
REGISTRY = referencing.Registry().with_resources(
    (schema["$id"], referencing.Resource.from_contents(schema)) for schema in SCHEMAS.values()
)


def check(document: dict) -> None:
    name = document["schema"].removeprefix("adlc.").removesuffix("/1")
    jsonschema.Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(document)


ANSWERS = [
    ("search", "session"),
    ("search", "session", "--explain", "--limit", "1"),
    ("search", "rate", "--corpus", "bug", "--corpus", "lesson"),
    ("search", "sesions zzz"),
    ("list",),
    ("list", "--meta"),
    ("list", "--specs", "--meta"),
    ("list", "--status", "draft,complete"),
    ("list", "--status", "nothing-has-this"),
    ("show", "REQ-001"),
    ("show", "session"),
    ("of-file", "src/console.py"),
    ("of-file", "src/nothing.py"),
    ("retrieve", "--component", "auth", "--concerns", "security,abuse", "--tags", "logn", "--stack", "alerts"),
    ("retrieve", "--component", "nothing-has-this"),
    ("index", "rebuild"),
    ("update",),
    ("materialize", "--harness", "all"),
    ("materialize", "--harness", "all", "--dry-run"),
    ("materialize", "--remove"),
    ("doctor",),
    ("doctor", "--checks", "modes,index", "--fix"),
    ("completion", "bash"),
]
FAILURES = [
    (("frobnicate",), 2, "usage"),
    ((), 2, "usage"),
    (("search", ""), 2, "usage"),
    (("search", "x", "--limit", "0"), 2, "usage"),
    (("list", "--frobnicate"), 2, "usage"),
    (("list", "--status", ","), 2, "usage"),
    (("list", "--root", "/nonexistent"), 3, "no_root"),
    (("of-file",), 2, "usage"),
    (("of-file", "x", "--root", "/nonexistent"), 3, "no_root"),
    (("show", "REQ-999"), 2, "not_found"),
    (("show", "REQ-7"), 2, "ambiguous_id"),
    (("retrieve", "--query", "nonexistent.yml"), 2, "usage"),
    (("index", "rebuild", "--model", "m"), 2, "usage"),
    (("index", "rebuild", "--api-url", "http://127.0.0.1:1", "--model", "m"), 3, "embed_error"),
    (("update", "--root", "/nonexistent"), 3, "no_root"),
    (("materialize", "--harness", "emacs"), 2, "usage"),
    (("doctor", "--checks", "nonsense"), 2, "usage"),
    (("doctor", "--root", "/nonexistent"), 3, "no_root"),
    (("completion", "tcsh"), 2, "usage"),
]


@pytest.mark.parametrize("arguments", ANSWERS, ids=" ".join)
def test_an_answer_fits_its_schema(adlc, corpus, arguments):
    corpus.bug("BUG-008", title=Raw("Colon: in a title"), status="resolved", updated="soon")
    result = adlc(*arguments, "--json")
    assert result.code == 0 and result.err == b"", result
    check(result.document)
    assert result.document["schema"] == f"adlc.{arguments[0]}/1"


@pytest.mark.parametrize("arguments, code, kind", FAILURES, ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value))
def test_a_failure_is_one_document_that_fits_its_schema(adlc, corpus, arguments, code, kind):
    corpus.spec("REQ-7", folder="a")
    corpus.spec("REQ-7", folder="b")
    result = adlc(*arguments, "--json")
    assert result.code == code and result.err == b"", result
    check(result.document)
    assert result.error["kind"] == kind and result.error["fix"]


@pytest.mark.parametrize("verb", ["search", "list", "show", "retrieve"])
def test_an_empty_corpus_fits_the_schema(adlc, project, verb):
    (project.root / ".adlc/specs").mkdir(parents=True)
    question = {"search": ["x"], "show": ["x"]}.get(verb, [])
    document = adlc(verb, *question, "--json").document
    check(document)
    assert document.get("outcome", "empty") == "empty"


def test_every_state_of_an_index_fits_the_schema(adlc, corpus):
    states = []
    for damage in (lambda place: None, lambda place: (place / "vectors.bin").write_bytes(b""), lambda place: (place / "vectors.bin").unlink()):
        if states:
            damage(corpus.root / ".adlc/.context")
        document = adlc("index", "rebuild", "--check", "--json").document
        check(document)
        states.append(document["state"])
        if len(states) == 1:
            check(adlc("index", "rebuild", "--json").document)
            corpus.spec("REQ-060")
            stale = adlc("index", "rebuild", "--check", "--json").document
            check(stale)
            states.append(stale["state"])
    assert states == ["missing", "stale", "corrupted", "missing"]


def test_a_suppressed_spec_corpus_fits_the_schema(adlc, project):
    project.spec("REQ-001", status="draft")
    document = adlc("retrieve", "--json").document
    check(document)
    assert document["suppressed"] == {"files": 1, "excluded": {"draft": 1}, "malformed": 0}


@pytest.mark.parametrize("text, outcome", [("---\ndescription: x\n---\n", "clean"), ("x\n", "findings"), (None, "nothing")])
def test_every_outcome_of_a_lint_fits_the_schema(adlc, corpus, text, outcome):
    if text:
        corpus.write("skills/demo/SKILL.md", text)
    for target in ("skills", "specs"):
        document = adlc("lint", target, "--json").document
        check(document)
        assert document["target"] == target and (target == "specs" or document["outcome"] == outcome)


def test_the_schemas_are_valid_and_let_no_other_key_in():
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    closed = {"schema": "adlc.list/1", "outcome": "empty", "documents": [], "skipped": []}
    check(closed)
    with pytest.raises(jsonschema.ValidationError):
        check(closed | {"surprise": 1})


def test_every_command_has_a_schema():
    # A command with commands of its own has one for each: id-next is adlc id next.
    verbs = {name if name in VERBS else name.split("-")[0] for name in SCHEMAS}
    assert {*VERBS, "error"} == verbs >= {name for name in SCHEMAS if "-" not in name}


def test_the_error_kinds_of_the_schema_are_those_of_the_program():
    assert SCHEMAS["error"]["$defs"]["error"]["properties"]["kind"]["enum"] == list(KINDS)


def keys(schema) -> set[str]:
    if isinstance(schema, dict):
        return set(schema.get("properties", ())) | set().union(*map(keys, schema.values()))
    return set().union(*map(keys, schema)) if isinstance(schema, list) else set()


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_page_names_every_key_in_its_section(name):
    page = (ROOT / "docs/json.md").read_text()
    head, *rest = re.split(r"^## ", page, flags=re.M)
    sections = {text.split("\n", 1)[0]: text for text in rest}
    named = set(re.findall(r"`([^`]+)`", head + sections[name] + (sections["search"] if name == "list" else "")))
    assert keys(SCHEMAS[name]) - named == set()


def test_the_page_names_every_error_kind_under_its_exit_code():
    page = (ROOT / "docs/json.md").read_text()
    rows = dict(re.findall(r"^\| (\d) \| (.*) \|$", page, flags=re.M))
    assert {kind: int(code) for code, kinds in rows.items() for kind in re.findall(r"`([a-z_]+)`", kinds)} == KINDS
