"""The parsed cache never changes an answer: whatever happens to the files, to it, or beside it."""

import os
import random
import shutil
import signal
import sqlite3
import threading

import pytest

from builders import Project, document, mixed
from conftest import Result

QUESTIONS = (
    ("search", "session limiter silent title widget", "--explain", "--json"),
    ("list", "--meta", "--json"),
    ("retrieve", "--component", "auth", "--concerns", "security", "--json"),
)


def answers(adlc, **options) -> list[bytes]:
    results = [adlc(*question, **options) for question in QUESTIONS]
    assert all(result.code == 0 for result in results), results
    # With what is said beside them: a cache that fails is nobody's business.
    return [result.out + result.err for result in results]


def uncached(adlc) -> list[bytes]:
    """The answers without any cache: its directory is a file."""
    return answers(adlc, env={"ADLC_CACHE_DIR": os.devnull})


def agrees(adlc) -> None:
    """What the cache answers, first and once more, is what the files say."""
    expected = uncached(adlc)
    assert answers(adlc) == expected
    assert adlc(*QUESTIONS[0]).out == expected[0]


def old(project: Project) -> None:
    """Date all files back, so that the cache need not look at them again."""
    for path in project.root.rglob("*.md"):
        os.utime(path, (1767225600, 1767225600))


# -- files that change -----------------------------------------------------------------------------


