"""Where adlc id next looks for taken numbers: branches, trees, worktrees, remotes; and what it says when it cannot."""

import contextlib
import http.server
import os
import shutil
import socket
import subprocess
import threading

import pytest

from ids_fixtures import fingerprint, high, repositories


@contextlib.contextmanager
def silent_server():
    """Accepts connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        yield server.getsockname()[1]


@contextlib.contextmanager
def http_server(status: int, header: tuple = ()):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            for name, value in header:
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


needs_http = pytest.mark.skipif(
    not os.path.exists(os.path.join(subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip(), "git-remote-http")),
    reason="git without http",
)


def test_a_branch_on_the_remote_counts(lab):
    """HC-25"""
    repo = lab.repo("a", "REQ-100-x", remote=True)
    repo.branch("feat/REQ-600-x", keep=False)
    answer = lab.next()
    assert answer["number"] == 601 and not answer["degraded"] and answer["reasons"] == []
    assert high(answer, "remote branches") == 600 and high(answer, "disk") == 100


def test_the_highest_of_several_branches_counts(lab):
    """HC-26, HC-29, HC-01"""
    repo = lab.repo("a", remote=True)
    for number in ("600", "650", "0610", "042", "7"):
        repo.branch(f"feat/REQ-{number}-x", keep=False)
    result = lab.id("next", "req")
    assert result.text == "REQ-651\n" and result.err == b""


def test_a_number_is_taken_from_lists_of_any_length(lab):
    """HC-29"""
    lab.repo("a", "REQ-600-a", "REQ-042-b", "REQ-650-c", "REQ-0007-d")
    folder = lab.repos / "a/.adlc/specs"
    for name in ("REQ-", "REQ-x", "notes", "REQ--5", "REQ-٣٣٣", ".DS_Store"):
        (folder / name).mkdir()
    assert lab.next()["number"] == 651


@pytest.mark.parametrize("branch, kind, expected", [
    ("feat/req-700", "req", 701), ("REQ-700", "req", 701), ("ada/feat/REQ-700_x", "req", 701), ("fix/bug-70-crash", "bug", 71),
    ("feat/XREQ-700", "req", 2), ("feat/REQ700", "req", 2), ("feat/REQ-120", "req", 121), ("feat/REQ-1200", "req", 1201),
    ("lesson-33", "lesson", 34), ("feat/REQ-700-and-REQ-720", "req", 721),
])
def test_branch_names_in_any_case_and_place(lab, branch, kind, expected):
    """HC-36"""
    repo = lab.repo("a", "REQ-001-x", remote=True)
    repo.git("branch", branch)
    assert lab.next(kind)["number"] == expected


def test_artifacts_on_unmerged_branches_count_whatever_their_slug(lab):
    """F12"""
    repo = lab.repo("a", "REQ-005-x")
    repo.branch("alpha", "REQ-006-login")
    repo.branch("beta", "REQ-007-login", "BUG-031-x.md")
    assert lab.next()["number"] == 8
    assert lab.next("bug")["number"] == 32


def test_artifacts_on_tags_count(lab):
    """F12"""
    repo = lab.repo("a", "REQ-005-x")
    repo.branch("old", "REQ-090-gone")
    repo.git("tag", "-a", "v1", "old", "-m", "v1")
    repo.git("branch", "-D", "old")
    assert lab.next()["number"] == 91


def test_artifacts_on_many_branches_count(lab):
    repo = lab.repo("a", "REQ-005-x")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    lines = []
    for n in range(90):
        commit = repo.git("commit-tree", tree, "-m", f"{n}")
        lines.append(f"create refs/heads/b{n} {commit}")
    subprocess.run(["git", "update-ref", "--stdin"], cwd=repo.path, input="\n".join(lines) + "\n", text=True, check=True, env=lab.environment)
    repo.branch("deep", "REQ-432-x")
    answer = lab.next()
    assert answer["number"] == 433 and high(answer, "trees") == 432


def test_artifacts_merged_on_the_remote_and_never_fetched_count(lab):
    """HC-33"""
    lab.repo("a", "REQ-100-x", remote=True)
    other = lab.clone("a", "elsewhere")
    other.artifact("REQ-700-y")
    other.artifact("REQ-720-z")
    other.commit()
    other.push()
    answer = lab.next()
    assert answer["number"] == 721 and high(answer, "remote trees") == 720 and not answer["degraded"]


def test_artifacts_on_a_remote_branch_that_was_never_fetched_count(lab):
    lab.repo("a", "REQ-100-x", remote=True)
    other = lab.clone("a", "elsewhere")
    other.branch("wip", "REQ-555-unnamed-in-the-branch")
    other.push("wip")
    assert lab.next()["number"] == 556
    other.git("checkout", "-q", "wip")
    other.artifact("REQ-560-later")
    other.commit()
    other.push("wip")
    assert lab.next()["number"] == 561


@pytest.mark.parametrize("shape", ["full", "shallow", "partial", "bare worktree"])
def test_asking_never_changes_the_users_clone(lab, shape):
    lab.repo("a", "REQ-100-x", remote=True)
    bare = lab.path / "a.git"
    subprocess.run(["git", "config", "uploadpack.allowFilter", "true"], cwd=bare, check=True, env=lab.environment)
    other = lab.clone("a", "elsewhere")
    for n in (101, 102):
        other.artifact(f"REQ-{n}-y")
        other.commit()
    other.push()
    options = {"shallow": ["--depth=1"], "partial": ["--filter=tree:0", "--no-checkout"], "bare worktree": ["--bare"]}.get(shape, [])
    mine = lab.path / "mine" / "clone"
    subprocess.run(["git", "clone", "-q", *options, f"file://{bare}", mine], check=True, env=lab.environment, capture_output=True)
    git_dir = mine if shape == "bare worktree" else mine / ".git"
    if shape == "bare worktree":
        subprocess.run(["git", "worktree", "add", "-q", lab.path / "mine/wt"], cwd=mine, check=True, env=lab.environment, capture_output=True)
        mine = lab.path / "mine/wt"
    other.branch("wip", "REQ-555-z")
    other.push("wip")
    before = fingerprint(git_dir)
    answer = lab.next("req", "--reserve", cwd=mine)
    assert answer["number"] == 556 and answer["reserved"]
    assert fingerprint(git_dir) == before


def test_a_sha256_repository_is_read_too(lab):
    repo = lab.repo("a")
    shutil.rmtree(repo.path / ".git")
    repo.git("init", "-q", "--object-format=sha256")
    repo.commit()
    bare = lab.path / "s.git"
    repo.git("init", "-q", "--bare", "--object-format=sha256", bare)
    repo.git("remote", "add", "origin", bare)
    repo.push()
    repo.branch("wip", "REQ-345-x", keep=False)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    answer = lab.next("req", "--reserve")
    assert answer["number"] == 346 and answer["reserved"] and not answer["degraded"]


def test_settings_that_depend_on_the_place_of_the_repository_hold_for_reading_its_remote(lab):
    """A company's URL is only known where `includeIf "gitdir:…"` says so."""
    repo = lab.repo("a", "REQ-100-x", remote=True)
    other = lab.clone("a", "elsewhere")
    other.branch("wip", "REQ-555-z")
    other.push("wip")
    (lab.adlc.home / "work.inc").write_text(f'[url "{lab.path}/"]\n\tinsteadOf = corp:\n')
    with (lab.adlc.home / ".gitconfig").open("a") as config:
        config.write(f'[includeIf "gitdir:{repo.path}/"]\n\tpath = work.inc\n')
    repo.git("remote", "set-url", "origin", "corp:a.git")
    answer = lab.next("req", "--reserve")
    assert answer["number"] == 556 and answer["reserved"] and not answer["degraded"]


