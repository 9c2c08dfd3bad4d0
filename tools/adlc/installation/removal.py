"""Decides what uninstalling takes away; reads only."""

from adlc.installation import manifest, shells, states
from adlc.installation.plan import Plan, block_state
from adlc.installation.steps import Step


def uninstall(record: manifest.Manifest) -> Plan:
    """Take away what the record names and nobody has changed since; the record itself last."""
    plan = Plan(record)
    for path, entry in reversed(record.owned.items()):
        if "folder" in entry:
            continue
        here = states.observe(path)
        if record.owns(path):
            before = block_state(entry) if "block" in entry else here
            plan.steps.append(Step(path, before, None, "PATH line removed from" if "block" in entry else "removed"))
        elif "block" in entry:
            if states.has_block(path, shells.BEGIN):
                plan.notes.append(f"{path}: the lines between {shells.BEGIN} and {shells.END} were edited and are yours now")
        elif here is not None:
            plan.notes.append(f"{path}: changed since, and yours now")
    here = states.observe(record.path)
    if here is not None:
        plan.steps.append(Step(record.path, here, None, "removed"))
    for path in reversed(record.folders()):
        here = states.observe(path)
        if here and "folder" in here:
            plan.steps.append(Step(path, here, None, "removed, if it is empty,"))
    return plan