def same_size_same_second(root):
    path = root / ".adlc/specs/REQ-001-slug/requirement.md"
    stat = path.stat()
    path.write_bytes(path.read_bytes().replace(b"Login", b"Logon").replace(b"status: \"complete\"", b"status: \"rejected\""))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def replaced_with_the_same_times(root):
    path, new = root / ".adlc/bugs/BUG-001-slug.md", root / ".adlc/new"
    stat = path.stat()
    new.write_bytes(path.read_bytes().replace(b"bypass", b"bipass"))
    os.utime(new, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    new.replace(path)


CHANGES = {
    "an edit of the same size in the same second": same_size_same_second,
    "a replacement with the same size and times": replaced_with_the_same_times,
    "a touch": lambda root: os.utime(root / ".adlc/bugs/BUG-001-slug.md"),
    "a time set back": lambda root: os.utime(root / ".adlc/bugs/BUG-001-slug.md", (1, 1)),
    "a rename": lambda root: (root / ".adlc/bugs/BUG-001-slug.md").rename(root / ".adlc/bugs/BUG-001-other.md"),
    "a renamed directory": lambda root: (root / ".spec/console").rename(root / ".spec/terminal"),
    "two files that swap names": lambda root: swap(root / ".adlc/bugs/BUG-001-slug.md", root / ".adlc/bugs/BUG-002-slug.md"),
    "a deletion": lambda root: (root / ".adlc/knowledge/lessons/LESSON-001-slug.md").unlink(),
    "all deleted": lambda root: shutil.rmtree(root / ".adlc"),
    "an addition": lambda root: Project(root).bug("BUG-010", title="widget session", component="auth"),
    "an addition that changes another one's id": lambda root: Project(root).node("other/session"),
    "a broken file repaired": lambda root: Project(root).bug("BUG-003", name="BUG-003-broken", component="auth"),
    "a sound file broken": lambda root: (root / ".adlc/bugs/BUG-001-slug.md").write_bytes(b"\0"),
    "a file made a link": lambda root: linked(root / ".adlc/bugs/BUG-002-slug.md"),
    "permissions": lambda root: (root / ".adlc/bugs/BUG-001-slug.md").chmod(0o600),
}


def swap(one, two):
    spare = one.with_name("spare")
    one.rename(spare), two.rename(one), spare.rename(two)


def linked(path):
    path.unlink()
    path.symlink_to("BUG-001-slug.md")


@pytest.mark.parametrize("change", CHANGES, ids=lambda name: name.replace(" ", "-"))
def test_the_answer_follows(adlc, corpus, change):
    corpus.lesson("LESSON-009", title="undated", component="auth", created=None, updated=None)
    old(corpus)
    answers(adlc)
    CHANGES[change](corpus.root)
    agrees(adlc)


def test_the_answer_follows_a_long_history(adlc, project):
    """Many small changes, by a fixed seed: added, edited, deleted, moved; with every step asked for."""
    chance = random.Random(5)
    names = [f"BUG-{number:03}" for number in range(12)]
    (project.root / ".adlc/bugs").mkdir(parents=True)
    for step in range(25):
        for _ in range(8):
            name = chance.choice(names)
            path = project.root / f".adlc/bugs/{name}-slug.md"
            if path.exists() and (what := chance.random()) < 0.6:
                path.unlink() if what < 0.4 else path.rename(path.with_name(f"{chance.choice(names)}-slug.md"))
            else:
                project.bug(name, title=f"widget {chance.randint(0, 99)} {name}", component=chance.choice(["auth", "ui"]))
        assert adlc(*QUESTIONS[0]).out == adlc(*QUESTIONS[0], env={"ADLC_CACHE_DIR": os.devnull}).out, step


def test_a_tree_that_changes_during_the_read_gives_one_of_its_states(adlc, project):
    bugs = project.root / ".adlc/bugs"
    for number in range(60):
        project.bug(f"BUG-{number:03}", title="widget before")
    stop = threading.Event()

    def disturb():
        number = 0
        while not stop.is_set():
            number = (number + 7) % 60
            path = bugs / f"BUG-{number:03}-slug.md"
            path.write_text(document(id=f"BUG-{number:03}", title="widget after", status="resolved"))
            path.rename(bugs / "moving.md")
            (bugs / "moving.md").rename(path)
            path.unlink()
            path.write_text(document(id=f"BUG-{number:03}", title="widget before", status="resolved"))

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        questions = (("search", "widget", "--json"), ("list", "--json"), ("retrieve", "--json"))
        for _ in range(2):
            for process in [adlc.start(*questions[number % 3]) for number in range(8)]:
                out, err = process.communicate(timeout=120)
                result = Result(process.returncode, out, err)
                assert result.code == 0, result
                rows = result.document.get("documents", result.document.get("results"))
                # An empty title: the file was seen between its creation and its writing.
                assert {row["title"] for row in rows} <= {"widget before", "widget after", *(row["id"] for row in rows)}
    finally:
        stop.set()
        thread.join()
    agrees(adlc)


# -- a cache that is damaged or cannot be had --------------------------------------------------------


DAMAGES = {
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(random.Random(1).randbytes(40_000)),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "head only": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "body overwritten": lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * (path.stat().st_size - 4096)),
    "a directory": lambda path: (path.unlink(), path.mkdir()),
    "a dangling link": lambda path: (path.unlink(), path.symlink_to("nowhere/at-all")),
    "another database": lambda path: (path.unlink(), sqlite3.connect(path).execute("CREATE TABLE t(a)").connection.close()),
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda name: name.replace(" ", "-"))
def test_a_damaged_cache_changes_nothing(adlc, corpus, damage):
    old(corpus)
    answers(adlc)
    DAMAGES[damage](adlc.cache_file())
    agrees(adlc)


def test_a_cache_with_damaged_content_changes_nothing(adlc, corpus):
    old(corpus)
    answers(adlc)
    intact = adlc.cache_file().read_bytes()
    expected = uncached(adlc)
    with sqlite3.connect(adlc.cache_file()) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        columns = {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})") if row[2] in ("BLOB", "") or row[1] == "record"]
            for name in tables
        }
    connection.close()
    orders = [f"DROP TABLE {name}" for name in tables]
    orders += [f"UPDATE {name} SET {column}=x'ff'" for name in tables for column in columns[name]]
    assert len(orders) > 8
    for order in orders:
        adlc.cache_file().write_bytes(intact)
        with sqlite3.connect(adlc.cache_file()) as connection:
            connection.execute(order)
        connection.close()
        assert adlc(*QUESTIONS[0]).out == expected[0], order
        assert adlc(*QUESTIONS[1]).out == expected[1], order