def test_sources_do_not_depend_on_each_other(lab):
    """HC-30: the remote cannot be asked, the artifacts still count."""
    repo = lab.repo("a", "REQ-800-x", remote=True)
    shutil.rmtree(lab.path / "a.git")
    answer = lab.next()
    assert answer["number"] == 801 and answer["degraded"]
    assert any("origin" in reason for reason in answer["reasons"])
    repo.branch("x", "REQ-810-y")
    (repo.path / ".git/refs/heads/broken").write_text("not an object\n")
    assert lab.next()["number"] == 811 or lab.next()["degraded"]


def test_an_unreadable_artifact_folder_degrades_and_the_others_count(lab, as_user):
    """HC-32"""
    lab.repo("a", "LESSON-040-x.md")
    repo = lab.repo("b", "LESSON-070-y.md")
    (repo.path / ".adlc/knowledge/lessons").chmod(0)
    shutil.rmtree(repo.path / ".git")
    answer = lab.next("lesson", prefix=as_user)
    assert answer["number"] == 41 and any(reason.startswith("disk of b") for reason in answer["reasons"])


def test_no_remote_anywhere_is_degraded_and_still_allocates(lab):
    """HC-31, HC-32"""
    lab.repo("a", "LESSON-007-x.md")
    answer = lab.next("lesson")
    assert answer["number"] == 8 and answer["degraded"] and "no repository here has a remote" in answer["reasons"]


