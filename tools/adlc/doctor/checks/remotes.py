"""Whether the remotes that numbers are compared with answer; asked side by side, for a few seconds at most, never prompting."""

import time

from adlc.doctor.place import Place
from adlc.doctor.result import command, not_run, ok, warn
from adlc.ids import kinds, repositories, survey

SECONDS = 5.0


def check(place: Place):
    own = repositories.here(place.root).own
    if not own.common:
        return [not_run("not a git repository: numbers are compared with the files here alone")]
    end = time.monotonic() + SECONDS
    found = survey.remotes(own, kinds.KINDS["req"], lambda: end - time.monotonic())
    if "remotes" in found.errors:
        return [warn(f"the remotes cannot be listed: {found.errors['remotes']}", command("git", "-C", own.top, "remote", "-v"))]
    if not found.remotes:
        return [not_run("no remote: two clones could take the same number")]
    return [
        warn(f"{remote.name} does not answer ({remote.error}): numbers are handed out unverified", _show(own.top, remote.name)) if remote.error
        else ok(f"{remote.name} answers")
        for remote in found.remotes
    ]


def _show(top: str, name: str) -> str:
    return command("git", "-C", top, "ls-remote", "--heads", "--", name)
