"""adlc id renumber: exactly the one number, everywhere it is cited, or a report of where not."""

import os
import signal

import pytest

from ids_fixtures import Repo, fingerprint

OLD, NEW = "REQ-120", "REQ-145"


@pytest.fixture
def repo(lab):
    return lab.repo("a", "REQ-120-login", "REQ-1200-other")


def renumber(lab, *arguments, code: int = 0, old: str = OLD, new: str = NEW, **options) -> dict:
    result = lab.id("renumber", old, new, "--json", *arguments, **options)
    assert result.code == code, result
    return result.document


def snapshot(repo) -> dict:
    return {k: v for k, v in fingerprint(repo.path).items() if not k.startswith(".git/") and k != ".git"}


@pytest.mark.parametrize("before, after", [
    ("id: REQ-120", "id: REQ-145"), ("REQ-120-slug", "REQ-145-slug"), ("see REQ-120.", "see REQ-145."), ("(REQ-120)", "(REQ-145)"),
    ("REQ-120", "REQ-145"), ("[REQ-120](../REQ-120-login/)", "[REQ-145](../REQ-145-login/)"), ("feat/req-120-x", "feat/req-145-x"),
    ("`REQ-120`_REQ-120_", "`REQ-145`_REQ-145_"), ("见REQ-120。", "见REQ-145。"), ("REQ-120/REQ-120", "REQ-145/REQ-145"), ("REQ-120_notes", "REQ-145_notes"),
    ("REQ-1200", None), ("XREQ-120", None), ("REQ-0120", None), ("SUB_REQ-120", None), ("REQ-12", None), ("BUG-120", None), ("1REQ-120", None),
])
def test_mentions_are_digit_exact(lab, repo, before, after):
    """HC-36, HC-54, HC-55"""
    note = repo.path / "note.txt"
    note.write_bytes(before.encode() + b"\n")
    document = renumber(lab, "--yes")
    assert note.read_text() == (before if after is None else after) + "\n"
    assert ("note.txt" in [row["path"] for row in document["edits"]]) is (after is not None)
    assert (repo.path / ".adlc/specs/REQ-145-login/requirement.md").read_text().startswith("---\nid: REQ-145\ntitle: REQ-145-login")
    assert (repo.path / ".adlc/specs/REQ-1200-other/requirement.md").exists()


def test_a_plan_changes_nothing_and_names_no_absolute_path(lab, repo):
    """HC-56"""
    (repo.path / "note.txt").write_text("REQ-120 and REQ-120\n")
    repo.git("branch", "feat/REQ-120-login")
    before, state = snapshot(repo), lab.state.exists()
    document = renumber(lab)
    assert document["outcome"] == "planned" and {"path": "note.txt", "count": 2} in document["edits"]
    assert document["renames"] == [{"from": ".adlc/specs/REQ-120-login", "to": ".adlc/specs/REQ-145-login"}]
    text = lab.id("renumber", OLD, NEW)
    assert "rename .adlc/specs/REQ-120-login -> .adlc/specs/REQ-145-login\n" in text.text and "--yes" in text.talk
    assert "git branch -m feat/REQ-120-login feat/REQ-145-login" in text.text
    assert str(lab.path) not in text.text + text.talk
    assert snapshot(repo) == before and not state


@pytest.mark.parametrize("old, new", [
    (OLD, "BUG-145"), (OLD, OLD), (OLD, "REQ-0120"), (OLD, "../x"), (OLD, "REQ-12"), ("REQ-12", NEW), ("../REQ-120", NEW), (OLD, "REQ-1234567"), (OLD, "REQ-145-x"), (OLD, ""),
])
def test_what_cannot_be_meant_is_a_usage_error(lab, repo, old, new):
    """HC-57"""
    before = snapshot(repo)
    assert renumber(lab, "--yes", code=2, old=old, new=new)["error"]["kind"] == "usage"
    assert snapshot(repo) == before


def test_an_id_that_no_document_has_is_not_found(lab, repo):
    assert renumber(lab, "--yes", code=2, old="REQ-555")["error"]["kind"] == "not_found"


