"""Codex: TOML. It has no allow-list of tools, and a role's sandbox_mode is not enforced, so none is claimed."""

from adlc.harness.form import Form, description, name

NAME = "Codex"
MARKS = (".codex",)
HOME = ("CODEX_HOME", ".codex", "")
NOTE = "nothing there enforces that it only reads; project agents need a trusted project"
FORM = Form("toml", {"name": name, "description": description, "developer_instructions": lambda agent: agent.body})


def render(agent, level: str) -> tuple[str, bytes]:
    return f"{'.codex/' if level == 'project' else ''}agents/{agent.name}.toml", FORM.write(agent)
