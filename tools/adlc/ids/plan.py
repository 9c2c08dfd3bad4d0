"""What a renumbering would change: file contents, names, and what it cannot handle. Changes nothing."""

import os

from adlc import git
from adlc.errors import AdlcError
from adlc.ids import collisions, highwater
from adlc.ids.journal import Journal, digest
from adlc.ids.kinds import Kind, parse
from adlc.ids.rewrite import Rewriter, Unhandled

# Trees that belong to somebody else, where no git says so.
_FOREIGN = {".git", "node_modules", ".venv", "venv", "__pycache__"}


class Plan:
    """kind; old, new: ids. artifact: the path that gets the number. edits: [path, mentions].
    renames: [path, path], deepest first. unhandled: [path, reason]. left: [path, mentions] that
    mean, or may mean, the other artifact of that number. branches: commands for the user.
    warnings: a sentence each.
    """

    def __init__(self, root: str, kind: Kind, old: str, new: str, asked: list, artifact: str, whole: str):
        self.root, self.kind, self.old, self.new, self.asked = root, kind, old, new, asked
        self.artifact, self.whole = artifact, whole
        self.edits: list[tuple[str, int]] = []
        self.digests: list[tuple[str, str, str]] = []
        self.renames: list[tuple[str, str]] = []
        self.unhandled: list[tuple[str, str]] = []
        self.left: list[tuple[str, int]] = []
        self.branches: list[str] = []
        self.warnings: list[str] = []

    def journal(self) -> Journal:
        return Journal(self.root, self.old, self.new, self.asked, self.whole, self.artifact, self.digests, self.renames)


def make(place, old: str, new: str, path: str | None) -> Plan:
    """The plan for OLD -> NEW. Raises AdlcError usage, not_found, ambiguous_id or id_taken."""
    kind, number = parse(old)
    new_kind, new_number = parse(new)
    if new_kind is not kind:
        raise AdlcError("usage", f"{old} and {new} are not of one kind", f"use a {kind.prefix} number")
    if new_number == number:
        raise AdlcError("usage", f"{old} and {new} are the same number", f"take a free one: adlc id next {kind.name}")
    listed = listing(place)
    artifact, shared = _choose(listed, kind, number, old, path)
    taken = _artifacts(listed, kind, new_number)
    if taken:
        raise AdlcError("id_taken", f"{new} is taken: {taken[0]}", f"take a free one: adlc id next {kind.name}")
    # The name can be padded differently from the id that was asked for: mentions have its form.
    written = os.path.basename(artifact)[: len(kind.prefix) + 1 + _digits(os.path.basename(artifact), kind)]
    whole = os.path.basename(artifact).removesuffix(".md") if shared else ""
    plan = Plan(place.root, kind, written, new, [old, new], artifact, whole)
    _refuse_taken_elsewhere(plan, place, kind, new_number)
    for name in listed:
        _consider(plan, name)
    plan.renames = _renames(plan, listed)
    for _, target in plan.renames:
        if os.path.lexists(os.path.join(place.root, target)):
            raise AdlcError("id_taken", f"{target} exists", f"take a free number: adlc id next {kind.name}")
    _branches(plan, place)
    return plan