@pytest.mark.parametrize("where", ["branch name", "remote artifact", "reservation"])
def test_a_number_taken_on_the_remote_is_refused(lab, where):
    """HC-57"""
    lab.repo("a", "REQ-120-login", remote=True)
    other = lab.clone("a", "elsewhere")
    if where == "reservation":
        other.git("push", "-q", "origin", "HEAD:refs/adlc/ids/req/145")
    else:
        other.branch("feat/REQ-145-x" if where == "branch name" else "wip", *([] if where == "branch name" else ["REQ-145-x"]))
        other.push("feat/REQ-145-x" if where == "branch name" else "wip")
    error = renumber(lab, "--yes", code=1)["error"]
    assert error["kind"] == "id_taken" and "adlc id next req" in error["fix"]
    assert (lab.repos / "a/.adlc/specs/REQ-120-login").exists()


def test_a_number_taken_in_the_project_is_refused(lab, repo):
    """HC-60"""
    repo.artifact("REQ-0145-draft")
    before = snapshot(repo)
    assert renumber(lab, "--yes", code=1)["error"]["kind"] == "id_taken"
    assert snapshot(repo) == before


@pytest.mark.parametrize("name, before, after", [
    ("crlf.md", b"a REQ-120\r\nb\r\n", b"a REQ-145\r\nb\r\n"),
    ("cr.txt", b"REQ-120\rREQ-120", b"REQ-145\rREQ-145"),
    ("latin.txt", b"caf\xe9 REQ-120", b"caf\xe9 REQ-145"),
    ("bom.txt", b"\xef\xbb\xbfREQ-120\n", b"\xef\xbb\xbfREQ-145\n"),
    ("utf16le.txt", "\ufeffü REQ-120\r\n".encode("utf-16-le"), "\ufeffü REQ-145\r\n".encode("utf-16-le")),
    ("utf16be.txt", "\ufeffREQ-120 REQ-1200".encode("utf-16-be"), "\ufeffREQ-145 REQ-1200".encode("utf-16-be")),
    ("a space and ümläut 漢.md", b"REQ-120", b"REQ-145"),
    ("line\nbreak.md", b"REQ-120", b"REQ-145"),
    ("-dash.md", b"REQ-120", b"REQ-145"),
    (".adlc/knowledge/notes.md", b"REQ-120", b"REQ-145"),
    ("src/code.py", b"# REQ-120: why\n", b"# REQ-145: why\n"),
])
@pytest.mark.parametrize("tracked", [True, False], ids=["tracked", "untracked"])
def test_line_ends_encodings_and_names_are_kept(lab, repo, name, before, after, tracked):
    """HC-59, D1"""
    path = repo.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(before)
    path.chmod(0o755)
    if tracked:
        repo.commit()
    assert renumber(lab, "--yes")["unhandled"] == []
    assert path.read_bytes() == after and path.stat().st_mode & 0o777 == 0o755


def test_documents_that_git_ignores_are_the_projects_all_the_same(lab, repo):
    (repo.path / ".gitignore").write_text(".adlc/\nbuild/\n")
    (repo.path / "build").mkdir()
    (repo.path / "build/out.txt").write_text("REQ-120")
    repo.artifact("REQ-150-x", "---\nid: REQ-150\nrelated: [REQ-120]\n---\n")
    (repo.path / ".adlc/.context").mkdir()
    (repo.path / ".adlc/.context/specs.json").write_text("REQ-120")
    renumber(lab, "--yes")
    assert "REQ-145" in (repo.path / ".adlc/specs/REQ-150-x/requirement.md").read_text()
    assert (repo.path / "build/out.txt").read_text() == "REQ-120" == (repo.path / ".adlc/.context/specs.json").read_text()


def test_what_cannot_be_rewritten_is_reported_and_left(lab, repo, as_user):
    """HC-59"""
    (repo.path / "image.png").write_bytes(b"\x89PNG\0REQ-120\0")
    (repo.path / "damaged.txt").write_bytes(b"\xff\xfeR\0E\0Q")
    (repo.path / "link").symlink_to(".adlc/specs/REQ-120-login")
    locked = repo.path / "locked.txt"
    locked.write_text("REQ-120")
    locked.chmod(0o400)
    secret = repo.path / "secret.txt"
    secret.write_text("REQ-120")
    secret.chmod(0)
    document = renumber(lab, "--yes", code=1, prefix=as_user)
    assert {row["path"]: row["reason"].split(" to ")[0] for row in document["unhandled"]} == {
        "image.png": "binary", "damaged.txt": "damaged UTF-16", "link": "a symbolic link", "locked.txt": "not writable", "secret.txt": "permission denied",
    }
    assert os.readlink(repo.path / "link") == ".adlc/specs/REQ-120-login" and locked.read_text() == "REQ-120"
    assert (repo.path / ".adlc/specs/REQ-145-login").is_dir()


