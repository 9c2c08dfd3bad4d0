"""An agent has a name and a description, and no key that Claude Code passes over in silence."""

import difflib

KEYS = frozenset((
    "name", "description", "tools", "disallowedTools", "model", "permissionMode", "maxTurns", "skills", "mcpServers", "hooks",
    "memory", "background", "effort", "isolation", "color", "initialPrompt",
))
# Ignored in the agents of a plugin: it must not widen what it may do.
NOT_IN_PLUGINS = ("hooks", "permissionMode", "mcpServers")


def check(page, tree):
    if page.kind != "agent" or not page.fields:
        return
    for key in ("name", "description"):
        if key not in page.fields:
            yield 1, f"there is no {key}, so this is no agent"
    for key in map(str, page.fields):
        if key not in KEYS:
            near = difflib.get_close_matches(key, sorted(KEYS), 1, 0.75)
            yield page.key_line(key), f"no key of an agent: '{key}'{f'; nearest: {near[0]}' if near else ''}"
        elif key in NOT_IN_PLUGINS and page.home in tree.plugins:
            yield page.key_line(key), f"'{key}' is ignored in the agents of a plugin"
