"""Reserving a number on a remote: the first to create `refs/adlc/ids/<kind>/<n>` has it."""

from adlc import git
from adlc.ids import ledger
from adlc.ids.kinds import Kind
from adlc.ids.mirror import Mirror
from adlc.ids.survey import RESERVATIONS, list_remote

WON, LOST, UNRESERVED = "won", "lost", "unreserved"
_SECONDS = 5.0
# The object must not tell who reserved: the repository may be public.
_NOBODY = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in (("NAME", "adlc"), ("EMAIL", "adlc@localhost"))}


class Desk:
    """Reservations of one kind at one remote of the own repository."""

    def __init__(self, found, remote, kind: Kind):
        self.found, self.remote, self.kind = found, remote, kind
        digits = len(next(iter(found.refs.values()), next(iter((remote.heads or {}).values()), "")))
        self.mirror = Mirror(found.repository, found.config, found.ssh, digits)
        self._tree = ""

    def take(self, number: int) -> tuple[str, str, int]:
        """Try to reserve -> (WON, LOST or UNRESERVED, the reason, the highest reserved number known).

        What the remote holds afterwards decides, not what `push` said: an answer can get lost.
        """
        try:
            oid = self._object(number)
            ledger.add(self.kind.name, number, self.found.repository.top, oid, self.remote.url)
        except (git.GitFailed, OSError) as exc:
            return UNRESERVED, f"cannot prepare a reservation: {exc}", 0
        ref = f"{RESERVATIONS}{self.kind.name}/{number}"
        try:
            self.mirror.run(
                "push", "--quiet", "--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no",
                f"--force-with-lease={ref}:", "--", self.remote.name, f"{oid}:{ref}", timeout=_SECONDS, network=True,
            )
            return WON, "", number
        except git.GitFailed as exc:
            refusal = "no answer in time" if exc.timed_out else str(exc)
        try:
            _, taken = list_remote(self.mirror.top, self.remote.name, self.kind, lambda: _SECONDS, self.found.ssh)
        except git.GitFailed as exc:
            return UNRESERVED, "no answer in time" if exc.timed_out else str(exc), 0
        if taken.get(number) == oid:
            return WON, "", number
        if number in taken:
            return LOST, "", max(taken)
        return UNRESERVED, f"the remote refuses it: {refusal}", 0

    def _object(self, number: int) -> str:
        """A commit that no other attempt has made: the same object pushed twice would be a win for both."""
        import os

        deadline = lambda: _SECONDS  # noqa: E731
        self.mirror.prepare(deadline)
        if not self._tree:
            self._tree = self.mirror.run("mktree", timeout=_SECONDS, stdin=b"").decode().strip()
        message = f"Reserve {self.kind.id(number)}\n\n{os.urandom(16).hex()}\n".encode()
        return self.mirror.run("commit-tree", self._tree, timeout=_SECONDS, stdin=message, extra=_NOBODY).decode().strip()
