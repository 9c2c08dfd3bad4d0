"""The same files and arguments give the same bytes: in any clone, directory order, locale, cache, hash order."""

import os
import shutil
import subprocess

import pytest

from builders import Project, mixed
from conftest import ROOT

QUESTIONS = (
    ("search", "session rate limit bypass silent", "--explain", "--json"),
    ("search", "rate limit"),
    ("list", "--meta", "--json"),
    ("retrieve", "--component", "auth", "--concerns", "security,abuse", "--tags", "alerts,nothing", "--json"),
    ("retrieve", "--component", "auth"),
    ("show", "REQ-001", "--json"),
)


def answers(adlc, root, **options) -> list[tuple]:
    results = [adlc(*question, cwd=root, **options) for question in QUESTIONS]
    assert all(result.code == 0 for result in results), results
    return [(result.out, result.err) for result in results]


@pytest.fixture
def dated(project) -> Project:
    mixed(project)
    for number in range(12):
        project.bug(f"BUG-1{number:02}", title="Rate limit", component="auth", concerns=["abuse"], body="same words")
    return project


def test_two_clones_made_at_different_times(adlc, dated, tmp_path):
    dated.commit()
    one, two = dated.clone(tmp_path / "one"), dated.clone(tmp_path / "elsewhere/two")
    for path in two.root.rglob("*.md"):
        os.utime(path, (1, 1))
    assert answers(adlc, one.root) == answers(adlc, two.root) == answers(adlc, dated.root)


def test_another_directory_order(adlc, dated, tmp_path):
    """A file system lists in the order of creation or of its hashes: the reversed copy differs in the former."""
    expected = answers(adlc, dated.root)
    files = sorted((path for path in dated.root.rglob("*") if path.is_file()), reverse=True)
    for path in files:
        target = tmp_path / "reversed" / path.relative_to(dated.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    assert answers(adlc, tmp_path / "reversed") == expected


def test_the_order_of_the_directory_itself_does_not_count(adlc, dated, tmp_path):
    expected = answers(adlc, dated.root)
    copy = tmp_path / "shuffled"
    shutil.copytree(ROOT / "tools", copy / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "skills", copy / "skills")
    # The order in which the operating system lists, turned round beneath the program.
    main = copy / "tools/adlc/__main__.py"
    main.write_text(
        "import os\nscandir, listdir = os.scandir, os.listdir\n"
        "class Reversed(list):\n    __enter__ = lambda self: self\n    __exit__ = lambda self, *exc: None\n    close = lambda self: None\n"
        "os.scandir = lambda *a: Reversed(sorted(scandir(*a), key=lambda e: e.name, reverse=True))\n"
        "os.listdir = lambda *a: sorted(listdir(*a), reverse=True)\n" + main.read_text()
    )
    adlc.command = python(adlc) + [str(main)]
    adlc.environment["ADLC_SITE"] = site(adlc)
    adlc.forget()
    assert answers(adlc, dated.root) == expected


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8"}, {"LC_ALL": "tr_TR.UTF-8"}, {"LC_ALL": "de_DE.ISO-8859-1", "TZ": "Asia/Tokyo"}])
def test_another_locale_and_time_zone(adlc, dated, locale):
    dated.spec("REQ-003", title="İstanbul ÇALIŞMA", updated="2026-03-04T23:30:00-05:00", component="auth")
    assert answers(adlc, dated.root, env=locale) == answers(adlc, dated.root)


def test_without_the_cache_with_it_and_after_deleting_it(adlc, dated):
    first = answers(adlc, dated.root)
    assert answers(adlc, dated.root) == first
    adlc.forget()
    assert answers(adlc, dated.root) == first
    assert answers(adlc, dated.root, env={"ADLC_CACHE_DIR": os.devnull}) == first


def test_the_order_in_which_documents_arrived_in_the_cache_does_not_count(adlc, dated):
    aside = dated.root / ".adlc/bugs-aside"
    (dated.root / ".adlc/bugs").rename(aside)
    answers(adlc, dated.root)
    (dated.root / ".adlc/bugs").mkdir()
    for path in sorted(aside.iterdir(), reverse=True):
        path.rename(dated.root / ".adlc/bugs" / path.name)
        adlc("search", "rate", "--json")
    assert answers(adlc, dated.root) == answers(adlc, dated.root, env={"ADLC_CACHE_DIR": os.devnull})


def test_any_hash_seed(adlc, dated):
    """The launcher starts Python with -I, which ignores the seed (each process has its own); here it counts."""
    expected = answers(adlc, dated.root)
    adlc.command = python(adlc) + [str(ROOT / "tools/adlc/__main__.py")]
    adlc.environment["ADLC_SITE"] = site(adlc)
    for seed in ("0", "1", "4294967295"):
        adlc.forget()
        assert answers(adlc, dated.root, env={"PYTHONHASHSEED": seed}) == expected


def test_the_seed_of_that_test_takes_effect(adlc):
    def hashed(seed):
        command = [*python(adlc), "-c", "print(hash('adlc'))"]
        return subprocess.run(command, env=adlc.environment | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout

    assert hashed("1") == hashed("1") != hashed("2")


def test_undated_documents_differ_by_their_files_time_alone_and_say_so(adlc, project, tmp_path):
    for number, mtime in (("1", 1_700_000_000), ("2", 1_600_000_000)):
        project.bug(f"BUG-{number}", component="auth", created=None, updated=None, mtime=mtime)
    project.commit()
    clone = project.clone(tmp_path / "clone")
    for path in clone.root.rglob("*.md"):
        os.utime(path, (1_500_000_000, 1_500_000_000))
    here, there = (adlc("retrieve", "--component", "auth", "--json", cwd=root).document["results"] for root in (project.root, clone.root))
    assert [row["id"] for row in here] == ["BUG-1", "BUG-2"] == [row["id"] for row in there]
    assert {row["dateSource"] for row in here + there} == {"mtime"}
    assert adlc("search", "title", "--json", cwd=clone.root).out == adlc("search", "title", "--json", cwd=project.root).out


def python(adlc) -> list[str]:
    return [adlc("where", "python").text.strip(), "-S", "-X", "utf8"]


def site(adlc) -> str:
    from adlc import env

    return f"{adlc.environment['ADLC_DATA_DIR']}/env/{env.key('core')}/{env.kind_of_interpreter()}"
