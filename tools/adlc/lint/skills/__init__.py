"""`adlc lint skills`: the checks of skills, agents and what stands beside them.

A check is a module with `check(page, tree)` that yields (1-based line, message); its name is the module's, with
hyphens. It says nothing about pages that are not its subject: a bundle without a gate has no gate to guard.
"""
