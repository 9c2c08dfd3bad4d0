"""What one repository says about the numbers of a kind.

Five sources, none of which depends on another: the artifacts in its checkouts, the names of its
branches, the artifacts in the trees of its branches and tags, and for each remote the branches
(names and trees) and the reservations. Nothing here writes to the repository.
"""

import os
import threading

from adlc import git
from adlc.ids import mirror, trees
from adlc.ids.kinds import Kind
from adlc.ids.repositories import Repository
from adlc.places import cache_dir

RESERVATIONS = "refs/adlc/ids/"
_PREFERRED_REMOTES = ("origin", "upstream")
_CONFIG = r"^(remote|url|credential|http|https|ssh|protocol|safe)\..*|^core\.(sshcommand|gitproxy)$"

_UNREADABLE = (ValueError, IndexError, KeyError)


class Remote:
    """One remote of a repository. heads: branch -> commit, None until it has answered. reservations: number -> object.

    trees: commit -> names of artifacts. error, tree_error: why it, or its branches, could not be read, "" otherwise.
    """

    __slots__ = ("name", "url", "heads", "reservations", "trees", "error", "tree_error")

    def __init__(self, name: str, url: str):
        self.name, self.url = name, url
        self.heads: dict[str, str] | None = None
        self.reservations: dict[int, str] = {}
        self.trees: dict[str, list[str]] = {}
        self.error = self.tree_error = ""


class Survey:
    """The findings of one repository. disk: (checkout, path below it). refs: ref -> commit. trees:
    commit -> names of artifacts. errors: source -> reason.
    """

    __slots__ = ("repository", "kind", "disk", "refs", "trees", "remotes", "errors", "config", "ssh")

    def __init__(self, repository: Repository, kind: Kind):
        self.repository, self.kind = repository, kind
        self.disk: list[tuple[str, str]] = []
        self.refs: dict[str, str] = {}
        self.trees: dict[str, list[str]] = {}
        self.remotes: list[Remote] = []
        self.errors: dict[str, str] = {}
        self.config: list[tuple[str, str]] = []
        self.ssh = ""

    @property
    def folders(self) -> list[str]:
        return [f"{prefix}.adlc/{self.kind.folder}" for prefix in self.repository.prefixes]


def survey(repository: Repository, kind: Kind, deadline, network: bool = True) -> Survey:
    """Ask every source; what fails is noted in the survey. deadline() gives the seconds that are left."""
    found = Survey(repository, kind)
    read_disk(found)
    if not repository.common:
        return found
    _read_config(found, deadline)
    asked = _ask(found, deadline) if network else []
    _attempt(found, "branches", lambda: _read_refs(found, deadline))
    if "branches" not in found.errors:
        _attempt(found, "trees", lambda: _read_trees(found, deadline))
    _await(found, asked, deadline)
    for remote in found.remotes if network else ():
        if remote.heads is not None:
            _read_remote_trees(found, remote, deadline)
    return found


def remotes(repository: Repository, kind: Kind, deadline) -> Survey:
    """The part of a survey that tells which remotes answer, and nothing else."""
    found = Survey(repository, kind)
    if repository.common:
        _read_config(found, deadline)
        _await(found, _ask(found, deadline), deadline)
    return found


def _ask(found: Survey, deadline) -> list[threading.Thread]:
    asked = [threading.Thread(target=_list_remote, args=(found, remote, deadline), daemon=True) for remote in found.remotes]
    for thread in asked:
        thread.start()
    return asked


def _await(found: Survey, asked: list[threading.Thread], deadline) -> None:
    for thread in asked:
        thread.join(max(0.0, deadline()) + 0.5)
    for remote in found.remotes if asked else ():
        if remote.heads is None:
            remote.error = remote.error or "no answer in time"


