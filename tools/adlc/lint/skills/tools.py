"""The tools that an agent or a skill names exist: a client grants nothing for a name that it does not know, and says nothing."""

import difflib
import re

KNOWN = frozenset((
    "Agent", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "EnterWorktree",
    "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillBash", "KillShell", "LS", "LSP", "ListAgents", "ListMcpResourcesTool", "Monitor",
    "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "PushNotification", "Read", "ReadMcpResourceTool", "RemoteTrigger",
    "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "SlashCommand", "StructuredOutput", "Task", "TaskCreate", "TaskGet",
    "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoRead", "TodoWrite", "ToolSearch", "WebFetch",
    "WebSearch", "Workflow", "Write",
))
_FOLDED = {name.casefold(): name for name in KNOWN}
# How other harnesses spell theirs; a skill may be written for several.
_OTHERS = re.compile(r"[a-z]+(?:[_-][a-z]+)+")
_FIELDS = {"agent": ("tools", "disallowedTools"), "skill": ("allowed-tools",)}


def check(page, tree):
    for key in _FIELDS.get(page.kind, ()):
        value = page.fields.get(key)
        if value is None:
            continue
        names = split(value) if isinstance(value, str) else value if isinstance(value, list) else None
        if names is None or not all(isinstance(name, str) for name in names):
            yield page.key_line(key), f"{key} is neither text nor a list of names"
            continue
        for entry in names:
            name = entry.partition("(")[0].strip()
            if entry.count("(") != entry.count(")"):
                yield page.key_line(key), f"{key}: the brackets of '{entry}' do not match"
            elif name not in KNOWN and not name.startswith("mcp__") and name not in ("", "*"):
                if page.kind == "skill" and _OTHERS.fullmatch(name):
                    continue
                same = _FOLDED.get(name.casefold()) or next(iter(difflib.get_close_matches(name, sorted(KNOWN), 1, 0.8)), None)
                yield page.key_line(key), f"{key}: no tool of Claude Code: '{name}'{f'; nearest: {same}' if same else ''}"


def split(value: str) -> list[str]:
    """The names of a list in one string, each with its brackets."""
    names, depth, current = [], 0, ""
    for char in value:
        if depth <= 0 and (char == "," or char.isspace()):
            names.append(current)
            current = ""
            continue
        depth += (char == "(") - (char == ")")
        current += char
    return [name for name in (*names, current) if name]
