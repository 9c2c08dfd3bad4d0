"""The skill `consult`, which does in the main agent what the scout does: for harnesses that have no sub-agents."""

import os

from adlc import files
from adlc.errors import AdlcError
from adlc.harness.agent import mark, split
from adlc.lifecycle import HOME

NAME = "consult"
SOURCE = f"skills/{NAME}/SKILL.md"
MARK = mark(SOURCE)


class Skill:
    """name: also that of its directory. text: the file as it is shipped."""

    __slots__ = ("name", "text")

    def __init__(self, name: str, text: str):
        self.name, self.text = name, text


class Form:
    """The open format: one SKILL.md that every harness reads alike, here with the mark of a generated file."""

    @staticmethod
    def write(skill: Skill) -> bytes:
        return skill.text.replace("---\n", f"---\n# {MARK}\n", 1).encode()

    @staticmethod
    def fault(skill: Skill, content: bytes) -> str:
        """Why `content` is not this skill, or ''."""
        try:
            text = content.decode("utf-8")
            fields, body = split(text)
            wanted, instructions = split(skill.text)
        except (ValueError, UnicodeDecodeError) as exc:
            return f"it cannot be parsed: {exc}"
        if fields != wanted or fields.get("name") != skill.name or not fields.get("description"):
            return "its keys are not those of the skill"
        if body != instructions:
            return "the instructions are not those of the skill"
        return "" if MARK in text else "the mark of a generated file is missing"


def load() -> Skill:
    """The skill of this installation. Raises AdlcError environment_missing."""
    try:
        return Skill(NAME, files.read_document(os.path.join(HOME, SOURCE))[0])
    except files.Unreadable as exc:
        raise AdlcError("environment_missing", f"this installation of adlc is not complete: {SOURCE}: {exc}", "reinstall adlc") from None
