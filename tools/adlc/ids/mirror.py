"""A private bare repository beside the user's: what a remote has and this clone never fetched.

The user's clone is read through git's alternates and never changed. The configuration that says how
to reach the remote is handed over as the user's repository sees it, because settings that depend on
a repository's place (`includeIf "gitdir:…"`) would not apply here.
"""

import os

from adlc import files, git
from adlc.ids import trees
from adlc.places import cache_dir, make_private

_REMOTE_KEYS = (".url", ".pushurl", ".proxy", ".proxyauthmethod", ".uploadpack", ".receivepack", ".serveroption", ".vcs")
# One connection is enough for a few branches; of many, the default branch must not wait for the rest.
_FETCH_TOGETHER = 20


class Mirror:
    """The mirror of one repository: `run` calls git in it, the user's remotes and objects included."""

    def __init__(self, repository, config: list, ssh: str, oid_digits: int):
        from hashlib import sha256

        # Two clones of one remote must not share: each lends its own objects.
        name = sha256(os.fsencode(repository.common)).hexdigest()[:24] + ("-256" if oid_digits == 64 else "")
        folder = make_private(os.path.join(cache_dir(), "ids"))
        self.path, self.top, self.ssh = os.path.join(folder, name + ".git"), repository.top, ssh
        self.environment = {"GIT_DIR": self.path, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_PARAMETERS": ""}
        settings = [(k, v) for k, v in config if not k.startswith("remote.") or k.endswith(_REMOTE_KEYS)]
        settings += [("gc.auto", "0"), ("maintenance.auto", "false"), ("core.hooksPath", os.devnull)]
        settings += [("http.lowSpeedLimit", "1"), ("http.lowSpeedTime", "10")]
        self.environment["GIT_CONFIG_COUNT"] = str(len(settings))
        for n, (key, value) in enumerate(settings):
            self.environment |= {f"GIT_CONFIG_KEY_{n}": key, f"GIT_CONFIG_VALUE_{n}": value}
        if not _incomplete(repository.common, config):
            self.environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _quoted(os.path.join(repository.common, "objects"))
        self._format = "sha256" if oid_digits == 64 else "sha1"

    def prepare(self, deadline) -> None:
        """Create it when it is missing. Raises GitFailed, OSError."""
        # git writes HEAD before the rest: its own files do not tell that they are all there.
        whole = os.path.join(self.path, "adlc-whole")
        if os.path.isfile(whole):
            return
        with self.alone(deadline):
            if not os.path.isfile(whole):
                self.run("init", "--quiet", "--bare", "--template=", f"--object-format={self._format}", timeout=deadline())
                os.close(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))

    def run(self, *arguments: str, timeout: float, network: bool = False, stdin: bytes | None = None, extra: dict | None = None) -> bytes:
        return git.run(
            self.top, *arguments, timeout=timeout, stdin=stdin, network=network, ssh=self.ssh,
            environment=self.environment | (extra or {}),
        )

    def alone(self, deadline):
        return _Alone(self.path + ".lock", deadline)


def tips(found, remote, wanted: dict[str, str], deadline) -> dict[str, list[str]]:
    """commit -> artifact names, for branches of a remote that the clone does not have.

    Fetches those that an earlier call did not. A branch that moved meanwhile is put right in
    `remote.heads`. Raises GitFailed, OSError.
    """
    mirror = Mirror(found.repository, found.config, found.ssh, len(next(iter(wanted.values()))))
    mirror.prepare(deadline)
    refs = {branch: f"refs/tips/{_digest(remote.name, branch)}" for branch in wanted}

    def missing() -> list[str]:
        have = trees.list_refs(mirror.top, deadline, "refs/tips", environment=mirror.environment)
        for branch, ref in refs.items():
            if have.get(ref) and branch in fetched:
                remote.heads[branch] = wanted[branch] = have[ref]
        return sorted(branch for branch, ref in refs.items() if have.get(ref) != wanted[branch])

    fetched: set[str] = set()
    if missing():
        with mirror.alone(deadline):
            absent = missing()
            first = [b for b in absent if b in ("main", "master", "trunk", "develop")]
            groups = [absent] if len(absent) <= _FETCH_TOGETHER else [first, [b for b in absent if b not in first]]
            for group in filter(None, groups):
                mirror.run(
                    "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--depth=1", "--refmap=",
                    "--force", "--", remote.name, *(f"+refs/heads/{branch}:{refs[branch]}" for branch in group),
                    timeout=deadline(), network=True,
                )
                fetched.update(group)
            missing()
    return trees.artifact_names(mirror.top, sorted(set(wanted.values())), found.folders, deadline, mirror.environment)


class _Alone:
    """An flock between this user's processes that fetch into one mirror."""

    def __init__(self, path: str, deadline):
        self.path, self.deadline, self._fd = path, deadline, -1

    def __enter__(self):
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            mine = files.exclusive(self._fd, self.deadline())
        except OSError:
            return self
        if not mine:
            os.close(self._fd)
            raise git.GitFailed("another process was reading the remote all the time", timed_out=True)
        return self

    def __exit__(self, *_):
        os.close(self._fd)


def _incomplete(common: str, config: list) -> bool:
    """A shallow or partial clone lacks objects that its refs promise: it must not lend them."""
    return os.path.exists(os.path.join(common, "shallow")) or any(k.startswith("remote.") and k.endswith((".promisor", ".partialclonefilter")) for k, _ in config)


def _quoted(path: str) -> str:
    # In a list of alternates : separates; a path in double quotes is taken literally.
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"' if ":" in path or path.startswith('"') else path


def _digest(*parts: str) -> str:
    from hashlib import sha256

    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:24]
