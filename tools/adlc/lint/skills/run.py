"""Runs every check over the skills, agents and partials of a directory."""

from adlc.lint.finding import Finding
from adlc.lint.skills import (
    agent, bare_digit, cross_fence_function, cross_fence_variable, delegate_protocol, description, fence_balance, frontmatter,
    harness_skip, load_time, plugin_root, posix_fence, read_bin_guard, retrieval_status_parity, sentinel, spliced_argument, tools,
    unguarded_source,
)
from adlc.lint.skills.place import Place
from adlc.lint.skills.tree import Tree

CHECKS = (
    frontmatter, description, agent, tools, load_time, plugin_root, bare_digit, spliced_argument, fence_balance, posix_fence,
    cross_fence_variable, cross_fence_function, unguarded_source, read_bin_guard, harness_skip, delegate_protocol,
    retrieval_status_parity, sentinel,
)


def run(place: Place) -> tuple[int, list[Finding]]:
    """-> (files examined, findings in order)."""
    tree = Tree(place)
    findings = list(tree.faults)
    for page in tree.pages:
        for check in CHECKS:
            name = check.__name__.rpartition(".")[2].replace("_", "-")
            findings += [Finding(page.path, line, name, message) for line, message in check.check(page, tree)]
    unique = {finding.key(): finding for finding in findings}
    return tree.examined, [unique[key] for key in sorted(unique)]
