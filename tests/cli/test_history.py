"""What the past says of a task and its files: right, or off with the reason; driven as whole processes on real git."""

import json
import os
import shutil
import sqlite3

import jsonschema
import pytest
from test_context import check
from test_contract import SCHEMAS

SUBJECTS = ("locks", "billing", "search", "mail", "themes", "export", "quota", "backup", "upload", "audit", "login", "import")
TASK = "make the export of a report faster"


def spec(name: str, version: int = 0) -> str:
    return f"# {name}\n\n## Purpose\nHow {name} behaves, as agreed.\n\n### Requirement: The {name} work\nThe {name} SHALL work, version {version}.\n"


def path(name: str) -> str:
    return f"openspec/specs/{name}/spec.md"


def beginning() -> list[tuple]:
    return [("Start", {path(name): spec(name) for name in SUBJECTS})]


def past(first: int = 0) -> list[tuple]:
    """Eighteen changes: src/locks.py changed nine times, in seven of them with the spec of locks."""
    commits = []
    for number in range(9):
        with_spec = {path("locks"): spec("locks", first + number + 1)} if number < 7 else {path("mail"): spec("mail", first + number + 1)}
        commits.append((f"Wait less on lock {first + number}", {"src/locks.py": f"{first + number}\n"} | with_spec))
    for number in range(9):
        name = SUBJECTS[number + 1]
        commits.append((f"Work on {name}", {f"lib/{name}.py": f"{first + number}\n", path(name): spec(name, first + number + 20)}))
    return commits


@pytest.fixture
def repository(project):
    project.replay(beginning() + past())
    return project


def context(adlc, *arguments, **options) -> dict:
    return check(adlc("context", "--task", TASK, "--allow-keyword", *arguments, **options).document)


def rows(document: dict) -> dict:
    return {row["id"]: row for row in document["direct"] + document["related"]}


def of_file(adlc, file: str, **options) -> dict:
    document = adlc("of-file", file, "--json", **options).document
    jsonschema.Draft202012Validator(SCHEMAS["of-file"]).validate(document)
    return document


def kept(adlc) -> list:
    return sorted((adlc.cache / "history").glob("*"))


def test_what_changed_together_with_a_given_file_is_named_with_how_often(adlc, repository):
    document = context(adlc, "--paths", "src/locks.py")
    assert rows(document)["locks"]["because"] == "changed together in 7 of 9 changes to src/locks.py"
    assert rows(document)["locks"]["reason"] != rows(document)["locks"]["because"]
    assert "history" in document["summary"]["signals"] and document["summary"]["signalsOff"] == {}
    assert "locks" not in rows(context(adlc)), "nothing but the file leads there"


def test_a_new_file_is_judged_by_its_directory(adlc, repository):
    assert rows(context(adlc, "--paths", "src/new.py"))["locks"]["because"] == "changed together in 7 of 9 changes in src/"


def test_without_paths_the_first_three_stay_and_what_is_added_says_why(adlc, repository, tmp_path):
    task = "wait less for the export"
    with_past = check(adlc("context", "--task", task, "--allow-keyword").document)
    shutil.rmtree(repository.root / ".git")
    without = check(adlc("context", "--task", task, "--allow-keyword").document)
    ids = [[row["id"] for row in document["direct"] + document["related"]] for document in (with_past, without)]
    assert ids[0][:len(ids[1])] == ids[1] and len(ids[0]) > len(ids[1])
    assert rows(with_past)["locks"]["because"].startswith("similar past change Wait less on lock ")
    assert rows(with_past)["locks"]["because"].endswith(" touched this")
    assert not any("because" in rows(with_past)[id] for id in ids[1])
    assert len(with_past["related"]) <= 6


def test_top_holds_for_what_the_past_adds(adlc, repository):
    document = context(adlc, "--paths", "src/locks.py", "--top", "2")
    assert len(document["direct"]) + len(document["related"]) <= 2


def test_by_scope_alone_only_what_usually_changes_with_the_file_is_added(adlc, repository):
    document = check(adlc("context", "--paths", "src/locks.py").document)
    assert document["status"]["quality"] == "scope" and document["direct"] == []
    assert [row["id"] for row in document["related"]] == ["locks"] and document["summary"]["pathsUnmatched"] == ["src/locks.py"]


def off(adlc, **options) -> str:
    document = context(adlc, "--paths", "src/locks.py", **options)
    assert "history" not in document["summary"]["signals"] and not any("because" in row for row in rows(document).values())
    return document["summary"]["signalsOff"]["history"]


