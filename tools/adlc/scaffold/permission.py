"""The rule that lets Claude Code run adlc without asking, in the project's personal settings."""

import json

from adlc import files
from adlc.errors import AdlcError
from adlc.scaffold import place
from adlc.scaffold.scaffold import Action

FILE = ".claude/settings.local.json"
RULE = "Bash(adlc *)"
_EQUAL = (RULE, "Bash(adlc:*)", "Bash", "Bash(*)")


def plan(root: str) -> Action:
    """What --allow does. Raises AdlcError config_malformed when the settings cannot be extended safely."""
    present = place.read(root, FILE)
    settings = _parse(present) if present is not None else {}
    allow = settings.setdefault("permissions", {}).setdefault("allow", [])
    if allows(settings):
        return Action(FILE, "unchanged")
    allow.append(RULE)
    content = (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
    return Action(FILE, "created" if present is None else "refreshed", f"allows {RULE}", content)


def allows(settings: dict) -> bool:
    """Whether these settings of Claude Code have the rule, or one that is at least as wide."""
    permissions = settings.get("permissions")
    allow = permissions.get("allow") if isinstance(permissions, dict) else None
    return isinstance(allow, list) and any(rule in allow for rule in _EQUAL)


def present(root: str) -> bool:
    try:
        return plan(root).action == "unchanged"
    except AdlcError:
        return False


def _parse(content: bytes) -> dict:
    try:
        settings = json.loads(files.decode(content) or "{}")
    except (ValueError, RecursionError, files.Unreadable):
        settings = None
    permissions = settings.get("permissions", {}) if isinstance(settings, dict) else None
    if not isinstance(permissions, dict) or not isinstance(permissions.get("allow", []), list):
        raise AdlcError("config_malformed", f"{FILE} is not the JSON that Claude Code expects", f'add "{RULE}" under permissions.allow by hand')
    return settings
