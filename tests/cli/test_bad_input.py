"""Whatever comes in: the right exit code, one line that helps, one JSON document, never a traceback.

`Program.__call__` fails every test of this suite in which a traceback is printed.
"""

import os
import subprocess

import pytest

from builders import document

COMMANDS = {"search": ["widget"], "list": [], "show": ["REQ-001"], "retrieve": ["--component", "auth"]}


def refused(adlc, *arguments, code, kind, **options):
    """The same failure in both forms: one line on stderr; one document and silence with --json."""
    said = adlc(*arguments, **options)
    assert (said.code, said.out) == (code, b"") and said.talk.count("\n") == 1 and said.talk.startswith("adlc: "), said
    data = adlc(*arguments, "--json", **options)
    assert (data.code, data.err, data.error["kind"]) == (code, b"", kind), data
    assert data.error["message"] and data.error["fix"]
    assert data.error["message"][:60] in said.talk
    return said.talk


def skipped(result) -> dict[str, str]:
    assert result.code == 0, result
    return {row["path"]: row["reason"] for row in result.document["skipped"]}


@pytest.fixture
def good(project):
    project.spec("REQ-001", title="Widget", component="auth")
    return project


# -- arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", COMMANDS)
def test_an_unknown_flag(adlc, good, verb):
    assert "--frobnicate" in refused(adlc, verb, *COMMANDS[verb], "--frobnicate", code=2, kind="usage")


@pytest.mark.parametrize("arguments, says", [
    (("search", "x", "--limit", "0"), "--limit 0: must be 1 or more"),
    (("search", "x", "--limit", "-3"), "--limit -3"),
    (("search", "x", "--limit", "many"), "--limit"),
    (("search", "x", "--limi", "3"), "--limi"),
    (("search",), "the query is empty"),
    (("search", " \n\t "), "the query is empty"),
    (("search", "?!… —"), "no word"),
    (("search", b"\xff\xfe".decode("utf-8", "surrogateescape")), "no word"),
    (("search", "x", "--corpus", "novels"), "--corpus"),
    (("show",), "ID|PATH"),
    (("show", "a", "b"), "b"),
    (("serch", "x"), "did you mean 'search'?"),
    (("fr\x1b[31mob\nnicate",), "no command 'fr [31mob nicate'"),
])
def test_arguments_that_make_no_sense(adlc, good, arguments, says):
    assert says in refused(adlc, *arguments, code=2, kind="usage")


def test_a_broken_byte_in_a_query_does_not_spoil_the_rest(adlc, good):
    result = adlc("search", b"widget \xff".decode("utf-8", "surrogateescape"), "--json")
    assert [row["id"] for row in result.document["results"]] == ["REQ-001"]


def test_an_empty_query_from_stdin_and_one_that_is_too_long(adlc, good):
    assert "empty" in refused(adlc, "search", "-", stdin="\n", code=2, kind="usage")
    assert "longer than 64 KiB" in refused(adlc, "search", "-", stdin="a " * 40_000, code=2, kind="usage")


def test_help_and_version_are_answers_and_no_command_is_a_usage_error(adlc, project):
    assert adlc("--help").text.startswith("usage: adlc") and adlc("--help").code == 0
    assert "--limit" in adlc("search", "--help").text and adlc("search", "--help").code == 0
    assert adlc("help", "search").text == adlc("search", "--help").text
    assert "did you mean 'search'" in refused(adlc, "help", "serach", code=2, kind="usage")
    assert adlc("--version").text.startswith("adlc ")
    bare = adlc()
    assert bare.code == 2 and bare.out == b"" and bare.talk.startswith("usage: adlc")


# -- roots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["search", "list", "show"])
def test_no_root(adlc, tmp_path, verb):
    (tmp_path / "empty").mkdir()
    talk = refused(adlc, verb, *COMMANDS[verb], cwd=tmp_path / "empty", code=3, kind="no_root")
    assert "no specs here" in talk and talk.endswith("adlc init\n")


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_root_that_does_not_exist(adlc, good, verb):
    assert "not a directory" in refused(adlc, verb, *COMMANDS[verb], "--root", "nowhere", code=3, kind="no_root")


@pytest.mark.parametrize("verb", COMMANDS)
def test_an_unreadable_root(adlc, good, as_user, verb):
    # The program needs its own directories, which are beside the root.
    good.root.chmod(0)
    options = {"prefix": as_user, "cwd": good.root.parent}
    talk = refused(adlc, verb, *COMMANDS[verb], "--root", good.root, code=3, kind="root_unreadable", **options)
    good.root.chmod(0o755)
    assert f"chmod u+rx {good.root}" in talk


