"""One module a harness: from the neutral agent to (path, bytes).

Each has NAME (for people), MARKS (what in a project shows that it is used), HOME (the variable that
names its own directory, the place below the home otherwise, what is below either), NOTE (what a user must know, or ""), FORM, and

    render(agent, level) -> (path, bytes)

where level is "project" (path relative to the root) or "user" (relative to the harness' own directory).
"""

import importlib

ALL = ("claude", "opencode", "codex", "gemini", "qwen", "copilot", "cursor")
# Harnesses that have no sub-agents: their `render` is given the skill (harness.skill) instead.
WITHOUT = ("pi",)


def get(name: str):
    """The module of a harness, one of ALL or WITHOUT."""
    return importlib.import_module(f"adlc.harness.adapters.{name}")
