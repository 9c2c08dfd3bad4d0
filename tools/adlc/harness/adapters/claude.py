"""Claude Code: Markdown with YAML frontmatter; `tools` is an allow-list."""

from adlc.harness.form import Form, description, name

NAME = "Claude Code"
MARKS = (".claude", "CLAUDE.md", "CLAUDE.local.md", ".mcp.json")
HOME = ("CLAUDE_CONFIG_DIR", ".claude", "")
NOTE = "its tools grant nothing: allow Bash(adlc search *) in the settings, or adlc init --allow"
FORM = Form("markdown", {"name": name, "description": description, "tools": "Bash, Read, Grep, Glob"})


def render(agent, level: str) -> tuple[str, bytes]:
    return f"{'.claude/' if level == 'project' else ''}agents/{agent.name}.md", FORM.write(agent)
