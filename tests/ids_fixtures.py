"""Real repositories, remotes, clones and worktrees for the tests of ids, and processes that hold a lock."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import jsonschema
import pytest
import referencing

from conftest import ROOT

SCHEMAS = {p.name: json.loads(p.read_text()) for p in (ROOT / "tools/adlc/schemas").glob("*.json")}
REGISTRY = referencing.Registry().with_resources((n, referencing.Resource.from_contents(s)) for n, s in SCHEMAS.items())

IDENTITY = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER") for part, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}
FOLDERS = {"REQ": "specs", "BUG": "bugs", "LESSON": "knowledge/lessons"}


class Repo:
    """A checkout. Names of artifacts are as on disk: REQ-042-login, BUG-007-x.md."""

    def __init__(self, lab, path: pathlib.Path):
        self.lab, self.path = lab, path

    def git(self, *arguments, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *map(str, arguments)], cwd=self.path, env=self.lab.environment, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        assert not check or done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def artifact(self, name: str, text: str | None = None, below: str = "") -> pathlib.Path:
        folder = self.path / below / ".adlc" / FOLDERS[name.split("-")[0].upper()]
        path = folder / name if name.endswith(".md") else folder / name / "requirement.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        id = "-".join(name.removesuffix(".md").split("-")[:2])
        path.write_text(f"---\nid: {id}\ntitle: {name}\n---\n\n## Description\nText.\n" if text is None else text)
        return path

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def branch(self, name: str, *artifacts: str, keep: bool = True) -> None:
        """Make a branch with these artifacts and go back to where the checkout was."""
        self.git("checkout", "-q", "-b", name)
        for artifact in artifacts:
            self.artifact(artifact)
        self.commit()
        self.git("checkout", "-q", "-")
        if not keep:
            self.git("push", "-q", "origin", name)
            self.git("branch", "-q", "-D", name)
            self.git("update-ref", "-d", f"refs/remotes/origin/{name}")

    def push(self, *refs: str) -> None:
        self.git("push", "-q", "origin", *(refs or ("HEAD",)))


class Lab:
    """A folder of repositories that share the numbers, and adlc to call in it."""

    def __init__(self, path: pathlib.Path, adlc):
        self.path, self.adlc = path, adlc
        self.repos = path / "repos"
        self.repos.mkdir(parents=True)
        (adlc.home / ".gitconfig").write_text("[init]\n\tdefaultBranch = trunk\n[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self.environment = adlc.environment | IDENTITY
        self.state = adlc.state

    def repo(self, name: str = "a", *artifacts: str, remote: bool = False, folder: pathlib.Path | None = None) -> Repo:
        path = (folder or self.repos) / name
        path.mkdir(parents=True)
        repo = Repo(self, path)
        repo.git("init", "-q")
        for artifact in artifacts or ("REQ-001-first",):
            repo.artifact(artifact)
        repo.commit()
        if remote:
            bare = self.path / f"{name}.git"
            repo.git("init", "-q", "--bare", bare)
            repo.git("remote", "add", "origin", bare)
            repo.push()
            repo.git("fetch", "-q")
        return repo

    def clone(self, name: str, machine: str) -> Repo:
        """A clone of a remote where another machine keeps its repositories."""
        path = self.path / machine / name
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", self.path / f"{name}.git", path], env=self.environment, check=True, stderr=subprocess.DEVNULL)
        return Repo(self, path)

    @property
    def counter(self) -> pathlib.Path:
        return self.counter_of("req")

    def counter_of(self, kind: str) -> pathlib.Path:
        self.state.mkdir(parents=True, exist_ok=True)
        return self.state / f".global-next-{kind}"

    @property
    def lock(self) -> pathlib.Path:
        self.state.mkdir(parents=True, exist_ok=True)
        return self.state / ".global-next-req.lock.d"

    def machine(self, name: str) -> dict:
        """Variables that make a call one from another machine."""
        return {"ADLC_STATE_DIR": str(self.path / name / "state"), "ADLC_CACHE_DIR": str(self.path / name / "cache"), "ADLC_REPOS_ROOT": ""}

    def id(self, *arguments, cwd=None, **options):
        """Call adlc id; every JSON document must fit its schema."""
        cwd = cwd.path if isinstance(cwd, Repo) else cwd
        result = self.adlc("id", *arguments, cwd=cwd or self.repos / "a", **options)
        if "--json" in arguments:
            name = result.document["schema"].removeprefix("adlc.").removesuffix("/1")
            jsonschema.Draft202012Validator(SCHEMAS[f"{name}.schema.json"], registry=REGISTRY).validate(result.document)
            assert result.err == b"", "stderr is silent with --json"
        return result

    def next(self, kind: str = "req", *arguments, cwd=None, **options) -> dict:
        result = self.id("next", kind, *arguments, "--json", cwd=cwd, **options)
        assert result.code == 0, result
        return result.document

    def refused(self, *arguments, **options) -> dict:
        result = self.id(*arguments, "--json", **options)
        assert result.code == 3 and "number" not in result.document, result
        return result.error

    def hold(self, then: str = "input()", path: str = "state.lock_path('req')") -> subprocess.Popen:
        """A process that takes the lock, says so, and then runs `then`. Its stdin ends the wait."""
        code = (
            f"import sys, os, signal; sys.path.insert(0, {str(ROOT / 'tools')!r})\n"
            "from adlc.ids import state\nfrom adlc.ids.lock import Lock\n"
            f"with Lock({path}) as lock:\n print('in', flush=True)\n {then}\n print(lock.held(), flush=True)\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        assert process.stdout.readline() == "in\n"
        return process

    def killed_holder(self) -> None:
        """Leave the lock as a process leaves it that was killed inside."""
        process = self.hold()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()
        assert (self.lock / "owner").exists()

    def rewrite_owner(self, **fields) -> None:
        """Change fields of the owner record, as another machine, boot or process would have written it."""
        path = self.lock / "owner"
        lines = [line.partition("=") for line in path.read_text().splitlines()]
        path.write_text("".join(f"{k}={fields.get(k, v)}\n" if sep else f"{k}\n" for k, sep, v in lines))

    def age_lock(self, seconds: float) -> None:
        stamp = self.lock.stat().st_mtime - seconds
        os.utime(self.lock, (stamp, stamp))


@pytest.fixture
def lab(tmp_path, adlc) -> Lab:
    return Lab(tmp_path / "lab", adlc)


def fingerprint(folder: pathlib.Path) -> dict:
    """path -> bytes of everything below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


def high(document: dict, source: str, repository: str = "a") -> int:
    return max(row["high"] for row in document["sources"] if row["source"] == source and row.get("repository", repository) == repository)


def repositories(document: dict) -> set[str]:
    return {row["repository"] for row in document["sources"] if "repository" in row}
