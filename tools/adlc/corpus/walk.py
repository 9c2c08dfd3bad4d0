"""Directories that are never walked: other checkouts, dependencies, caches."""

UNWALKED = frozenset((
    ".git", ".hg", ".svn", ".worktrees", "node_modules", "bower_components", ".venv", "__pycache__", ".tox",
))
