"""opencode: the name is the file's; read-only by permissions, of which the last that fits wins."""

from adlc.harness.form import Form, description

NAME = "opencode"
MARKS = (".opencode", "opencode.json", "opencode.jsonc")
HOME = ("XDG_CONFIG_HOME", ".config", "opencode")
NOTE = ""
# `tools` as a string, as Claude Code has it, stops opencode at its start.
PERMISSION = {"*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow", "bash": "allow", "edit": "deny"}
FORM = Form("markdown", {"description": description, "mode": "subagent", "permission": PERMISSION})


def render(agent, level: str) -> tuple[str, bytes]:
    return f"{'.opencode/' if level == 'project' else ''}agents/{agent.name}.md", FORM.write(agent)
