"""Whether git runs, reads the repository around here, and knows who commits."""

import os
import shutil

from adlc import git, programs
from adlc.doctor.place import Place
from adlc.doctor.result import command, commands, fail, ok, warn
from adlc.ids import repositories

IDENTITY = tuple(f"GIT_{role}_{part}" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL"))


def check(place: Place):
    try:
        version = git.run(place.cwd, "version").decode("utf-8", "replace").removeprefix("git version ").strip()
    except git.GitFailed as exc:
        return fail(str(exc), _install())
    refused = _refused(place)
    if refused:
        return refused
    given = {name: os.environ[name] for name in IDENTITY if name in os.environ}
    try:
        # Without the setting git makes an address up from the host's name.
        found = git.run(place.cwd, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT", environment=given)
    except git.GitFailed:
        fix = commands(command("git", "config", "--global", "user.name", "Your Name"), command("git", "config", "--global", "user.email", "you@example.com"))
        return warn(f"{version}; git does not know who you are, so nothing can be committed (put in your name and address)", fix)
    return ok(f"{version}; commits are by {found.decode('utf-8', 'replace').rsplit(' ', 2)[0]}")


def _refused(place: Place):
    """A repository that git does not read looks like one without history, branches and remotes."""
    top = repositories.here(place.root).checkout
    if not top:
        return None
    try:
        git.run(top, "rev-parse", "--git-dir")
    except git.GitFailed as exc:
        foreign = "dubious ownership" in str(exc)
        fix = command("git", "config", "--global", "--add", "safe.directory", top) if foreign else command("git", "-C", top, "status")
        return warn(f"git does not read this repository: {exc}", fix)
    return None


def _install() -> str:
    if shutil.which("apt-get", path=programs.absolute_path()):
        return "sudo apt-get install -y git"
    return "xcode-select --install" if os.uname().sysname == "Darwin" else ""