def read_disk(found: Survey) -> None:
    """The artifacts in the checkouts as they are now."""
    disk = []
    for checkout in found.repository.checkouts():
        for folder in found.folders:
            try:
                disk += [(checkout, f"{folder}/{name}") for name in os.listdir(os.path.join(checkout, folder))]
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError as exc:
                found.errors["disk"] = f"{folder}: {exc.strerror}"
    found.disk = sorted(disk)


def _attempt(found: Survey, source: str, read) -> None:
    try:
        read()
    except git.GitFailed as exc:
        found.errors[source] = str(exc)
    except _UNREADABLE:
        found.errors[source] = "git gave an answer that cannot be read"


def _read_config(found: Survey, deadline) -> None:
    try:
        out = git.run(found.repository.top, "config", "-z", "--get-regexp", _CONFIG, timeout=deadline())
    except git.GitFailed as exc:
        if exc.code != 1:  # 1: nothing matches
            found.errors["remotes"] = str(exc)
            return
        out = b""
    for entry in out.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = entry.partition("\n")
        if key:
            found.config.append((key, value))
        if key == "core.sshcommand":
            found.ssh = value
    urls: dict[str, str] = {}
    for key, value in found.config:
        if key.startswith("remote.") and key.endswith(".url"):
            urls.setdefault(key[len("remote."):-len(".url")], value)
    if not urls:
        # Without a word git leaves the configuration out of a repository that it refuses to read.
        _attempt(found, "remotes", lambda: git.run(found.repository.top, "rev-parse", "--git-dir", timeout=deadline()))
    chosen = [name for name in _PREFERRED_REMOTES if name in urls] or sorted(urls)[:4]
    found.remotes = [Remote(name, urls[name]) for name in chosen]


def _read_refs(found: Survey, deadline) -> None:
    found.refs = trees.list_refs(found.repository.top, deadline, "refs/heads", "refs/remotes", "refs/tags")


def _read_trees(found: Survey, deadline) -> None:
    tips = sorted(set(found.refs.values()))
    found.trees = trees.artifact_names(found.repository.top, tips, found.folders, deadline)


def _list_remote(found: Survey, remote: Remote, deadline) -> None:
    try:
        heads, remote.reservations = list_remote(found.repository.top, remote.name, found.kind, deadline, found.ssh)
    except git.GitFailed as exc:
        remote.error = "no answer in time" if exc.timed_out else str(exc)
    else:
        remote.heads = heads


def list_remote(cwd: str, remote: str, kind: Kind, deadline, ssh: str) -> tuple[dict[str, str], dict[int, str]]:
    """-> (branch -> commit, reserved number -> object). Raises GitFailed."""
    out = git.run(
        cwd, "-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=10", "ls-remote", "--quiet", remote,
        timeout=deadline(), network=True, ssh=ssh,
    )
    heads, reservations = {}, {}
    folder = f"{RESERVATIONS}{kind.name}/"
    for line in out.decode("utf-8", "surrogateescape").splitlines():
        oid, _, ref = line.partition("\t")
        if ref.startswith("refs/heads/"):
            heads[ref[len("refs/heads/"):]] = oid
        elif ref.startswith(folder):
            number = ref[len(folder):]
            if number.isascii() and number.isdigit() and len(number) <= 6:
                reservations[int(number)] = oid
    return heads, reservations


def _read_remote_trees(found: Survey, remote: Remote, deadline) -> None:
    """The artifacts on the remote's branches, the ones this clone has never fetched included."""
    known = set(found.refs.values())
    remote.trees = {oid: found.trees[oid] for oid in remote.heads.values() if oid in found.trees}
    unknown = {branch: oid for branch, oid in remote.heads.items() if oid not in known}
    if not unknown:
        return
    try:
        remote.trees |= mirror.tips(found, remote, unknown, deadline)
    except git.GitFailed as exc:
        remote.tree_error = "its branches could not be read in time" if exc.timed_out else str(exc)
    except OSError as exc:
        remote.tree_error = f"no place to read its branches into: {exc.filename or cache_dir()}: {exc.strerror}"
    except _UNREADABLE:
        remote.tree_error = "git gave an answer that cannot be read"
