"""Whether rendered agents are up to date, and no harness shows spec-scout twice."""

import os

from adlc.doctor.place import Place
from adlc.doctor.result import Result, command, commands, ok, warn
from adlc.harness import adapters, agent, detect, manifest, materialize, plan


def check(place: Place):
    found, rendered = [], []
    for root in ([place.root] if place.root else []) + [None]:
        record = manifest.opened(root, manifest.repository(root) if root is not None else None)
        rendered += record.harnesses()
        found += _drift(place, root)
        found += _twice(place, root, record)
    if found:
        return found
    return ok("up to date for " + ", ".join(dict.fromkeys(rendered)) if rendered else "none rendered")


def _drift(place: Place, root: str | None) -> list[Result]:
    outcome = materialize.refresh(root, write=False)
    steps = [step for step in outcome.steps if step.action in plan.DRIFT]
    if not steps and outcome.exclude != "updated":
        return []
    names = ",".join(dict.fromkeys(step.harness for step in outcome.steps if step.harness in adapters.ALL))
    again = place.adlc("materialize", "--harness", names, *(["--root", root] if root else ["--user"]))
    foreign = [step for step in steps if step.action in (plan.KEPT, plan.REFUSED) and not step.path.endswith(".new")]
    if foreign:
        # What somebody wrote is theirs to give up.
        paths = [step.path if root is None else os.path.join(root, step.path) for step in foreign]
        return [warn(f"{foreign[0].path}: {foreign[0].note}; to have ours instead:", commands(command("rm", "--", *paths), command(*again)))]
    what = f"{steps[0].path}: to be {steps[0].action}" if steps else ".git/info/exclude does not name them"
    return [warn(f"out of date: {what}", argv=again)]


def _twice(place: Place, root: str | None, record: manifest.Manifest) -> list[Result]:
    """A file that rendering did not make, beside the agent that the plugin brings."""
    if not detect.plugin_enabled(place.root):
        return []
    path, _ = adapters.get("claude").render(agent.load(), "user" if root is None else "project")
    target = plan.target(root, "claude", path)
    full = os.path.join(target.base, target.path)
    if target.key in record.files or not os.path.lexists(full):
        return []
    return [warn(f"Claude Code shows the agent twice: {target.key} and the plugin's adlc:spec-scout", command("rm", "--", full))]