def test_one_remote_of_many_repositories_is_enough(lab):
    lab.repo("a")
    lab.repo("b", remote=True)
    assert not lab.next()["degraded"]


@pytest.mark.parametrize("url, forge", [
    ("https://dev.azure.com:1/org/project/_git/x", "azure-devops"),
    ("git://forge.invalid/x.git", "forge.invalid"),
    ("https://ada:secret@127.0.0.1:1/x.git", "127.0.0.1"),
])
def test_an_unreachable_remote_is_named_by_its_forge_without_credentials(lab, url, forge):
    """HC-34, HC-35"""
    repo = lab.repo("a", "REQ-100-x")
    repo.git("remote", "add", "origin", url)
    env = {"https_proxy": "", "HTTPS_PROXY": "", "all_proxy": "", "no_proxy": "*"}
    result = lab.id("next", "req", "--json", env=env)
    answer = result.document
    assert answer["number"] == 101 and answer["degraded"] and any(forge in reason for reason in answer["reasons"])
    assert b"secret" not in result.out + lab.id("next", "req", env=env).err


@pytest.mark.parametrize("scheme", ["git", pytest.param("http", marks=needs_http)])
def test_a_remote_that_never_answers_degrades(lab, scheme):
    """HC-51"""
    repo = lab.repo("a", "REQ-100-x")
    with silent_server() as port:
        repo.git("remote", "add", "origin", f"{scheme}://127.0.0.1:{port}/x.git")
        answer = lab.next()
    assert answer["number"] == 101 and answer["degraded"] and any("no answer in time" in reason for reason in answer["reasons"])
    assert not lab.lock.exists()


@needs_http
def test_nobody_is_ever_asked_for_a_password(lab):
    """HC-51"""
    repo = lab.repo("a", "REQ-100-x")
    asked = lab.path / "asked"
    helper = lab.path / "askpass"
    helper.write_text(f"#!/bin/sh\ntouch '{asked}'\necho x\n")
    helper.chmod(0o755)
    with http_server(401, (("WWW-Authenticate", 'Basic realm="x"'),)) as port:
        repo.git("remote", "add", "origin", f"http://127.0.0.1:{port}/x.git")
        repo.git("config", "core.askPass", helper)
        answer = lab.next(env={"GIT_ASKPASS": str(helper), "SSH_ASKPASS": str(helper), "GIT_TERMINAL_PROMPT": "1"})
    assert answer["number"] == 101 and answer["degraded"] and not asked.exists()


def fake_ssh(lab, name: str):
    log = lab.path / f"{name}.log"
    folder = lab.path / name
    folder.mkdir()
    (folder / "ssh").write_text(f"#!/bin/sh\necho \"$@\" >>'{log}'\necho 'ssh: no route' >&2\nexit 255\n")
    (folder / "ssh").chmod(0o755)
    return folder, log


def test_ssh_runs_in_batch_mode_and_its_own_words_are_the_reason(lab):
    """HC-51"""
    repo = lab.repo("a")
    folder, log = fake_ssh(lab, "bin")
    repo.git("remote", "add", "origin", "ssh://git@forge.invalid/x.git")
    answer = lab.next(env={"PATH": f"{folder}:{os.environ['PATH']}"})
    assert "-oBatchMode=yes" in log.read_text() and any("ssh: no route" in reason for reason in answer["reasons"])


def test_the_repositorys_own_ssh_command_is_kept(lab):
    repo = lab.repo("a")
    folder, log = fake_ssh(lab, "own")
    repo.git("remote", "add", "origin", "ssh://git@forge.invalid/x.git")
    repo.git("config", "core.sshCommand", f"{folder}/ssh -i key")
    lab.next()
    assert "-i key -oBatchMode=yes" in log.read_text()


def test_a_git_that_is_missing_degrades(lab):
    lab.repo("a", "REQ-100-x")
    tools = lab.path / "tools"
    tools.mkdir()
    for name in ("sh", "readlink", "id", "timeout", "uname"):
        (tools / name).symlink_to(shutil.which(name))
    answer = lab.next(env={"PATH": str(tools)})
    assert answer["number"] == 101 and any("git cannot be run" in reason for reason in answer["reasons"])