def test_an_unreadable_directory_above_is_not_climbed_over(adlc, good, as_user):
    inner = good.root / "inner"
    (inner / "deep").mkdir(parents=True)
    call = 'cd "$2/deep" && chmod 0 "$2" && exec sh "$1" list'
    done = subprocess.run([*as_user, "sh", "-c", call, "sh", adlc.command[1], inner], env=adlc.environment, capture_output=True)
    inner.chmod(0o755)
    assert done.returncode == 3 and done.stdout == b"" and b"Traceback" not in done.stderr, done


@pytest.mark.parametrize("verb", ["search", "list", "retrieve"])
def test_a_working_directory_that_was_deleted(adlc, good, tmp_path, verb):
    (tmp_path / "gone").mkdir()
    call = 'cd "$2" && rmdir "$2" && exec sh "$1" "$3" x --json 2>/dev/null'
    if verb != "search":
        call = call.replace(" x ", " ")
    done = subprocess.run(["sh", "-c", call, "sh", adlc.command[1], tmp_path / "gone", verb], env=adlc.environment, capture_output=True)
    assert done.returncode == 3 and b'"kind":"no_root"' in done.stdout and done.stdout.count(b"\n") == 1, done


# -- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("content, reason", [
    (bytes(range(256)) * 4, "binary (contains NUL bytes)"),
    (b"\x89PNG\r\n\x1a\n\0\0\0", "binary (contains NUL bytes)"),
    ("---\nid: x\n---\n".encode("utf-16"), "encoded as UTF-16; save it as UTF-8"),
    (b"# caf\xe9\n", "not valid UTF-8 (byte 0xe9 at offset 5)"),
    (b"---\nid: x\n", "frontmatter opened at line 1 has no closing ---"),
    (b"# x\n" + b"a" * (5 << 20), "larger than 4 MiB (5242884 bytes)"),
], ids=["binary", "image", "utf16", "latin1", "unclosed", "5MiB"])
def test_a_file_that_cannot_be_used_is_named_and_stops_nothing(adlc, good, content, reason):
    good.write(".spec/bad/spec.md", content)
    good.write(".adlc/bugs/BUG-001-bad.md", content)
    result = adlc("list", "--json")
    assert skipped(result) == {".adlc/bugs/BUG-001-bad.md": reason, ".spec/bad/spec.md": reason}
    assert [row["id"] for row in result.document["documents"]] == ["REQ-001"]
    assert skipped(adlc("search", "widget", "--json")) == skipped(result), "the cache says the same"
    assert adlc("retrieve", "--component", "auth", "--json").document["counts"]["bug"]["malformed"] == 1