def test_without_git_it_is_off(adlc, project):
    project.write(path("locks"), spec("locks"))
    assert off(adlc) == "no git history"
    assert of_file(adlc, "src/locks.py")["usualOff"] == "no git history"


def test_with_few_changes_it_is_off(adlc, project):
    project.replay(beginning() + past()[:13])
    assert off(adlc) == "13 past changes of documents, fewer than 15", "the first touches too many to count"
    project.replay(past()[13:15], start=1_780_000_000)
    assert "history" in context(adlc)["summary"]["signals"]


def test_in_a_shallow_clone_it_is_off(adlc, repository, tmp_path):
    repository.git("clone", "-q", "--depth", "5", f"file://{repository.root}", str(tmp_path / "shallow"))
    assert off(adlc, cwd=tmp_path / "shallow") == "the clone is shallow"


def test_in_a_repository_without_a_commit_it_is_off(adlc, project):
    project.write(path("locks"), spec("locks"))
    project.git("init", "-q")
    assert off(adlc) == "no git history"


def test_with_a_git_that_fails_it_is_off_and_the_answer_still_given(adlc, repository, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "bin/git").chmod(0o755)
    assert off(adlc, env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}) == "git could not list the commits"
    assert "history" in context(adlc)["summary"]["signals"], "that git failed is not remembered"


def same_as_anew(adlc, *arguments, **options) -> dict:
    """The answer, which is that of a call that knows nothing yet."""
    first = context(adlc, *arguments, **options)
    shutil.rmtree(adlc.cache / "history")
    assert context(adlc, *arguments, **options) == first
    return first


def test_new_commits_are_added(adlc, repository):
    context(adlc)
    repository.replay([(f"Lock {n}", {"src/locks.py": f"more {n}\n", path("locks"): spec("locks", 90 + n)}) for n in range(3)], start=1_780_000_000)
    document = same_as_anew(adlc, "--paths", "src/locks.py")
    assert rows(document)["locks"]["because"] == "changed together in 10 of 12 changes to src/locks.py"


def test_a_branch_of_older_commits_that_is_merged_is_added_in_its_place(adlc, repository):
    repository.git("checkout", "-q", "-b", "side", "main~12")
    repository.replay([("Old side", {"src/locks.py": "side\n", path("quota"): spec("quota", 77)})], start=1_700_000_000)
    repository.git("checkout", "-q", "main")
    context(adlc)
    repository.git("merge", "-q", "-s", "ours", "-m", "Merge", "side")
    assert rows(same_as_anew(adlc, "--paths", "src/locks.py"))["locks"]["because"] == "changed together in 7 of 10 changes to src/locks.py"


@pytest.mark.parametrize("gone", [False, True])
def test_a_rewritten_history_is_noticed(adlc, repository, gone):
    context(adlc)
    repository.git("reset", "-q", "--hard", "main~14")
    other = [(f"Other {n}", {"src/locks.py": f"other {n}\n", path("themes"): spec("themes", n + 50)}) for n in range(15)]
    repository.replay(other + past(100)[9:], start=1_780_000_000)
    if gone:
        repository.git("reflog", "expire", "--expire=now", "--all")
        repository.git("gc", "-q", "--prune=now")
    document = same_as_anew(adlc, "--paths", "src/locks.py")
    assert rows(document)["themes"]["because"] == "changed together in 15 of 19 changes to src/locks.py"
    assert "7 of" not in json.dumps(document)


def test_another_branch_has_another_past(adlc, repository):
    repository.git("branch", "short", "main~3")
    assert rows(context(adlc, "--paths", "lib/upload.py"))["upload"]["because"] == "changed together in the only change to lib/upload.py"
    repository.git("checkout", "-q", "short")
    assert not any("lib/upload.py" in row.get("because", "") for row in rows(same_as_anew(adlc, "--paths", "lib/upload.py")).values())
    repository.git("checkout", "-q", "main")
    assert rows(same_as_anew(adlc, "--paths", "lib/upload.py"))["upload"]["because"].endswith("the only change to lib/upload.py")


def test_a_renamed_spec_and_a_renamed_file_keep_their_past(adlc, repository):
    context(adlc)
    repository.replay([("Better names", {
        path("locking"): ("rename", path("locks")), "src/core/locking.py": ("rename", "src/locks.py"),
    })], start=1_780_000_000)
    document = same_as_anew(adlc, "--paths", "src/core/locking.py")
    assert rows(document)["locking"]["because"] == "changed together in 8 of 10 changes to src/core/locking.py"
    assert of_file(adlc, "src/locks.py")["usual"] == [], "nothing is said of the old name"


