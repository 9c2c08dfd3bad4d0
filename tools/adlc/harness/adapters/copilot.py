"""GitHub Copilot CLI: `*.agent.md`; it reads a project's .claude/agents too."""

from adlc.harness.form import Form, description, name

NAME = "GitHub Copilot"
MARKS = (".github/copilot-instructions.md", ".github/agents", ".github/instructions", ".github/prompts", ".copilot")
HOME = ("COPILOT_HOME", ".copilot", "")
NOTE = ""
FORM = Form("markdown", {"name": name, "description": description, "tools": ["read", "search", "execute"]})


def render(agent, level: str) -> tuple[str, bytes]:
    return f"{'.github/' if level == 'project' else ''}agents/{agent.name}.agent.md", FORM.write(agent)