def test_links_that_loop_dangle_or_leave_the_root(adlc, good, tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text(document("widget secret", id="SECRET"))
    bugs = good.root / ".adlc/bugs"
    bugs.mkdir()
    (bugs / "a-loop.md").symlink_to("b-loop.md")
    (bugs / "b-loop.md").symlink_to("a-loop.md")
    (bugs / "c-dangling.md").symlink_to("nowhere.md")
    (bugs / "d-outside.md").symlink_to(secret)
    (bugs / "e-directory.md").symlink_to("../specs")
    good.write("docs/kept.md", document("widget", id="LINKED"))
    (bugs / "f-inside.md").symlink_to("../../docs/kept.md")
    result = adlc("list", "--json")
    assert skipped(result) == {
        ".adlc/bugs/a-loop.md": "a symbolic link that leads nowhere",
        ".adlc/bugs/b-loop.md": "a symbolic link that leads nowhere",
        ".adlc/bugs/c-dangling.md": "a symbolic link that leads nowhere",
        ".adlc/bugs/d-outside.md": "a symbolic link that leaves the root",
        ".adlc/bugs/e-directory.md": "a symbolic link to a directory, which is not followed",
    }
    assert {row["id"] for row in result.document["documents"]} == {"REQ-001", "LINKED"}
    assert b"secret" not in adlc("search", "widget secret", "--json").out.replace(b'"widget secret"', b"").replace(b'"secret":0', b"")


def test_a_directory_that_links_to_its_parent_ends(adlc, good):
    good.node("a/b")
    (good.root / ".spec/a/b/up").symlink_to("../..")
    result = adlc("list", "--json")
    assert len(result.document["documents"]) == 2
    assert skipped(result) == {".spec/a/b/up": "a symbolic link to a directory, which is not followed"}


def test_pipes_directories_and_odd_names(adlc, good):
    (good.root / ".adlc/bugs/dir.md").mkdir(parents=True)
    os.mkfifo(good.root / ".adlc/bugs/pipe.md")
    raw = os.fsencode(good.root / ".adlc/bugs")
    open(os.path.join(raw, b"caf\xe9.md"), "wb").close()
    os.symlink("dir.md", os.path.join(raw, b"link\xe9.md"))
    good.write(".adlc/bugs/two\nlines.md", document(id="LINES"))
    result = adlc("list", "--json")
    assert skipped(result) == {
        ".adlc/bugs/caf?.md": "its name is not valid UTF-8", ".adlc/bugs/dir.md": "not a regular file",
        ".adlc/bugs/link?.md": "its name is not valid UTF-8", ".adlc/bugs/pipe.md": "not a regular file",
    }
    assert {row["path"] for row in result.document["documents"]} >= {".adlc/bugs/two\nlines.md"}
    assert all(line.startswith("adlc: not used: ") for line in adlc("list").talk.splitlines())


def test_an_unreadable_file(adlc, good, as_user):
    good.bug("BUG-001").chmod(0)
    result = adlc("list", "--json", prefix=as_user)
    assert skipped(result) == {".adlc/bugs/BUG-001-slug.md": "permission denied"}


def test_f09_byte_order_mark_line_ends_and_a_marker_at_the_end(adlc, project):
    text = document("BR\n\nline", id="REQ-001", title="Ünïcode", status="complete", component="auth")
    project.spec(folder="bom", text=b"\xef\xbb\xbf" + text.encode())
    project.spec(folder="crlf", text=text.replace("\n", "\r\n"))
    project.spec(folder="cr", text=text.replace("\n", "\r"))
    project.spec(folder="end", text="---\nid: REQ-001\ntitle: Ünïcode\ncomponent: auth\n---")
    rows = adlc("list", "--meta", "--json").document["documents"]
    assert [(row["title"], row["component"], row["frontmatter"], row["problems"]) for row in rows] == [("Ünïcode", "auth", "ok", [])] * 4
    project.spec(folder="utf16", text=text.encode("utf-16-le"))
    project.spec(folder="utf16bom", text=b"\xff\xfe" + text.encode("utf-16-le"))
    found = skipped(adlc("list", "--json"))
    assert found[".adlc/specs/utf16bom/requirement.md"] == "encoded as UTF-16; save it as UTF-8"
    assert ".adlc/specs/utf16/requirement.md" in found


def test_f10_an_unquoted_colon_keeps_the_document_and_says_so(adlc, project):
    project.spec(text="---\nid: REQ-001\ntitle: Auth: retry\nstatus: draft\ntags: [a, b]\n---\n")
    (row,) = adlc("list", "--meta", "--json").document["documents"]
    assert (row["title"], row["status"], row["tags"]) == ("Auth: retry", "draft", ["a", "b"])
    assert row["problems"] == ["frontmatter is not strict YAML: line 3: mapping values are not allowed in this context; read line by line"]
    assert adlc("retrieve", "--tags", "a", "--json").document["counts"]["spec"]["excluded"] == {"draft": 1}


# -- the environment -----------------------------------------------------------------------------


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "C.UTF-8"}, {"LC_ALL": "", "LANG": "xx_XX.ISO-8859-1"}])
def test_titles_in_any_script_under_any_locale(adlc, project, locale):
    project.spec(id="REQ-001", title="Größe — 登录 🚀", component="größe", body="Größe der 登录")
    for arguments in (["search", "größe"], ["list"], ["show", "REQ-001"], ["retrieve", "--component", "Größe"]):
        for form in ([], ["--json"]):
            result = adlc(*arguments, *form, env=locale)
            assert result.code == 0 and "Größe — 登录 🚀" in result.text