def listing(place) -> list[str]:
    """Every file below the root that is the project's own: tracked or not, but not ignored; and all of `.adlc`."""
    root, found = place.root, set()
    if place.checkout:
        try:
            out = git.run(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", timeout=30)
            # The index still has what was moved away and not committed yet.
            found = {name for name in out.decode("utf-8", "surrogateescape").split("\0") if name and os.path.lexists(os.path.join(root, name))}
        except git.GitFailed:
            place = None
    start = os.path.join(root, ".adlc") if place and place.checkout else root
    for folder, names, files in os.walk(start):
        names[:] = sorted(n for n in names if n not in _FOREIGN and not (n == ".context" and folder == os.path.join(root, ".adlc")))
        below = os.path.relpath(folder, root)
        links = [n for n in names if os.path.islink(os.path.join(folder, n))]
        found |= {name if below == "." else f"{below}/{name}" for name in (*files, *links)}
    return sorted(found)


def _artifacts(listed: list[str], kind: Kind, number: int) -> list[str]:
    """The artifacts of a number among the files: directories for specs, files otherwise."""
    mark, found = f"/.adlc/{kind.folder}/", set()
    for path in listed:
        above, marked, below = f"/{path}".partition(mark)
        name = below.split("/")[0]
        if marked and kind.of_artifact(name) == number:
            found.add(f"{above}{marked}{name}"[1:])
    return sorted(found)


def _choose(listed: list[str], kind: Kind, number: int, old: str, path: str | None) -> tuple[str, bool]:
    """-> (the artifact, whether another one has its number)."""
    found = _artifacts(listed, kind, number)
    if not found:
        raise AdlcError("not_found", f"no document here has the number {old}", f"adlc list --corpus {kind.corpus} shows what there is")
    if path is not None:
        wanted = os.path.normpath(path)
        chosen = [a for a in found if wanted == a or wanted.startswith(a + "/")]
        if not chosen:
            raise AdlcError("not_found", f"--path {path} is none of the documents with the number {old}: {', '.join(found)}", "pass one of them")
        return chosen[0], len(found) > 1
    if len(found) > 1:
        raise AdlcError("ambiguous_id", f"{old} is taken {len(found)} times: {', '.join(found)}", f"say which: --path {found[-1]}", candidates=found)
    return found[0], False


def _digits(name: str, kind: Kind) -> int:
    rest = name[len(kind.prefix) + 1:]
    return len(rest) - len(rest.lstrip("0123456789"))


def _refuse_taken_elsewhere(plan: Plan, place, kind: Kind, number: int) -> None:
    high = highwater.gather(place, kind, None)
    rows, notes = collisions.of(place, high, kind, number)
    if rows:
        raise AdlcError("id_taken", f"{plan.new} is taken: {rows[0]['name']} ({rows[0]['source']} {rows[0]['where']})", f"take a free one: adlc id next {kind.name}")
    plan.warnings += [f"{plan.new} is also {row['name']} in {row['where']}" for row in notes]
    plan.warnings += [f"whether {plan.new} is free was not verified: {reason}" for reason in high.degraded]


def _consider(plan: Plan, name: str) -> None:
    path = os.path.join(plan.root, name)
    own = not plan.whole or name == plan.artifact or name.startswith(plan.artifact + "/")
    full = Rewriter(plan.old, plan.new)
    try:
        before, after, count = (full if own else Rewriter(plan.old, plan.new, plan.whole)).file(path)
        if not own:
            more = full.data(before)[1] - count
            if more:
                plan.left.append((name, more))
    except Unhandled as exc:
        plan.unhandled.append((name, str(exc)))
        return
    if not count:
        return
    if not os.access(os.path.dirname(path), os.W_OK) or not os.access(path, os.W_OK):
        plan.unhandled.append((name, "not writable"))
        return
    plan.edits.append((name, count))
    plan.digests.append((name, digest(before), digest(after)))


def _renames(plan: Plan, listed: list[str]) -> list[tuple[str, str]]:
    """The names to change, deepest first. With two artifacts of the number, only those of the chosen one."""
    full, found = Rewriter(plan.old, plan.new), set()
    for path in listed:
        parts = path.split("/")
        for n, part in enumerate(parts):
            upto = "/".join(parts[: n + 1])
            if plan.whole and upto != plan.artifact and not upto.startswith(plan.artifact + "/"):
                continue
            if full.name(part) != part:
                found.add(upto)
    renames = []
    for path in sorted(found, key=lambda p: (-p.count("/"), p)):
        folder, _, name = path.rpartition("/")
        renames.append((path, f"{folder}/{full.name(name)}" if folder else full.name(name)))
    return renames


def _branches(plan: Plan, place) -> None:
    """The commands that rename branches named for the old id. They touch what others see: not run."""
    import shlex

    if not place.checkout or plan.whole:
        return
    try:
        out = git.run(place.root, "for-each-ref", "--format=%(refname:short) %(upstream:remotename)", "refs/heads")
    except git.GitFailed:
        return
    renamed = Rewriter(plan.old, plan.new)
    for line in out.decode("utf-8", "replace").splitlines():
        branch, _, remote = line.partition(" ")
        new = renamed.name(branch)
        if new != branch:
            plan.branches.append(f"git branch -m {shlex.quote(branch)} {shlex.quote(new)}")
            if remote and remote != ".":
                plan.branches.append(f"git push {shlex.quote(remote)} -u {shlex.quote(new)} && git push {shlex.quote(remote)} --delete {shlex.quote(branch)}")
