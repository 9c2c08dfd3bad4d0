"""How far claimed code moved on since its document changed: told from git, and never guessed."""

import os
import shutil

import pytest

from adlc import checkout, git
from adlc.corpus import claims
from adlc.corpus.layouts import places
from adlc.corpus.model import Document
from adlc.signals import staleness
from builders import Project


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ADLC_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def at(day: int) -> str:
    return f"2026-03-{day:02}T12:00:00Z"


@pytest.fixture
def repository(project) -> Project:
    """A spec and its code, committed together on 1 March."""
    project.spec("REQ-001", scope=["src/auth/login.py"])
    for path in ("src/auth/login.py", "src/auth/out.py", "src/config_paths.rs", "docs/a.md"):
        project.write(path, "1\n")
    project.commit(at(1))
    return project


def touch(project: Project, day: int, *paths: str) -> None:
    for path in paths:
        project.write(path, f"as of {day}\n")
    project.commit(at(day))


PATH = ".adlc/specs/REQ-001-slug/requirement.md"


def state(project: Project, scope=("src/auth/login.py",), path: str = PATH, root=None, **fields) -> staleness.Staleness:
    document = Document(path, "adlc", "spec", "REQ-001")
    document.scope = list(scope)
    for name, value in fields.items():
        setattr(document, name, value)
    return staleness.of(str(root or project.root), [document])[path]


def told(found: staleness.Staleness) -> tuple:
    return found.state, found.precise, found.commits


def test_committed_together_is_fresh(repository):
    assert told(state(repository)) == ("fresh", True, 0)


def test_f26_every_commit_to_a_claimed_file_since_the_documents_own_counts_once(repository):
    for day in (2, 3, 4):
        touch(repository, day, "src/auth/login.py", "src/auth/out.py")
    touch(repository, 5, "src/auth/out.py")
    assert told(state(repository)) == ("stale", True, 3)
    assert "3 commits" in state(repository).why and "src/auth/login.py" in state(repository).why
    assert told(state(repository, ["src/auth/login.py", "src/auth/out.py"])) == ("stale", True, 4)
    assert told(state(repository, ["src/auth/*.py"])) == ("stale", True, 4)
    assert told(state(repository, ["docs/a.md"])) == ("fresh", True, 0)


def test_f26_changing_the_document_makes_it_fresh_again(repository):
    touch(repository, 2, "src/auth/login.py")
    repository.spec("REQ-001", title="Kept up", scope=["src/auth/login.py"])
    assert told(state(repository)) == ("fresh", True, 0), "an edit that is not committed yet is the newest there is"
    repository.commit(at(3))
    assert told(state(repository)) == ("fresh", True, 0)
    touch(repository, 4, "src/auth/login.py")
    assert told(state(repository)) == ("stale", True, 1)


def test_f26_a_review_clears_what_came_before_it(repository):
    touch(repository, 2, "src/auth/login.py")
    touch(repository, 6, "src/auth/login.py")
    assert [state(repository, reviewed=day).commits for day in ("2026-03-01", "2026-03-02", "2026-03-05", "2026-03-06", "2026-04-01")] == [2, 1, 1, 0, 0]
    assert state(repository, reviewed="2026-03-06").state == "fresh" and "reviewed" in state(repository, reviewed="2026-03-06").why
    assert state(repository, reviewed="lately").commits == 2, "an unreadable date clears nothing"


def test_f26_a_spec_beside_the_code_is_not_code(repository):
    touch(repository, 2, "src/auth/spec.md", ".adlc/specs/REQ-002-x/requirement.md")
    assert told(state(repository, ["src/auth/*", "src/auth/login.py", ".adlc/specs/*/requirement.md"])) == ("fresh", True, 0)


def test_a_decision_record_is_not_code_wherever_it_lies(repository):
    for folder in places.DECISIONS:
        repository.write(f"{folder}/0001-login.md", "# 1. Login\n")
    touch(repository, 2, *(f"{folder}/0001-login.md" for folder in places.DECISIONS))
    scope = [f"{folder}/0001-login.md" for folder in places.DECISIONS]
    assert told(state(repository, ["src/auth/login.py", *scope])) == ("fresh", True, 0)


