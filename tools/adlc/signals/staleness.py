"""How far the code that a document claims has moved on since the document itself last changed.

Counted are commits, in one walk of git's history from the newest on, that touch a file which the document
claims precisely (see corpus.claims), down to the commit that last changed the document. A date under
`reviewed:` says that somebody read the document against the code that day: earlier commits no longer
count. Nothing is guessed: without git, in a shallow clone, for broad claims or none, it is `unknown`.
"""

import datetime
import os

from adlc import checkout
from adlc.corpus import claims
from adlc.corpus.layouts.places import DECISIONS
from adlc.corpus.model import Document
from adlc.signals import memo

# Commits looked at; a walk of all history would take seconds where there are many.
WINDOW = 5_000
SECONDS = 3.0
MAX_DOCUMENTS = 30

# Documents that lie beside the code they govern are not that code.
_SPEC_FOLDERS = (".adlc/", ".spec/", "openspec/", "llmanspec/", ".kiro/", ".specify/", *(f"{folder}/" for folder in DECISIONS))
_SPEC_NAMES = ("spec.md", "requirement.md", "requirements.md", "spec.toon")


class Staleness:
    """state: fresh | stale | unknown. precise: whether the document claims anything precisely.

    commits: how many changed what it claims since, 0 unless stale. why: one line.
    """

    __slots__ = ("state", "precise", "commits", "why")

    def __init__(self, state: str, precise: bool, commits: int, why: str):
        self.state, self.precise, self.commits, self.why = state, precise, commits, why


def of(root: str, documents: list[Document]) -> dict[str, Staleness]:
    """path -> Staleness of each of a few documents (those past MAX_DOCUMENTS are unknown). Never raises."""
    found, open_cases = {}, []
    for document in documents:
        precise = [claim for claim in claims.of(root, document) if not claim.broad and not _is_spec(claim.pattern)]
        if not precise:
            claimed = document.scope or document.code
            found[document.path] = Staleness("unknown", False, 0, "its scope is broad" if claimed else "it names no code")
        elif len(open_cases) == MAX_DOCUMENTS:
            found[document.path] = Staleness("unknown", True, 0, "not looked at")
        else:
            open_cases.append(_Case(root, document, precise))
    if not open_cases:
        return found
    checked_out = checkout.head(root)
    if checked_out is None or checked_out[1]:
        why = "no git history" if checked_out is None else "the clone is shallow"
        return found | {case.path: Staleness("unknown", True, 0, why) for case in open_cases}
    with memo.Memo(root, checked_out[0]) as kept:
        unknown = []
        for case in open_cases:
            value = kept.get(case.key)
            if value is None:
                unknown.append(case)
            else:
                found[case.path] = Staleness(*value)
        if unknown:
            from adlc import git

            try:
                _walk(root, unknown)
            except git.GitFailed as exc:
                return found | {case.path: Staleness("unknown", True, 0, f"git: {exc}") for case in unknown}
            for case in unknown:
                result = case.result()
                kept.put(case.key, (result.state, result.precise, result.commits, result.why))
                found[case.path] = result
    return found


class _Case:
    """One document on the way through history."""

    def __init__(self, root: str, document: Document, precise: list):
        self.path, self.claims = document.path, precise
        self.reviewed = _end_of(document.reviewed)
        self.matchers = [claim.matcher().fullmatch for claim in precise]
        self.literals = {claim.pattern for claim in precise if claim.literal and not claim.pattern.endswith("/")}
        try:
            stat = os.stat(f"{root}/{self.path}")
            stamp = f"{stat.st_size} {stat.st_mtime_ns}"
        except OSError:
            stamp = ""
        self.key = "\0".join((self.path, stamp, document.reviewed, *(claim.pattern for claim in precise)))
        self.commits, self.newest, self.done, self.end = 0, "", False, ""

    def see(self, time: int, names: list[str]) -> None:
        """One commit, by its time (seconds since 1970) and the paths it touches."""
        if self.path in names:
            self.done, self.end = True, "since it was last changed"
        elif self.reviewed is not None and time <= self.reviewed:
            self.done, self.end = True, "since it was reviewed"
        else:
            for name in names:
                if name in self.literals or (not _is_spec(name) and any(match(name) for match in self.matchers)):
                    self.commits, self.newest = self.commits + 1, self.newest or name
                    break

    def result(self) -> Staleness:
        if self.commits:
            commits = f"{self.commits} commit{'s' if self.commits > 1 else ''}"
            since = self.end or f"within the last {WINDOW} commits"
            return Staleness("stale", True, self.commits, f"{commits} to what it claims {since}, last to {self.newest[:100]}")
        if self.end:
            return Staleness("fresh", True, 0, f"no commit to what it claims {self.end}")
        return Staleness("unknown", True, 0, f"not changed within the last {WINDOW} commits")