def test_a_document_in_a_read_only_directory_is_refused_and_nothing_is_claimed_to_be_done(lab, repo, as_user):
    folder = repo.path / ".adlc/specs"
    folder.chmod(0o555)
    before = snapshot(repo)
    error = renumber(lab, "--yes", code=3, prefix=as_user)["error"]
    assert error["kind"] == "write_failed" and str(folder) in error["fix"] and "nothing has been changed" in error["message"]
    assert snapshot(repo) == before


def test_a_file_outside_the_project_is_not_reached_through_a_link(lab, repo):
    outside = lab.path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("REQ-120")
    (repo.path / ".adlc/linked").symlink_to(outside)
    (repo.path / "x.md").symlink_to(outside / "x.md")
    renumber(lab, "--yes")
    assert (outside / "x.md").read_text() == "REQ-120"


def test_files_named_for_the_id_are_renamed_with_it(lab, repo):
    names = [".adlc/specs/REQ-120-login/REQ-120-notes.md", "docs/req-120/plan.md", "docs/REQ-120.png"]
    for name in names:
        path = repo.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("REQ-120" if name.endswith(".md") else "picture")
    document = renumber(lab, "--yes")
    for name in names:
        new = repo.path / name.replace("120", "145")
        assert new.exists() and "REQ-120" not in new.read_text() and not (repo.path / name).exists()
    assert len(document["renames"]) == 4


@pytest.mark.parametrize("kind, name", [("BUG", "BUG-120-crash.md"), ("LESSON", "LESSON-120-look-first.md")])
def test_bugs_and_lessons_are_files(lab, repo, kind, name):
    repo.artifact(name)
    document = renumber(lab, "--yes", old=f"{kind}-120", new=f"{kind}-145")
    assert document["path"].endswith(name)
    assert list(repo.path.rglob(name.replace("120", "145"))) and not list(repo.path.rglob(name))
    assert (repo.path / ".adlc/specs/REQ-120-login").exists()


def test_the_counter_does_not_hand_the_new_number_out_again(lab, repo):
    lab.counter.write_text("145\n")
    renumber(lab, "--yes")
    assert lab.counter.read_text() == "146\n"


# --- two documents with one number

@pytest.fixture
def twice(lab):
    repo = lab.repo("a")
    repo.artifact("REQ-120-login", "---\nid: REQ-120\n---\nREQ-120 is about login.\n")
    repo.artifact("REQ-120-login-v2", "---\nid: REQ-120\n---\nREQ-120 is about more.\n")
    (repo.path / "note.md").write_text("REQ-120, REQ-120-login/requirement.md, REQ-120-login-v2.\n")
    return repo


def test_a_number_taken_twice_asks_which(lab, twice):
    """HC-61"""
    before = snapshot(twice)
    error = renumber(lab, "--yes", code=2)["error"]
    assert error["kind"] == "ambiguous_id" and error["candidates"] == [".adlc/specs/REQ-120-login", ".adlc/specs/REQ-120-login-v2"]
    assert "--path" in error["fix"] and snapshot(twice) == before
    assert renumber(lab, "--path", "nowhere", code=2)["error"]["kind"] == "not_found"


@pytest.mark.parametrize("chosen, note", [
    ("REQ-120-login", "REQ-120, REQ-145-login/requirement.md, REQ-120-login-v2.\n"),
    ("REQ-120-login-v2", "REQ-120, REQ-120-login/requirement.md, REQ-145-login-v2.\n"),
])
def test_the_references_of_the_other_one_stay(lab, twice, chosen, note):
    """HC-61"""
    other = {"REQ-120-login": "REQ-120-login-v2", "REQ-120-login-v2": "REQ-120-login"}[chosen]
    kept = (twice.path / f".adlc/specs/{other}/requirement.md").read_bytes()
    document = renumber(lab, "--yes", "--path", f"./.adlc/specs/{chosen}/requirement.md")
    assert (twice.path / f".adlc/specs/{other}/requirement.md").read_bytes() == kept
    moved = (twice.path / f".adlc/specs/{chosen.replace('120', '145')}/requirement.md").read_text()
    assert moved.startswith("---\nid: REQ-145\n---\nREQ-145 is") and (twice.path / "note.md").read_text() == note
    assert {"path": "note.md", "count": 2} in document["left"]