def test_a_new_file_under_an_old_name_does_not_take_its_past(adlc, repository):
    repository.replay([
        ("Move", {"src/core/locking.py": ("rename", "src/locks.py")}),
        ("New", {"src/locks.py": "something else\n", path("audit"): spec("audit", 60)}),
        ("New", {"src/locks.py": "something else again\n", path("audit"): spec("audit", 61)}),
    ], start=1_780_000_000)
    assert [row["id"] for row in of_file(adlc, "src/locks.py")["usual"]] == ["audit"]
    assert [row["id"] for row in of_file(adlc, "src/core/locking.py")["usual"]] == ["locks"]


def test_files_whose_contents_were_swapped_keep_their_pasts(adlc, repository):
    repository.replay([(f"Pay {n}", {"src/pay.py": f"pay {n}\n", path("billing"): spec("billing", 40 + n)}) for n in range(3)], start=1_780_000_000)
    locks, pay = ((repository.root / f"src/{name}.py").read_text() for name in ("locks", "pay"))
    repository.write("src/pay.py", locks)
    repository.write("src/locks.py", pay)
    repository.commit("2026-08-01T00:00:00Z")
    assert [row["id"] for row in of_file(adlc, "src/pay.py")["usual"]] == ["billing"]
    same_as_anew(adlc, "--paths", "src/pay.py,src/locks.py")