def test_a_damaged_cache_is_replaced_by_a_sound_one(adlc, corpus):
    answers(adlc)
    path = adlc.cache_file()
    path.write_bytes(b"not a database, " * 1000)
    answers(adlc)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_a_locked_cache_changes_nothing(adlc, corpus, warm):
    answers(adlc)
    if not warm:
        corpus.bug("BUG-011", title="new session")
    expected = uncached(adlc)
    connection = sqlite3.connect(adlc.cache_file(), isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    assert answers(adlc) == expected
    connection.execute("ROLLBACK")
    connection.close()


@pytest.mark.parametrize("changed", [False, True], ids=["as-it-was", "changed-since"])
def test_a_read_only_cache_changes_nothing(adlc, corpus, as_user, changed):
    old(corpus)
    answers(adlc)
    if changed:
        corpus.bug("BUG-001", title="now another session", component="auth")
        (corpus.root / ".adlc/bugs/BUG-002-slug.md").unlink()
    expected = uncached(adlc)
    adlc.cache_file().chmod(0o444)
    adlc.cache_file().parent.chmod(0o555)
    assert answers(adlc, prefix=as_user) == expected
    adlc.cache_file().parent.chmod(0o755)


def test_a_cache_directory_that_cannot_be_made_changes_nothing(adlc, corpus, as_user, tmp_path):
    expected = uncached(adlc)
    (tmp_path / "closed").mkdir(mode=0o555)
    assert answers(adlc, env={"ADLC_CACHE_DIR": str(tmp_path / "closed/cache")}, prefix=as_user) == expected
    assert list((tmp_path / "closed").iterdir()) == []


def test_the_cache_of_another_root_under_this_ones_name_is_not_believed(adlc, corpus, tmp_path):
    other = mixed(Project(tmp_path / "other"))
    other.spec("REQ-001", title="Session of the other root", component="auth")
    for project in (corpus, other):
        old(project)
    answers(adlc, cwd=other.root)
    foreign = adlc.cache_file()
    content = foreign.read_bytes()
    foreign.unlink()
    answers(adlc)
    adlc.cache_file().write_bytes(content)
    agrees(adlc)


# -- processes beside each other ---------------------------------------------------------------------


def test_first_calls_at_the_same_time_all_answer_the_same(adlc, corpus):
    for number in range(60):
        corpus.bug(f"BUG-{number + 100}", title=f"session {number}", body="words " * 200)
    expected = uncached(adlc)[0]
    for _ in range(2):
        processes = [adlc.start(*QUESTIONS[0]) for _ in range(5)]
        outputs = [process.communicate(timeout=120) for process in processes]
        assert [process.returncode for process in processes] == [0] * 5
        assert outputs == [(expected, b"")] * 5
        agrees(adlc)
        adlc.forget()


@pytest.mark.parametrize("grown", [1, 30_000], ids=["when-the-cache-appears", "when-it-grows"])
def test_a_first_call_that_is_killed_leaves_a_usable_cache(adlc, corpus, grown):
    for number in range(150):
        corpus.bug(f"BUG-{number + 100}", title=f"session {number}", body=" ".join(f"w{number}x{n}" for n in range(150)))
    expected = uncached(adlc)
    process = adlc.start(*QUESTIONS[0])
    folder = adlc.cache / "corpus"
    while process.poll() is None:
        if folder.is_dir() and sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file()) >= grown:
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert answers(adlc) == expected
    agrees(adlc)


# -- where it lies -----------------------------------------------------------------------------------


def test_nothing_is_written_under_the_root(adlc, corpus, as_user):
    def tree():
        return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ctime_ns) for path in corpus.root.rglob("*")}

    before = tree()
    answers(adlc)
    adlc("show", "REQ-001")
    assert tree() == before
    for path in [corpus.root, *corpus.root.rglob("*")]:
        if path.is_dir():
            path.chmod(0o555)
    assert answers(adlc, prefix=as_user) == answers(adlc)
    for path in [corpus.root, *corpus.root.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)


def test_the_cache_is_the_users_alone_and_one_for_a_root_however_it_is_named(adlc, corpus, tmp_path):
    (tmp_path / "alias").symlink_to(corpus.root)
    assert answers(adlc, cwd=tmp_path / "alias") == answers(adlc, cwd=corpus.root / ".adlc") == answers(adlc)
    assert adlc.cache_file().parent.stat().st_mode & 0o077 == 0
