"""pi: it has no sub-agents, and reads skills from .agents/skills of the project and of the home."""

from adlc.harness.skill import Form

NAME = "pi"
MARKS = (".pi",)
HOME = ("", ".agents", "")
NOTE = "the skill does the same in the main agent"
FORM = Form


def render(skill, level: str) -> tuple[str, bytes]:
    return f"{'.agents/' if level == 'project' else ''}skills/{skill.name}/SKILL.md", FORM.write(skill)