@pytest.mark.parametrize("scope, code, expected", [
    ([], [], ("unknown", False, 0)),
    (["src/"], [], ("unknown", False, 0)),
    (["src"], [], ("unknown", False, 0)),
    (["**/*.py", "*", "**", "src/**"], [], ("unknown", False, 0)),
    (["src/", "src/auth/login.py"], [], ("stale", True, 1)),
    ([], ["src/auth/login.py#main"], ("stale", True, 1)),
    (["./src/auth/login.py"], [], ("stale", True, 1)),
    (["src/auth/"], [], ("stale", True, 1)),
    (["src/auth"], [], ("stale", True, 1)),
    (["src/auth/**"], [], ("stale", True, 1)),
    (["src/**/log?n.py"], [], ("stale", True, 1)),
    (["src/auth/l[ab]*"], [], ("fresh", True, 0)),
    (["../outside", "/etc/passwd", "https://x/y", "[[other]]"], [], ("unknown", False, 0)),
    ([":(exclude)src", ":!src/auth", "--all", "-n1"], [], ("fresh", True, 0)),
])
def test_what_a_claim_covers(repository, scope, code, expected):
    touch(repository, 2, "src/auth/login.py")
    assert told(state(repository, scope, code=code)) == expected


def test_without_git_it_is_unknown(project):
    project.spec("REQ-001")
    assert told(state(project)) == ("unknown", True, 0) and state(project).why == "no git history"


def test_without_a_commit_it_is_unknown(project):
    project.spec("REQ-001")
    project.git("init", "-q")
    assert told(state(project)) == ("unknown", True, 0)


def test_in_a_shallow_clone_it_is_unknown(repository, tmp_path):
    touch(repository, 2, "src/auth/login.py")
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.root}", str(tmp_path / "shallow"))
    assert told(state(repository, root=tmp_path / "shallow")) == ("unknown", True, 0)


def test_a_document_that_was_never_committed_is_fresh(repository):
    touch(repository, 2, "src/auth/login.py")
    repository.spec("REQ-005")
    assert told(state(repository, path=".adlc/specs/REQ-005-slug/requirement.md")) == ("fresh", True, 0)


def test_a_checkout_with_other_line_ends_is_no_edit(repository):
    touch(repository, 2, "src/auth/login.py")
    path = repository.root / PATH
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert told(state(repository)) == ("stale", True, 1)


def test_a_root_below_the_repositorys_top_counts_its_own_files(repository):
    inner = Project(repository.root / "packages/one")
    inner.spec("REQ-001", scope=["src/auth/login.py"])
    inner.write("src/auth/login.py", "1\n")
    repository.commit(at(2))
    touch(repository, 3, "src/auth/login.py")
    assert told(state(inner)) == ("fresh", True, 0)
    touch(repository, 4, "packages/one/src/auth/login.py")
    assert told(state(inner)) == ("stale", True, 1)


def test_merges_do_not_count_twice(repository):
    repository.git("checkout", "-q", "-b", "side")
    touch(repository, 2, "src/auth/login.py")
    repository.git("checkout", "-q", "main")
    touch(repository, 3, "docs/a.md")
    repository.git("merge", "-q", "--no-ff", "side", "-m", "merge", when=at(4))
    assert told(state(repository)) == ("stale", True, 1)


def test_a_file_that_was_renamed_away_counts(repository):
    repository.git("mv", "src/auth/login.py", "src/auth/signin.py")
    repository.commit(at(2))
    assert told(state(repository)) == ("stale", True, 1)


@pytest.mark.parametrize("name", ["with space.py", "ünï.py", 'quo"te.py', "commit 1.py", "汉字.py"])
def test_names_of_any_kind(repository, name):
    repository.write(f"src/auth/{name}", "1\n")
    repository.commit(at(2))
    assert told(state(repository, [f"src/auth/{name}"])) == ("stale", True, 1)


def test_a_window_bounds_the_walk_and_says_so(repository, monkeypatch):
    monkeypatch.setattr(staleness, "WINDOW", 3)
    for day in range(2, 8):
        touch(repository, day, "src/auth/login.py")
    assert told(state(repository)) == ("stale", True, 3) and "within the last 3 commits" in state(repository).why
    for day in range(8, 12):
        touch(repository, day, "docs/a.md")
    assert told(state(repository)) == ("unknown", True, 0)


