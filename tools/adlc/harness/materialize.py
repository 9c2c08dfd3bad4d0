"""Renders the agent for the harnesses that are in use, keeps it so, and takes it away again."""

import os

from adlc.errors import AdlcError
from adlc.harness import adapters, agent, detect, exclude, manifest, plan
from adlc.harness.plan import KEPT, REMOVED, Step


class Outcome:
    """steps: as in plan. exclude: "none" (no repository), "unchanged", "updated" or "refused"."""

    __slots__ = ("steps", "exclude")

    def __init__(self, steps: list[Step], excluded: str):
        self.steps, self.exclude = steps, excluded

    @property
    def drifted(self) -> bool:
        """Whether something is not, or was not, as rendering leaves it."""
        return self.exclude == "updated" or any(step.action in plan.DRIFT for step in self.steps)

    def rows(self) -> list[dict]:
        return [{"harness": s.harness, "path": s.path, "action": s.action, "note": s.note} for s in self.steps]


def names(option: str) -> list[str]:
    """The harnesses of `--harness`. Raises AdlcError usage."""
    known = [*adapters.ALL, *adapters.WITHOUT]
    given = [name.strip() for name in option.split(",") if name.strip()]
    for name in given:
        if name not in (*known, "all"):
            raise AdlcError(
                "usage", f"--harness: nothing is rendered for '{name}'",
                f"there are: all, {', '.join(known)}; many others read .agents/skills, where pi gets the skill consult",
            )
    if not given:
        raise AdlcError("usage", "--harness: no name", f"there are: all, {', '.join(known)}")
    return known if "all" in given else [name for name in known if name in given]


def render(root: str | None, chosen: list[str] | None, write: bool) -> Outcome:
    """Bring the rendered agents of a root, or with None of the user, up to date.

    chosen: harnesses; None: those in the configuration, else those in use and those rendered before.
    """
    def steps(record):
        wanted = chosen
        before = record.harnesses()
        if wanted is None:
            wanted = detect.configured(root) if root is not None else None
        if wanted is None:
            ours = {os.path.join(root or "", path) for path in (*record.files, *record.folders)}
            wanted = [*detect.in_use(root, ours), *before]
        done = plan.render(agent.load(), root, _ordered(wanted), record)
        if chosen is None:
            done += plan.remove(root, [name for name in before if name not in wanted], record, note="its harness is not in the configuration")
        return done

    return _run(root, steps, write)


def refresh(root: str | None, write: bool = True) -> Outcome:
    """Bring up to date what was rendered before; render nothing new."""
    if not manifest.opened(root, manifest.repository(root) if root is not None else None).files:
        return Outcome([], "none")
    return _run(root, lambda record: plan.render(agent.load(), root, _ordered(record.harnesses()), record), write)


def remove(root: str | None, chosen: list[str] | None, write: bool) -> Outcome:
    """Take away what was rendered, of the chosen harnesses or with None of all; a file edited since stays."""
    return _run(root, lambda record: plan.remove(root, chosen or record.harnesses(), record), write)


def _ordered(wanted: list[str]) -> list[str]:
    return [name for name in (*adapters.ALL, *adapters.WITHOUT) if name in wanted]


def _run(root: str | None, steps, write: bool) -> Outcome:
    found = manifest.repository(root) if root is not None else None
    if not write:
        record = manifest.opened(root, found)
        planned = steps(record)
        _record(record, planned)
        return Outcome(planned, _excluded(found, record)[0])
    with manifest.held(root, found):
        record = manifest.opened(root, found)
        planned = steps(record)
        if not planned and not record.files:
            return Outcome(planned, "none")
        done = []
        try:
            for step in planned:
                _apply(step, root, record)
                done.append(step)
        finally:
            # What was written before a failure is ours all the same.
            _record(record, done)
            _tidy(root, record)
            state, content = _excluded(found, record)
            if content is not None:
                record.exclude = exclude.write(found.common, content, record.exclude)
            record.save()
    return Outcome(planned, state)


def _apply(step: Step, root: str | None, record: manifest.Manifest) -> None:
    if step.action == REMOVED:
        step.target.remove()
    elif step.content is not None and step.action != plan.UNCHANGED:
        made = step.target.write(step.content)
        record.folders += [os.path.relpath(folder, root) if root is not None else folder for folder in made]
        if step.target.read() != step.content:
            raise AdlcError("write_failed", f"{step.path}: it does not read as it was written", "then: adlc materialize")


def _record(record: manifest.Manifest, steps: list[Step]) -> None:
    for step in steps:
        if step.content is not None:
            record.files[step.path] = (step.harness, manifest.digest(step.content))
        elif step.action == REMOVED or step.action == KEPT and step.note.endswith("from now on"):
            record.files.pop(step.path, None)


def _tidy(root: str | None, record: manifest.Manifest) -> None:
    """Remove directories that rendering made and that are empty again."""
    for folder in sorted(set(record.folders), reverse=True):
        if any(key.startswith(f"{folder}/") for key in record.files):
            continue
        path = folder if root is None else os.path.join(root, folder)
        try:
            if not os.path.islink(path):
                os.rmdir(path)
        except OSError:
            pass  # somebody else's files are in it by now
        record.folders.remove(folder)


def _excluded(found, record: manifest.Manifest) -> tuple[str, bytes | None]:
    if found is None:
        return "none", None
    return exclude.plan(found.common, record.ignored())
