"""What the skills write and what retrieval leaves out agree.

The skill `spec` lists the statuses that are not prior art. A status that another skill writes on finished work must
not be among them, or everything that is built disappears from retrieval without a sound; one that a skill writes to
withdraw a document must be. Without that list there is nothing to compare.
"""

from adlc import lifecycle
from adlc.ranking.tags import BUG_STATUSES

EXCLUDED = ("retrieval-status", "spec-exclude")
# What ends a requirement's way. Their blocks are missed when they are gone; those of other skills need not exist.
WRITERS = ("architect", "wrapup")
# Marks of a block, by what it declares. The last of the first group is how it is spelled beside the list itself.
WRITES = (("lifecycle-write", "spec"), ("retrieval-status", "lifecycle-write"))
WITHDRAWS, BUGS = ("lifecycle-withdraw", "spec"), ("lifecycle-write", "bug")


def check(page, tree):
    if page.kind != "skill" or page.name != "spec":
        return
    excluded = lifecycle.block(page.text, *EXCLUDED)
    line = next((n + 1 for n, text in enumerate(page.lines) if text.rstrip() == f"<!-- {EXCLUDED[0]}: {EXCLUDED[1]} -->"), 1)
    if excluded is None:
        if line > 1:
            yield line, "the list of statuses that retrieval leaves out is not closed"
        return
    if not excluded:
        yield line, "the list of statuses that retrieval leaves out is empty"
    skills = {other.name: other for other in tree.siblings(page)}
    declared = {name: _written(other) for name, other in skills.items()}
    if not any(name in skills for name in WRITERS) and not any(value is not None for value in declared.values()):
        return  # the skills that write statuses are not installed
    for name in WRITERS:
        if name not in skills:
            yield line, f"the skill '{name}' is gone, so what it writes is not compared with this list"
        elif declared[name] is None:
            yield line, f"{skills[name].path} has no block 'lifecycle-write: spec', so what it writes is not compared with this list"
    for name in sorted(skills):
        written = declared[name]
        if written == []:
            yield line, f"{skills[name].path}: its block 'lifecycle-write' is empty"
        for status in written or ():
            if status in excluded:
                yield line, f"'{status}' is left out of retrieval, and {skills[name].path} writes it on work that should be found"
        for status in lifecycle.block(skills[name].text, *WITHDRAWS) or ():
            if status not in excluded:
                yield line, f"'{status}' is not left out of retrieval, and {skills[name].path} writes it to withdraw a requirement"
        bugs = lifecycle.block(skills[name].text, *BUGS)
        if bugs is not None and not set(bugs) & set(BUG_STATUSES):
            yield line, f"{skills[name].path} writes no status with which a bug is prior art ({', '.join(sorted(BUG_STATUSES))})"


def _written(skill) -> list[str] | None:
    """The statuses of all blocks that say what the skill writes; None when there is none."""
    found = [block for marks in WRITES if (block := lifecycle.block(skill.text, *marks)) is not None]
    return [status for block in found for status in block] if found else None
