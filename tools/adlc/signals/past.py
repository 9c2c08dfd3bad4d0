"""Past changes: which documents and which files were changed together, read from git.

A past change is all commits that touch one change folder, where the layout has such folders, else one commit.
Only those that touch a document count. Files that a commit touches belong to each change folder in it. Renames
without a change of content are followed, so that what a document or file was called before counts for it.
"""

from adlc.corpus.changes import Places

# A change of more documents, or a commit of more files, links everything with everything.
MAX_DOCUMENTS, MAX_FILES = 10, 60
# Commits looked at, the newest; with more than these the history is read anew for each commit.
WINDOW = 20_000
SECONDS = 5.0
MAX_SUBJECT = 200


class Commit:
    """commit: its id. time: seconds since 1970. paths: [path] or [path, path it was renamed from]."""

    __slots__ = ("commit", "time", "subject", "paths")

    def __init__(self, commit: str, time: int, subject: str, paths: list[list[str]]):
        self.commit, self.time, self.subject, self.paths = commit, time, subject, paths


class Change:
    """name: of the change folder, "" for a lone commit. subjects: first lines of its commits, newest first.

    documents: keys as in corpus.changes. files: all other paths.
    """

    __slots__ = ("name", "subjects", "documents", "files")

    def __init__(self, name: str):
        self.name, self.subjects = name, []
        self.documents: set[str] = set()
        self.files: set[str] = set()


def commits(root: str, head: str, since: str, places: Places) -> tuple[list[Commit], int] | None:
    """-> (commits of `head` that `since` does not have and that matter here; how many were looked at).

    since: "" for all of them. None when `since` is no ancestor of `head`. Raises git.GitFailed.
    """
    import os

    from adlc import git

    marker = f"commit {os.urandom(8).hex()} "
    span = f"{since}...{head}" if since else head
    listing = git.records(
        root, "-c", "log.showSignature=false", "-c", "log.follow=false", "-c", "log.showRoot=true", "log", "-z", "--left-right",
        f"--format={marker}%m %H %ct%x00%s", "--name-status", "-M100%", f"--max-count={WINDOW}", "--no-notes", "--no-ext-diff",
        "--no-color", "--encoding=UTF-8", "--diff-merges=off", "--relative", span, "--", timeout=SECONDS,
    )
    found: list[Commit] = []
    looked, current = 0, None
    try:
        for record in listing:
            text = record.decode("utf-8", "surrogateescape").lstrip("\n")
            if text.startswith(marker):
                side, commit, time = text[len(marker):].split(" ")
                if side == "<":
                    return None
                looked += 1
                current = Commit(commit, int(time), next(listing, b"").decode("utf-8", "replace")[:MAX_SUBJECT], [])
                found.append(current)
            elif text and current is not None:
                path = next(listing, b"").decode("utf-8", "surrogateescape")
                if text[0] in "RC":
                    new = next(listing, b"").decode("utf-8", "surrogateescape")
                    current.paths.append([new, path] if text[0] == "R" else [new])
                else:
                    current.paths.append([path])
    finally:
        listing.close()
    return [kept for kept in (_reduced(commit, places) for commit in found) if kept.paths], looked


def _reduced(commit: Commit, places: Places) -> Commit:
    """What later steps need of a commit: all of it, or its renames alone when it is of no past change."""
    kinds = [places.of(path[0]) for path in commit.paths]
    if sum(kind.file for kind in kinds) > MAX_FILES or all(kind.file for kind in kinds):
        commit.paths = [path for path in commit.paths if len(path) == 2]
        commit.subject = ""
    # Names that are no text cannot be kept in the store, nor asked about.
    commit.paths = [path for path in commit.paths if all(_is_text(name) for name in path)]
    return commit


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\udc80" <= c <= "\udcff" for c in name)


def ordered(found: list[Commit]) -> list[Commit]:
    """Newest first, the same for the same commits however they were read."""
    return sorted(found, key=lambda commit: (-commit.time, commit.commit))


def changes(found: list[Commit], places: Places) -> list[Change]:
    """found: newest first. -> the past changes, newest first."""
    made: dict[str, Change] = {}
    now: dict[str, str] = {}
    for commit in found:
        documents: set[str] = set()
        files: set[str] = set()
        folders: dict[str, set[str]] = {}
        for path, *old in commit.paths:
            place = places.of(path)
            if place.change:
                folders.setdefault(place.change, set())
                if place.document:
                    folders[place.change].add(now.get(place.document, place.document))
            elif place.document:
                documents.add(now.get(place.document, place.document))
            else:
                files.add(now.get(path, path))
        # What was renamed here is known by its new name in this commit; the older ones are still to come.
        now.update([pair for path, *old in commit.paths if old and (pair := _renamed(now, path, old[0], places))])
        if not documents and not folders or len(files) > MAX_FILES:
            continue
        if len(folders) > 1:
            documents -= set().union(*folders.values())
        for name in sorted(folders) or [""]:
            change = made.setdefault(f"folder {name}" if name else commit.commit, Change(name))
            change.documents |= documents | folders.get(name, set())
            change.files |= files
            if commit.subject not in change.subjects:
                change.subjects.append(commit.subject)
    return [change for change in made.values() if 0 < len(change.documents) <= MAX_DOCUMENTS]


def _renamed(now: dict[str, str], path: str, old: str, places: Places) -> tuple[str, str] | None:
    """-> (what `old` was known by, what that is known by today); None for what says nothing of a document or file."""
    new, before = places.of(path), places.of(old)
    if new.change or before.change or new.file != before.file:
        return None
    new_key, old_key = (path, old) if new.file else (new.document, before.document)
    return old_key, now.get(new_key, new_key)