@pytest.mark.parametrize("arguments", [["search", "widget"], ["list", "--json"], ["--help"], ["search", "--help"], ["search", "", "--json"]])
def test_a_closed_pipe_is_quiet(adlc, good, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    result = adlc(*arguments, stdout=writer)
    os.close(writer)
    failed = "" in arguments
    assert result.code == (2 if failed else 0) and result.talk.count("\n") == failed


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_full_disk_is_one_line(adlc, good, form):
    with open("/dev/full", "wb") as full:
        result = adlc("list", *form, stdout=full)
    assert result.code == 3 and result.talk == "adlc: the answer cannot be written: no space left on device\n"


@pytest.mark.parametrize("words, code, says", [
    ("search - <&-", 2, b"standard input is closed"), ("proposal frame <&-", 2, b"standard input is closed"),
    ("search - >&-", 3, b"standard output is closed"), ("search - 2>&-", 0, b""), ("search - >&- 2>&-", 3, b""),
])
def test_closed_streams(adlc, good, words, code, says):
    call = f'exec sh "$1" {words}'
    done = subprocess.run(["sh", "-c", call, "sh", adlc.command[1]], env=adlc.environment, cwd=good.root, input=b"widget", capture_output=True)
    assert done.returncode == code and says in done.stderr and done.stderr.count(b"\n") == bool(says), done


def test_an_internal_error_is_one_line_with_a_log(adlc, good, tmp_path):
    import shutil

    from conftest import ROOT

    copy = tmp_path / "broken"
    for name in ("bin", "tools"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "tools/adlc/commands/list.py").write_text("def arguments(parser):\n    raise KeyError('x')\n")
    adlc.command = ["sh", str(copy / "bin/adlc")]
    result = adlc("list")
    assert result.code == 4 and result.out == b"" and result.talk.count("\n") == 1
    log = result.talk.split("the details are in ")[1].strip()
    assert log.startswith(str(adlc.state)) and "KeyError" in open(log).read()
    assert os.stat(log).st_mode & 0o077 == 0
    data = adlc("list", "--json")
    assert data.code == 4 and data.error["kind"] == "internal" and data.err == b""


def test_an_interrupt_is_130_without_a_traceback(adlc, project):
    import signal

    for number in range(200):
        project.bug(f"BUG-{number:03}", title="x" * 400)
    process = adlc.start("list", "--json", bufsize=0)
    # More than a pipe holds: after the first byte the program waits for its reader.
    process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err == b"adlc: interrupted\n", (process.returncode, err)


def test_a_directory_that_cannot_be_read_is_reported_and_the_rest_is_used(adlc, good, as_user):
    good.node("a/b")
    (good.root / ".spec/a").chmod(0)
    result = adlc("list", "--json", prefix=as_user)
    (good.root / ".spec/a").chmod(0o755)
    assert skipped(result) == {".spec/a": "permission denied"}
    assert [row["id"] for row in result.document["documents"]] == ["REQ-001"]


def test_linked_directories_are_not_followed_and_said_so(adlc, good, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "requirement.md").write_text(document("secret", id="REQ-666"))
    (outside / "spec.md").write_text(document("secret", id="REQ-666"))
    (good.root / ".adlc/specs/REQ-666-x").symlink_to(outside)
    (good.root / ".spec").mkdir()
    (good.root / ".spec/x").symlink_to(outside)
    result = adlc("list", "--json")
    assert set(skipped(result)) == {".adlc/specs/REQ-666-x", ".spec/x"}
    assert [row["id"] for row in result.document["documents"]] == ["REQ-001"]
    assert b"REQ-666-x/" not in adlc("search", "secret", "--json").out


def test_a_linked_adlc_directory_is_no_cold_start(adlc, project, good):
    (good.root / ".adlc").rename(good.root / "real")
    (good.root / ".adlc").symlink_to("real")
    result = adlc("retrieve", "--component", "auth", "--json")
    assert result.document["outcome"] != "empty" and "WARNING" in result.talk
    assert any("symbolic link" in line for line in result.document["warnings"])


def test_a_very_deep_tree_is_walked(adlc, good):
    folder = os.open(good.root, os.O_RDONLY)
    for name in (".spec", *["d"] * 1500):
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    result = adlc("list", "--json")
    # Python's own removal recurses and would not come to an end.
    subprocess.run(["rm", "-rf", good.root / ".spec"], check=True)
    assert result.code == 0 and [row["id"] for row in result.document["documents"]] == ["REQ-001"]


@pytest.mark.parametrize("arguments, code", [
    (("list",), 0), (("search", "widget", "--json"), 0), (("lint", "specs"), 1), (("lint", "specs", "--json"), 1), (("id", "check"), 1), (("index", "rebuild", "--check"), 1),
])
def test_a_reader_that_left_does_not_change_what_was_found(adlc, good, arguments, code):
    good.spec("REQ-002", folder="REQ-003-misplaced")
    assert adlc(*arguments).code == code
    reading, writing = os.pipe()
    os.close(reading)
    result = adlc(*arguments, stdout=writing)
    assert result.code == code and "standard output" not in result.talk
    assert adlc(*arguments, stdout=writing, stderr=writing).code == code
    assert adlc(*arguments, stderr=writing).code == code
    os.close(writing)