def test_what_was_found_is_kept_for_the_same_commit_and_only_for_it(repository, own_cache, monkeypatch):
    touch(repository, 2, "src/auth/login.py")
    first = told(state(repository))

    def no_git(*arguments, **options):
        raise AssertionError("git was asked again")

    with monkeypatch.context() as patch:
        patch.setattr(git, "run", no_git)
        patch.setattr(git, "records", no_git)
        assert told(state(repository)) == first
    touch(repository, 3, "src/auth/login.py")
    assert told(state(repository)) == ("stale", True, 2)


@pytest.mark.parametrize("content", [b"", b"[", b"[" * 100_000, b"{}", b"[1, 2]", b'[["x"], {"a": 1}]', b"\xff"])
def test_a_damaged_memo_costs_time_only(repository, own_cache, content):
    touch(repository, 2, "src/auth/login.py")
    state(repository)
    (file,) = own_cache.rglob("*.json")
    file.write_bytes(content)
    assert told(state(repository)) == ("stale", True, 1)


def test_a_cache_that_cannot_be_written_costs_time_only(repository, monkeypatch):
    monkeypatch.setenv("ADLC_CACHE_DIR", os.devnull)
    touch(repository, 2, "src/auth/login.py")
    assert told(state(repository)) == ("stale", True, 1)


def test_a_repository_cannot_have_a_program_run(repository, tmp_path):
    """Settings of a hostile checkout that name programs."""
    touch(repository, 2, "src/auth/login.py")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "gpg.program", "diff.external", "core.pager", "filter.x.clean", "filter.x.smudge", "diff.x.textconv"):
        repository.git("config", key, str(trap))
    repository.git("config", "log.showSignature", "true")
    repository.write(".gitattributes", "* filter=x diff=x\n")
    assert told(state(repository)) == ("stale", True, 1)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("where", ["loose", "packed", "detached", "worktree", "symbolic"])
def test_the_commit_is_read_from_gits_own_files(repository, tmp_path, where):
    root = repository.root
    if where == "packed":
        repository.git("pack-refs", "--all")
    elif where == "detached":
        repository.git("checkout", "-q", "--detach")
    elif where == "worktree":
        repository.git("worktree", "add", "-q", str(tmp_path / "tree"))
        root = tmp_path / "tree"
    elif where == "symbolic":
        repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
        repository.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert checkout.head(str(root / "src")) == (repository.git("rev-parse", "HEAD").strip(), False)


@pytest.mark.parametrize("content", ["", "ref: ../../../etc/passwd", "gitdir: /nowhere", "ref: refs/heads/nothing", "\0"])
def test_a_damaged_repository_has_no_commit(project, content):
    (project.root / ".git").mkdir()
    (project.root / ".git/HEAD").write_text(content)
    assert checkout.head(str(project.root)) is None
    shutil.rmtree(project.root / ".git")
    (project.root / ".git").write_text(content)
    assert checkout.head(str(project.root)) is None


@pytest.mark.parametrize("pattern, broad", [
    ("src/", True), ("src/**", True), ("src/*", True), ("**/*.py", True), ("*", True), ("*.md", True), ("src/**/*.py", True),
    ("src/auth/", False), ("src/auth/**", False), ("src/auth/*.py", False), ("src/a.py", False), ("Makefile", False),
    ("src/config*.rs", False), ("**/config.py", False), ("*/auth/", True),
])
def test_what_is_broad(pattern, broad):
    assert claims.broad(pattern) is broad


@pytest.mark.parametrize("pattern, path, covers", [
    ("src/", "src/a/b.py", True), ("src/*.py", "src/a.py", True), ("src/*.py", "src/a/b.py", False), ("src/**", "src/a/b.py", True),
    ("src/**/b.py", "src/b.py", True), ("src/**/b.py", "src/x/y/b.py", True), ("**/b.py", "b.py", True), ("src/?.py", "src/a.py", True),
    ("src/?.py", "src//.py", False), ("src/[ab].py", "src/a.py", True), ("src/[!ab].py", "src/a.py", False), ("src/[!ab].py", "src/c.py", True),
    ("src/[", "src/[", True), ("src/a.py", "src/a+py", False), ("src/[]]", "src/]", True), ("src/[^a]", "src/^", True),
])
def test_what_a_glob_covers(pattern, path, covers):
    assert bool(claims.Claim(pattern, False).matcher().fullmatch(path)) is covers
