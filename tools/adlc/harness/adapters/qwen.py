"""Qwen Code: Markdown; tool names are Gemini's, and those of Claude Code would fail without a word."""

from adlc.harness.adapters.gemini import TOOLS
from adlc.harness.form import Form, description, name

NAME = "Qwen Code"
MARKS = (".qwen", "QWEN.md")
HOME = ("", ".qwen", "")
NOTE = ""
FORM = Form("markdown", {"name": name, "description": description, "tools": TOOLS})


def render(agent, level: str) -> tuple[str, bytes]:
    return f"{'.qwen/' if level == 'project' else ''}agents/{agent.name}.md", FORM.write(agent)
