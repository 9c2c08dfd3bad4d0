"""Carrying out a renumbering, and finishing one that was interrupted."""

import os

from adlc import files
from adlc.errors import AdlcError
from adlc.ids import counter, journal, state
from adlc.ids.kinds import parse
from adlc.ids.lock import Lock
from adlc.ids.rewrite import Rewriter, Unhandled


class Done:
    """journal: what was asked; finished: whether an earlier run had begun it. problems: [path, reason]."""

    __slots__ = ("journal", "finished", "problems")

    def __init__(self, journal, finished: bool, problems: list):
        self.journal, self.finished, self.problems = journal, finished, problems


def lock(root: str) -> Lock:
    """One renumbering of a root at a time."""
    return Lock(os.path.join(state.private(), f"renumber-{journal.name_of(root)}.lock.d"))


def finish(root: str) -> Done | None:
    """Complete what an interrupted run left; None when there is nothing. Call it holding `lock`."""
    left = journal.pending(root)
    if left is None:
        return None
    _sweep(left)
    return Done(left, True, _carry_out(left))


def apply(plan) -> Done:
    """Carry out a plan. Call it holding `lock`. Raises AdlcError before anything is changed."""
    for old, _ in plan.renames:
        folder = os.path.dirname(os.path.join(plan.root, old))
        if not os.access(folder, os.W_OK | os.X_OK):
            raise AdlcError("write_failed", f"{old} cannot be renamed: {folder} is not writable; nothing has been changed", f"make {folder} writable")
    kind, number = parse(plan.new)
    with Lock(state.lock_path(kind.name)):
        following = counter.read(kind.name)
        if following is not None and following <= number:
            counter.write(kind.name, number + 1)
    steps = plan.journal()
    try:
        steps.save()
    except OSError as exc:
        raise AdlcError("write_failed", f"cannot write {steps.journal_path}: {exc.strerror}", "make room; nothing has been changed") from None
    return Done(steps, False, _carry_out(steps))


def _carry_out(steps) -> list[tuple[str, str]]:
    problems = []
    full, careful = Rewriter(steps.old, steps.new), Rewriter(steps.old, steps.new, steps.whole) if steps.whole else None
    for name, before, after in steps.edits:
        own = careful is None or name == steps.within or name.startswith(steps.within + "/")
        reason = _edit(_present(steps, name), before, after, full if own else careful)
        if reason:
            problems.append((name, reason))
    for old, new in steps.renames:
        source, target = os.path.join(steps.root, old), os.path.join(steps.root, new)
        if not os.path.lexists(source):
            continue
        if os.path.lexists(target):
            problems.append((old, f"not renamed: {new} exists"))
            continue
        try:
            os.rename(source, target)
        except OSError as exc:
            problems.append((old, f"not renamed: {(exc.strerror or 'failed').lower()}"))
    steps.remove()
    return problems


def _sweep(steps) -> None:
    """Remove the half-written copies that a killed run left beside the files it was rewriting."""
    import re

    for folder in {os.path.dirname(_present(steps, name)) for name, *_ in steps.edits}:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            match = re.fullmatch(r"\.(.+)\.[0-9]+\.[0-9a-f]{8}", name)
            if match and os.path.lexists(os.path.join(folder, match[1])):
                os.unlink(os.path.join(folder, name))


def _present(steps, name: str) -> str:
    """Where a file of the plan is now: names are changed deepest first, and maybe not all yet."""
    path = name
    for old, new in steps.renames:
        if os.path.lexists(os.path.join(steps.root, path)):
            break
        if path == old or path.startswith(old + "/"):
            path = new + path[len(old):]
    return os.path.join(steps.root, path)


def _edit(path: str, before: str, after: str, rewriter: Rewriter) -> str:
    """Rewrite one file unless that is done; -> why not, or ""."""
    try:
        data, changed, _ = rewriter.file(path)
        found = journal.digest(data)
        if found == after:
            return ""
        if found != before:
            return "changed since; left as it is"
        mode = os.stat(path).st_mode & 0o7777
        files.atomic_write(path, changed, mode=mode, sync=True)
        os.chmod(path, mode)
    except Unhandled as exc:
        return str(exc)
    except OSError as exc:
        return (exc.strerror or "cannot be written").lower()
    return ""
