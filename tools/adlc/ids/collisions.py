"""Whether somebody else has taken a number: what every source shows of it, less what is one's own."""

import os

from adlc.ids import ledger
from adlc.ids.kinds import Kind


def own_artifacts(place, kind: Kind, number: int) -> list[str]:
    """The artifacts with this number in the project, below `root`, in code point order."""
    folder = f".adlc/{kind.folder}"
    try:
        names = os.listdir(os.path.join(place.root, folder))
    except OSError:
        return []
    return [f"{folder}/{name}" for name in sorted(names) if kind.of_artifact(name) == number]


def of(place, high, kind: Kind, number: int) -> tuple[list[dict], list[dict]]:
    """-> (collisions, notes), rows of {name, where, source}.

    Notes are artifacts of sibling repositories: numbers are meant to be shared, but a repository
    that joined later keeps its own.
    """
    mine = {path.rsplit("/", 1)[1] for path in own_artifacts(place, kind, number)}
    collisions: list[dict] = []
    notes: list[dict] = []
    own_urls = {r.url for found in high.surveys if found.repository is place.own for r in found.remotes}
    for found in high.surveys:
        # Another clone of the same project is the same project: the same name there is the same document.
        if found.repository is place.own or any(r.url in own_urls for r in found.remotes):
            _own_repository(collisions, place, found, kind, number, mine)
        else:
            _sibling(notes, found, kind, number)
    if len(mine) > 1:
        collisions += [_row(name, "this project", "disk") for name in sorted(mine)]
    return _unique(collisions), _unique(notes)


def _own_repository(rows: list, place, found, kind: Kind, number: int, mine: set) -> None:
    for checkout, path in found.disk:
        name = path.rsplit("/", 1)[1]
        if checkout != place.checkout and kind.of_artifact(name) == number and name not in mine:
            rows.append(_row(name, os.path.basename(checkout), "checkout"))
    for ref, oid in found.refs.items():
        # A tag is history: what was renamed since is not taken by somebody else.
        if ref.startswith("refs/heads/"):
            rows += [_row(name, ref[len("refs/heads/"):], "branch") for name in _named(kind, number, found.trees.get(oid, ())) if name not in mine]
    for remote in found.remotes:
        _remote(rows, found, remote, kind, number, mine)


def _remote(rows: list, found, remote, kind: Kind, number: int, mine: set) -> None:
    settled = False
    reserved = remote.reservations.get(number)
    own_reservation = reserved is not None and reserved in ledger.owned(kind.name, number)
    for branch, oid in (remote.heads or {}).items():
        names = _named(kind, number, remote.trees.get(oid, ()))
        where = f"{remote.name}/{branch}"
        rows += [_row(name, where, "remote branch") for name in names if name not in mine]
        settled = settled or bool(mine and mine >= set(names) and names)
        if number in kind.in_text(branch) and not names and not own_reservation and not _pushed_from_here(found, branch, oid):
            rows.append(_row(branch, remote.name, "remote branch name"))
    # Whoever reserved it, the artifact of that number is there under this very name: it is the same.
    if reserved is not None and not own_reservation and not settled:
        rows.append(_row(kind.id(number), remote.name, "reservation of another machine"))


def _sibling(rows: list, found, kind: Kind, number: int) -> None:
    where = found.repository.name
    rows += [_row(name, where, "repository") for name in _named(kind, number, (path.rsplit("/", 1)[1] for _, path in found.disk))]
    for trees in (found.trees, *(remote.trees for remote in found.remotes)):
        rows += [_row(name, where, "repository") for names in trees.values() for name in _named(kind, number, names)]


def _pushed_from_here(found, branch: str, oid: str) -> bool:
    """Whether a remote branch is the local branch of the same name, as far as this clone knows."""
    return f"refs/heads/{branch}" in found.refs and oid in found.refs.values()


def _named(kind: Kind, number: int, names) -> list[str]:
    return sorted({name for name in names if kind.of_artifact(name) == number})


def _row(name: str, where: str, source: str) -> dict:
    return {"name": name, "where": where, "source": source}


def _unique(rows: list[dict]) -> list[dict]:
    return [dict(items) for items in sorted({tuple(row.items()) for row in rows})]