def _walk(root: str, cases: list[_Case]) -> None:
    """Let every case see the commits that concern any of them, newest first, until all are done. Raises GitFailed."""
    from adlc import git

    for case in _uncommitted(root, cases):
        case.done, case.end = True, "since it was last changed"
    waiting = [case for case in cases if not case.done]
    if not waiting:
        return
    marker = f"commit {os.urandom(8).hex()} "
    boundary = git.run(root, "rev-list", "--first-parent", f"--skip={WINDOW}", "--max-count=1", "HEAD", timeout=SECONDS).decode().strip()
    specs = [f":(literal){case.path}" for case in waiting]
    specs += [_pathspec(claim) for case in waiting for claim in case.claims]
    walk = git.records(
        root, "-c", "log.showSignature=false", "-c", "log.follow=false", "log", "-z", f"--format={marker}%ct", "--name-only", "--no-renames",
        "--no-notes", "--no-ext-diff", "--diff-merges=off", "--relative", "HEAD", *([f"^{boundary}"] if boundary else []),
        "--", *dict.fromkeys(specs), timeout=SECONDS,
    )
    try:
        time, names = None, []
        for record in walk:
            text = record.decode("utf-8", "surrogateescape").lstrip("\n")
            if not text.startswith(marker):
                names.append(text)
                continue
            _show(waiting, time, names)
            if all(case.done for case in waiting):
                return
            time, names = int(text[len(marker):]), []
        _show(waiting, time, names)
    finally:
        walk.close()
    if not boundary:
        for case in waiting:
            # All of history was seen, and it did not have the document under this name.
            case.end = case.end or "since the beginning"


def _show(cases: list[_Case], time: int | None, names: list[str]) -> None:
    if time is not None:
        for case in cases:
            if not case.done:
                case.see(time, names)


def _uncommitted(root: str, cases: list[_Case]) -> list[_Case]:
    """The cases whose file differs from the committed one, or is not committed.

    Compared by content here: `git status` would run the filters that a repository configures.
    """
    from adlc import git

    paths = [case.path for case in cases]
    listed = git.run(root, "ls-tree", "-z", "HEAD", "--", *(f"./{path}" for path in paths), timeout=SECONDS)
    blobs = {}
    for line in listed.split(b"\0"):
        head, _, name = line.partition(b"\t")
        if name:
            blobs[name.decode("utf-8", "surrogateescape")] = head.split(b" ")[2].decode()
    return [case for case in cases if not _is_blob(f"{root}/{case.path}", blobs.get(case.path, ""))]


def _is_blob(path: str, blob: str) -> bool:
    import hashlib

    from adlc import files

    try:
        with open(path, "rb") as handle:
            data = handle.read(files.MAX_DOCUMENT_BYTES + 1)
    except OSError:
        return True
    algorithm = hashlib.sha256 if len(blob) == 64 else hashlib.sha1
    # A checkout may have turned the line ends.
    return any(algorithm(b"blob %d\0" % len(form) + form).hexdigest() == blob for form in (data, data.replace(b"\r\n", b"\n")))


def _pathspec(claim: claims.Claim) -> str:
    return f":(literal){claim.pattern}" if claim.literal else f":(glob){claim.pattern}"


def _is_spec(path: str) -> bool:
    return path.startswith(_SPEC_FOLDERS) or path.rpartition("/")[2] in _SPEC_NAMES


def _end_of(day: str) -> int | None:
    """The last second (UTC) of an ISO date; None when it is none."""
    try:
        date = datetime.date.fromisoformat(day.strip()[:10])
    except ValueError:
        return None
    return int(datetime.datetime.combine(date, datetime.time(23, 59, 59), datetime.UTC).timestamp())
