"""Gemini CLI: Markdown; an unknown key or tool is a loading error."""

from adlc.harness.form import Form, description, name

NAME = "Gemini CLI"
MARKS = (".gemini", "GEMINI.md")
HOME = ("", ".gemini", "")
NOTE = "project agents need folder trust and an acknowledgement in its interactive UI; --user needs neither"
TOOLS = ["read_file", "grep_search", "glob", "list_directory", "run_shell_command"]
FORM = Form("markdown", {"name": name, "description": description, "tools": TOOLS})


def render(agent, level: str) -> tuple[str, bytes]:
    return f"{'.gemini/' if level == 'project' else ''}agents/{agent.name}.md", FORM.write(agent)