def test_a_nested_project_with_the_same_number_is_another_document(lab, repo):
    repo.artifact("REQ-120-nested", below="packages/b")
    candidates = renumber(lab, code=2)["error"]["candidates"]
    assert candidates == [".adlc/specs/REQ-120-login", "packages/b/.adlc/specs/REQ-120-nested"]


def test_a_project_below_the_checkout_is_renumbered_alone(lab, repo):
    repo.artifact("REQ-120-nested", below="packages/b")
    renumber(lab, "--yes", cwd=repo.path / "packages/b")
    assert (repo.path / "packages/b/.adlc/specs/REQ-145-nested").exists()
    assert (repo.path / ".adlc/specs/REQ-120-login/requirement.md").read_text().startswith("---\nid: REQ-120")


def test_a_folder_without_git_is_renumbered_too(lab):
    plain = Repo(lab, lab.path / "plain")
    plain.artifact("REQ-120-login")
    (plain.path / "notes").mkdir()
    (plain.path / "notes/x.txt").write_text("REQ-120")
    renumber(lab, "--yes", cwd=plain)
    assert (plain.path / "notes/x.txt").read_text() == "REQ-145" and (plain.path / ".adlc/specs/REQ-145-login").exists()


# --- interrupted

def many(lab, repo) -> None:
    folder = repo.path / "docs"
    folder.mkdir()
    for n in range(400):
        (folder / f"{n:03}-REQ-120.md").write_text(f"{n} REQ-120 REQ-1200\n" * 20)


def begin_and_kill(lab, repo) -> None:
    process = lab.adlc.start("id", "renumber", OLD, NEW, "--yes", cwd=repo.path)
    first = repo.path / "docs/000-REQ-120.md"
    while first.exists() and b"REQ-145" not in first.read_bytes():
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_a_killed_run_is_finished_by_the_next_one(lab, repo, tmp_path):
    """HC-62"""
    many(lab, repo)
    begin_and_kill(lab, repo)
    left = sum(b"REQ-120 " in p.read_bytes() for p in (repo.path / "docs").iterdir())
    assert left, "it was not killed half-way"
    pending = lab.id("renumber", OLD, NEW, "--json")
    assert pending.code == 1 and pending.error["kind"] == "renumber_pending" and pending.error["fix"] == f"adlc id renumber {OLD} {NEW} --yes"
    (row,) = [row for row in lab.id("check", "--offline", "--json").document["findings"] if row["check"] == "interrupted"]
    assert row["fix"] == pending.error["fix"]

    document = renumber(lab, "--yes")
    assert document["outcome"] == "finished" and document["unhandled"] == []
    files = sorted((repo.path / "docs").iterdir())
    assert [p.name for p in files] == [f"{n:03}-REQ-145.md" for n in range(400)]
    assert all(p.read_text() == f"{n} REQ-145 REQ-1200\n" * 20 for n, p in enumerate(files))
    assert (repo.path / ".adlc/specs/REQ-145-login").is_dir() and not list((lab.state / ".adlc-ids").glob("renumber-*.json"))
    assert renumber(lab, "--yes", code=2)["error"]["kind"] == "not_found"


def test_another_renumbering_finishes_a_killed_one_first(lab, repo):
    """HC-62"""
    many(lab, repo)
    begin_and_kill(lab, repo)
    assert renumber(lab, "--yes", old="REQ-1200", new="REQ-1300")["outcome"] == "done"
    assert (repo.path / "docs/399-REQ-145.md").read_text() == "399 REQ-145 REQ-1300\n" * 20


def test_a_file_edited_since_a_killed_run_is_reported_and_left(lab, repo):
    """HC-62"""
    many(lab, repo)
    begin_and_kill(lab, repo)
    (repo.path / "docs/399-REQ-120.md").write_text("mine REQ-120\n")
    document = renumber(lab, "--yes", code=1)
    assert document["unhandled"] == [{"path": "docs/399-REQ-120.md", "reason": "changed since; left as it is"}]
    assert (repo.path / "docs/399-REQ-145.md").read_text() == "mine REQ-120\n"


def test_two_renumberings_of_one_project_take_turns(lab, repo):
    processes = [lab.adlc.start("id", "renumber", old, new, "--yes", cwd=repo.path) for old, new in ((OLD, NEW), ("REQ-1200", "REQ-1300"))]
    assert [p.communicate() and p.returncode for p in processes] == [0, 0]
    assert sorted(p.name for p in (repo.path / ".adlc/specs").iterdir()) == ["REQ-1300-other", "REQ-145-login"]
