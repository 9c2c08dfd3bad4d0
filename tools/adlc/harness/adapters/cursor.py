"""Cursor, by its documentation: it has no command line client on npm to try it with."""

from adlc.harness.form import Form, description, name

NAME = "Cursor"
MARKS = (".cursor", ".cursorrules")
HOME = ("", ".cursor", "")
NOTE = "rendered from its documentation, not tried with the program"
FORM = Form("markdown", {"name": name, "description": description, "readonly": True})


def render(agent, level: str) -> tuple[str, bytes]:
    return f"{'.cursor/' if level == 'project' else ''}agents/{agent.name}.md", FORM.write(agent)
