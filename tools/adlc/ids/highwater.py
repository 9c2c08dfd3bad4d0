"""The highest number that is taken anywhere, and which sources could not be asked."""

import threading
import time

from adlc.ids import repositories
from adlc.ids.kinds import MAX_NUMBER, Kind
from adlc.ids.survey import Survey, read_disk, survey

BUDGET_SECONDS = 5.0
SIDE_BY_SIDE = 8
# A branch name is free text: one that is so far ahead of everything else says nothing about ids.
PLAUSIBLE_STEP = 10_000


class HighWater:
    """number: the highest taken one, 0 for none. sources: one row a source, for people and JSON.
    degraded: why the answer may be too low, a sentence each. ignored: numbers not believed, and why.
    """

    __slots__ = ("number", "sources", "degraded", "ignored", "surveys")

    def __init__(self):
        self.number = 0
        self.sources: list[dict] = []
        self.degraded: list[str] = []
        self.ignored: list[dict] = []
        self.surveys: list[Survey] = []

    def disk(self, kind: Kind) -> int:
        """The highest artifact in any checkout, read again now."""
        for found in self.surveys:
            read_disk(found)
        return max((n for found in self.surveys for n in _artifacts(kind, found) if n <= MAX_NUMBER), default=0)


def gather(place, kind: Kind, counter: int | None, network: bool = True) -> HighWater:
    """Ask all repositories that share the numbers, within BUDGET_SECONDS in all. counter: the next number it holds."""
    high = HighWater()
    shared, left_out = repositories.sharing(place)
    end = time.monotonic() + BUDGET_SECONDS
    high.surveys = _side_by_side(shared, kind, lambda: end - time.monotonic(), network)
    if left_out:
        high.degraded.append(left_out)
    backed = [(counter or 1) - 1]
    named: list[tuple[int, str, str]] = []
    high.sources.append(_row("counter", high=backed[0], error="" if counter is not None else "there is none yet"))
    for found in high.surveys:
        _add(high, kind, found, backed, named, network)
    if network and not any(found.remotes or "remotes" in found.errors for found in high.surveys):
        high.degraded.append("no repository here has a remote")
    high.number = max(backed)
    for number, where, name in sorted(named):
        if number > MAX_NUMBER:
            _ignore(high, name, where, "more than six digits")
        elif number > high.number + PLAUSIBLE_STEP:
            _ignore(high, name, where, f"{number - high.number} above everything else, and only a branch name says so")
        else:
            high.number = max(high.number, number)
    return high


def _side_by_side(shared: list, kind: Kind, deadline, network: bool) -> list[Survey]:
    if len(shared) == 1:
        return [survey(shared[0], kind, deadline, network)]
    waiting, found, failed = list(enumerate(shared)), {}, []

    def work():
        while waiting:
            try:
                n, repository = waiting.pop()
            except IndexError:
                return
            try:
                found[n] = survey(repository, kind, deadline, network)
            except Exception as exc:
                failed.append(exc)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(SIDE_BY_SIDE, len(shared)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        # A repository must not drop out of the answer without a word.
        raise failed[0]
    return [found[n] for n in sorted(found)]


def _artifacts(kind: Kind, found: Survey):
    for _, path in found.disk:
        number = kind.of_artifact(path.rsplit("/", 1)[1])
        if number is not None:
            yield number


def _add(high: HighWater, kind: Kind, found: Survey, backed: list, named: list, network: bool) -> None:
    where, said = found.repository.name, set()

    def source(name: str, numbers, error: str = "", remote: str = ""):
        numbers = list(numbers)
        usable = [n for n in numbers if n <= MAX_NUMBER]
        high.sources.append(_row(name, where, remote, max(usable, default=0), len(usable), error))
        if error and (remote, error) not in said:
            # One cause can close several sources.
            said.add((remote, error))
            what = f"{name} of {where}" + (f" at {remote}" if remote else "")
            high.degraded.append(f"{what}: {error}")
        return usable

    def trees(trees: dict, at: str) -> list[int]:
        numbers = []
        for name in sorted({name for names in trees.values() for name in names}):
            number = kind.of_artifact(name)
            if number is not None:
                numbers.append(number)
                if number > MAX_NUMBER:
                    _ignore(high, name, at, "more than six digits")
        return numbers

    def branches(names, at: str) -> list[int]:
        numbers = [(n, at, name) for name in names for n in kind.in_text(name)]
        named.extend(numbers)
        return [n for n, _, _ in numbers]

    for _, path in found.disk:
        number = kind.of_artifact(path.rsplit("/", 1)[1])
        if number is not None and number > MAX_NUMBER:
            _ignore(high, path, where, "more than six digits")
    backed += source("disk", _artifacts(kind, found), found.errors.get("disk", ""))
    if not found.repository.common:
        return
    if "branches" in found.errors or found.refs:
        source("branches", branches((ref for ref in found.refs if not ref.startswith("refs/tags/")), where), found.errors.get("branches", ""))
        backed += source("trees", trees(found.trees, where), found.errors.get("trees", ""))
    if "remotes" in found.errors:
        source("remotes", (), found.errors["remotes"])
    for remote in found.remotes if network else ():
        at = f"{where} at {remote.name}"
        source("remote branches", branches(remote.heads or (), at), remote.error, _label(remote))
        if remote.heads is not None:
            backed += source("remote trees", trees(remote.trees, at), remote.tree_error, _label(remote))
            backed += source("reservations", remote.reservations, "", _label(remote))


def _ignore(high: HighWater, name: str, where: str, why: str) -> None:
    row = {"name": name, "where": where, "reason": why}
    if row not in high.ignored:
        high.ignored.append(row)


def _row(source: str, repository: str = "", remote: str = "", high: int = 0, count: int = 0, error: str = "") -> dict:
    row = {"source": source, "high": high}
    if repository:
        row |= {"repository": repository, "count": count}
    if remote:
        row["remote"] = remote
    if error:
        row["error"] = error
    return row


def _label(remote) -> str:
    from adlc.ids.forge import forge

    return f"{remote.name} ({forge(remote.url)})"