def test_variables_of_a_calling_git_do_not_lead_elsewhere(lab):
    """As in a hook: git exports its own GIT_DIR to it."""
    repo = lab.repo("a", "REQ-100-x")
    repo.branch("x", "REQ-200-y")
    other = lab.repo("other", "REQ-001-x", folder=lab.path / "far")
    answer = lab.next(env={"GIT_DIR": str(other.path / ".git"), "GIT_INDEX_FILE": "x", "GIT_WORK_TREE": str(other.path)})
    assert answer["number"] == 201


def test_a_cache_that_cannot_be_used_degrades_and_leaves_the_rest(lab):
    repo = lab.repo("a", "REQ-100-x", remote=True)
    repo.branch("feat/REQ-300-x", "REQ-301-unseen", keep=False)
    lab.adlc.cache.write_text("in the way")
    answer = lab.next("req", "--reserve")
    assert answer["number"] == 301 and answer["reserved"] is False and answer["warnings"]
    assert any("remote trees" in reason and str(lab.adlc.cache) in reason for reason in answer["reasons"])


# --- worktrees

@pytest.fixture
def trees(lab):
    """A repository with a nested and an external linked worktree, and one beside it."""
    repo = lab.repo("a", "REQ-100-x")
    lab.repo("b", "REQ-700-y")
    nested, external, beside = repo.path / ".claude/worktrees/n", lab.path / "far/e", lab.repos / "a-feature"
    for n, path in enumerate((nested, external, beside)):
        repo.git("worktree", "add", "-q", "-b", f"wt{n}", path)
    return {"main": repo.path, "nested": nested, "external": external, "beside": beside}


@pytest.mark.parametrize("where", ["main", "nested", "external", "beside"])
def test_a_linked_worktree_shares_repositories_and_lock_with_the_main_checkout(lab, trees, where):
    """HC-40, HC-41"""
    answer = lab.next(cwd=trees[where])
    assert repositories(answer) == {"a", "b"} and answer["number"] == 701
    holder = lab.hold()
    blocked = lab.refused("next", "req", cwd=trees[where], env={"ADLC_LOCK_TIMEOUT": "0"})
    assert str(lab.lock) in blocked["message"]
    holder.communicate("\n")


def test_uncommitted_artifacts_in_other_worktrees_count(lab, trees):
    spec = trees["external"] / ".adlc/specs/REQ-900-draft"
    spec.mkdir(parents=True)
    assert lab.next(cwd=trees["main"])["number"] == 901


def test_a_worktree_whose_directory_is_gone_is_no_problem(lab, trees):
    shutil.rmtree(trees["external"])
    assert lab.next(cwd=trees["main"])["number"] == 701


def test_offline_clones_are_told_so_and_can_check_later(lab):
    """F15"""
    lab.repo("a", "REQ-100-x", remote=True)
    other = lab.clone("a", "elsewhere")
    bare, hidden = lab.path / "a.git", lab.path / "hidden.git"
    bare.rename(hidden)
    mine, theirs = lab.next(), lab.next(cwd=other, env=lab.machine("elsewhere"))
    assert mine["number"] == theirs["number"] == 101 and mine["degraded"] and theirs["degraded"]
    hidden.rename(bare)
    other.artifact("REQ-101-theirs")
    other.commit()
    other.push()
    (lab.repos / "a/.adlc/specs/REQ-101-mine").mkdir()
    result = lab.id("check", "REQ-101", "--json")
    assert result.code == 1 and result.document["findings"][0]["fix"] == "adlc id renumber REQ-101 REQ-102"


def test_high_asks_no_remote_when_told_to_stay_offline(lab):
    repo = lab.repo("a", "REQ-100-x", remote=True)
    repo.branch("feat/REQ-600-x", keep=False)
    document = lab.id("high", "req", "--offline", "--json").document
    assert document["number"] == 100 and not document["degraded"]


def test_a_pipe_in_the_place_of_a_neighbours_git_file_holds_nothing_up(lab):
    """The folder above can be one that others write into, such as /tmp."""
    lab.repo("a", "REQ-100-x")
    (lab.repos / "b/.adlc/specs/REQ-200-y").mkdir(parents=True)
    os.mkfifo(lab.repos / "b/.git")
    result = lab.id("next", "req")
    assert (result.code, result.text) == (0, "REQ-201\n")
    assert lab.adlc("telemetry", "step", "spec", "s", cwd=lab.repos / "b").code == 0