def test_in_a_worktree_of_a_bare_repository(adlc, repository, tmp_path):
    repository.git("clone", "-q", "--bare", str(repository.root), str(tmp_path / "bare.git"))
    repository.git("-C", str(tmp_path / "bare.git"), "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    document = context(adlc, "--paths", "src/locks.py", cwd=tmp_path / "tree")
    assert rows(document)["locks"]["because"] == "changed together in 7 of 9 changes to src/locks.py"


def test_in_a_project_below_the_top_of_its_repository(adlc, project):
    commits = [(subject, {f"app/{file}": text for file, text in changes.items()}) for subject, changes in beginning() + past()]
    project.replay(commits + [("Elsewhere", {"src/locks.py": "not this one\n", path("mail"): spec("mail", 9)})])
    document = context(adlc, "--paths", "src/locks.py", cwd=project.root / "app")
    assert rows(document)["locks"]["because"] == "changed together in 7 of 9 changes to src/locks.py"


def test_the_commits_of_a_change_folder_are_one_change(adlc, project):
    commits = beginning()
    for number in range(16):
        name = SUBJECTS[number % len(SUBJECTS)]
        folder = f"openspec/changes/step-{number}"
        commits += [
            (f"Plan {number}", {f"{folder}/proposal.md": f"{number}\n", f"{folder}/specs/{name}/spec.md": f"## MODIFIED {number}\n"}),
            (f"Code {number}", {f"lib/{name}.py": f"{number}\n", f"{folder}/tasks.md": "done\n"}),
            (f"Archive {number}", {
                f"openspec/changes/archive/2026-01-{number + 1:02}-step-{number}/proposal.md": ("rename", f"{folder}/proposal.md"),
                path(name): spec(name, number + 1),
            }),
        ]
    project.replay(commits)
    document = context(adlc, "--paths", "lib/locks.py")
    assert rows(document)["locks"]["because"] == "changed together in 2 of 2 changes to lib/locks.py"
    assert not any("openspec/changes" in row["path"] for row in rows(document).values())
    assert "similar past change step-" in json.dumps(check(adlc("context", "--task", "export after step 3 and its plan", "--allow-keyword").document))


@pytest.mark.parametrize("files, specs", [(61, 1), (1, 11)])
def test_changes_of_everything_link_nothing(adlc, repository, files, specs):
    everything = {f"gen/f{n}.py": "x\n" for n in range(files)} | {path(name): spec(name, 99) for name in SUBJECTS[:specs]}
    again = {file: f"{text}again\n" for file, text in everything.items()}
    repository.replay([("All", everything), ("All again", again)], start=1_780_000_000)
    assert of_file(adlc, "gen/f0.py")["usual"] == []
    assert not any("gen/" in row.get("because", "") for row in rows(context(adlc, "--paths", "gen/f0.py")).values())


def test_a_document_that_never_changed_is_given_a_mean_share(adlc, repository):
    repository.write(path("reports"), spec("reports export report faster"))
    document = context(adlc, "--paths", "src/locks.py")
    never, changed = rows(document)["reports"], rows(document)["locks"]
    assert "because" not in never and never["scores"]["history"] > 0, "not committed yet, and not put behind"
    assert "because" in changed


def test_a_file_that_nothing_claims_is_told_what_usually_changes_with_it(adlc, repository):
    document = of_file(adlc, "src/locks.py")
    assert document["documents"] == [] and document["usualOff"] is None
    assert [(row["id"], row["together"], row["changes"]) for row in document["usual"]] == [("locks", 7, 9)]
    assert adlc("of-file", "src/locks.py").text == f"usually changes with (no claim): {path('locks')}  locks (7 of 9 changes)\n"
    assert of_file(adlc, "lib/search.py")["usual"] == [], "once is not usually"
    assert of_file(adlc, path("locks"))["usualOff"] == "it is a document itself"


def test_a_claim_comes_before_the_past(adlc, repository):
    repository.spec("REQ-001", scope=["src/locks.py"])
    document = of_file(adlc, "src/locks.py")
    assert [row["id"] for row in document["documents"]] == ["REQ-001"]
    assert document["usual"] == [] and document["usualOff"] == "a document claims it"


def test_a_draft_is_not_what_usually_changes(adlc, project):
    project.replay([
        (f"Step {n}", {"src/a.py": f"{n}\n", ".adlc/specs/REQ-001-x/requirement.md": f"---\nid: REQ-001\ntitle: T\nstatus: draft\n---\n\n{n}\n"})
        for n in range(8)
    ] + past()[9:])
    assert of_file(adlc, "src/a.py")["usual"] == []
    project.write(".adlc/specs/REQ-001-x/requirement.md", "---\nid: REQ-001\ntitle: T\nstatus: complete\n---\n\nx\n")
    assert [row["id"] for row in of_file(adlc, "src/a.py")["usual"]] == ["REQ-001"]


def hook(adlc, project, file: str, session: str) -> str | None:
    call = {"session_id": session, "cwd": str(project.root), "tool_name": "Edit", "tool_input": {"file_path": str(project.root / file)}}
    result = adlc("hook", "spec-of-file", stdin=json.dumps(call))
    assert result.code == 0 and result.err == b"" and len(result.text.rstrip("\n")) <= 400
    return result.document["hookSpecificOutput"]["additionalContext"] if result.out else None


def test_the_hook_reads_what_is_kept_and_builds_nothing(adlc, repository):
    assert hook(adlc, repository, "src/locks.py", "s1") is None and kept(adlc) == []
    of_file(adlc, "src/locks.py")
    assert hook(adlc, repository, "src/locks.py", "s1") == (
        f"No document claims src/locks.py; it usually changes with: {path('locks')} (7 of 9 changes)"
    )
    assert hook(adlc, repository, "src/locks.py", "s1") is None, "once a file and session"
    repository.replay([("Next", {"src/locks.py": "next\n"})], start=1_780_000_000)
    before = [(file, file.read_bytes()) for file in kept(adlc)]
    assert hook(adlc, repository, "src/locks.py", "s2") is None, "another commit may have another past"
    assert [(file, file.read_bytes()) for file in kept(adlc)] == before


def test_hostile_names_and_subjects_stay_data(adlc, repository):
    evil = 'x\x1b[31m"}]} commit 0123 \u202e ' + "long " * 80
    odd = "src/a\tb\nc \u202e'$(touch pwned)'.py"
    repository.replay([(evil, {odd: f"{n}\n", path("locks"): spec("locks", 70 + n)}) for n in range(3)], start=1_780_000_000)
    (repository.root / os.fsdecode(b"src/\xff.py")).write_text("x\n")
    repository.write(path("locks"), spec("locks", 80))
    repository.commit("2026-08-01T00:00:00Z")
    result = adlc("context", "--task", "long commit 0123 x", "--allow-keyword", "--paths", f"src/locks.py,{odd}")
    text = json.dumps(check(result.document), ensure_ascii=False)
    assert "history" in result.document["summary"]["signals"] and all(mark not in text for mark in ("\x1b", "\u202e"))
    assert all(len(row.get("because", "")) <= 200 for row in rows(result.document).values())
    assert b"\x1b[31m" not in adlc("context", "--task", "long commit 0123 x", "--allow-keyword", "--text").out
    assert hook(adlc, repository, odd, "s9") is not None and not (repository.root / "pwned").exists()


def empty(file):
    file.write_bytes(b"")


def noise(file):
    file.write_bytes(os.urandom(5000))


def cut(file):
    data = file.read_bytes()
    file.write_bytes(data[:len(data) // 2])


def blotted(file):
    data = file.read_bytes()
    file.write_bytes(data[:200] + b"\xa5" * (len(data) - 300) + data[-100:])


def directory(file):
    file.unlink()
    file.mkdir()


def statement(sql: str):
    def change(file):
        with sqlite3.connect(file) as connection:
            connection.execute(sql)
        connection.close()
    return change


@pytest.mark.parametrize("damage", [
    empty, noise, cut, blotted, directory,
    *map(statement, (
        "DROP TABLE documents", "DROP TABLE files", "DELETE FROM meta WHERE key='owned'", "UPDATE meta SET value=x'' WHERE key='starts'", "UPDATE meta SET value='x' WHERE key='lengths'",
        "UPDATE meta SET value=x'ffffffff' WHERE key='owned'", "UPDATE files SET numbers=x'ffffff7f'", "UPDATE files SET numbers=x'01'",
        "UPDATE files SET numbers='text'", "UPDATE documents SET changes='many'", "UPDATE documents SET changes=0", "UPDATE documents SET key=x'00ff'",
        "UPDATE terms SET pairs=x'ffffff7f01000000'", "UPDATE meta SET value='no commit' WHERE key='head'", "UPDATE meta SET value=7 WHERE key='head'",
        "DELETE FROM meta WHERE key='head'", "UPDATE meta SET value=x'00' WHERE key='commits'", "UPDATE meta SET value='other' WHERE key='identity'",
        "DELETE FROM documents",
    )),
])
@pytest.mark.parametrize("moved", [False, True])
def test_a_damaged_store_changes_nothing(adlc, repository, damage, moved):
    before = context(adlc, "--paths", "src/locks.py"), of_file(adlc, "src/locks.py")
    (file,) = kept(adlc)
    damage(file)
    if moved:
        repository.replay([("Elsewhere", {"docs/x.md": "x\n"})], start=1_780_000_000)
    # A hook that meets the damage says nothing wrong, and mends nothing.
    assert hook(adlc, repository, "src/locks.py", "s1") in (
        None, f"No document claims src/locks.py; it usually changes with: {path('locks')} (7 of 9 changes)",
    )
    assert (context(adlc, "--paths", "src/locks.py"), of_file(adlc, "src/locks.py")) == before


def test_the_store_of_another_root_is_not_believed(adlc, repository, tmp_path):
    context(adlc)
    (mine,) = kept(adlc)
    repository.git("clone", "-q", str(repository.root), str(tmp_path / "other"))
    context(adlc, cwd=tmp_path / "other")
    (other,) = set(kept(adlc)) - {mine}
    repository.git("reset", "-q", "--hard", "main~1")
    other.replace(mine)
    same_as_anew(adlc, "--paths", "src/locks.py")


def test_where_nothing_can_be_kept_the_answer_is_the_same(adlc, repository, as_user):
    expected = context(adlc, "--paths", "src/locks.py")
    shutil.rmtree(adlc.cache / "history")
    (adlc.cache / "history").mkdir(mode=0o500)
    (adlc.cache / "history").chmod(0o500)
    assert check(adlc("context", "--task", TASK, "--allow-keyword", "--paths", "src/locks.py", prefix=as_user).document) == expected
    assert kept(adlc) == []
    shutil.rmtree(adlc.cache / "history")
    (adlc.cache / "history").write_text("a file")
    assert context(adlc, "--paths", "src/locks.py") == expected


def test_nothing_is_left_beside_the_store_and_it_is_the_users_alone(adlc, repository):
    context(adlc)
    (file,) = kept(adlc)
    assert file.stat().st_mode & 0o077 == 0 and file.parent.stat().st_mode & 0o077 == 0
    assert repository.git("status", "--porcelain") == ""


def test_a_git_that_does_not_end_is_asked_once_for_a_commit(adlc, repository, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(f"#!/bin/sh\necho >>{tmp_path}/asked\nexec sleep 100\n")
    (tmp_path / "bin/git").chmod(0o755)
    slow = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    why = "git did not list the commits within 5 s"
    assert [off(adlc, env=slow) for _ in range(2)] == [why, f"{why}; tried again after the next commit"]
    assert (tmp_path / "asked").read_text() == "\n"
    repository.replay([("Next", {"docs/x.md": "x\n"})], start=1_780_000_000)
    assert "history" in context(adlc)["summary"]["signals"]
