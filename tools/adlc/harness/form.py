"""The file formats of rendered agents, and what each harness accepts in them.

Harnesses drop an agent that they cannot read, often without a word, or load it with every tool. So a rendered
file is parsed again in its format, and held to the keys and values of its harness, before it counts.
"""

import json
import re
import tomllib

from adlc.harness.agent import MARK, Agent, split


# What every harness takes for a name.
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{1,49}")


class Form:
    """kind: "markdown" or "toml". keys: each key the file must have, exactly, and its value; a callable is given the Agent."""

    def __init__(self, kind: str, keys: dict):
        self.kind, self.keys = kind, keys

    def write(self, agent: Agent) -> bytes:
        values = self._values(agent)
        if self.kind == "toml":
            lines = [f"# {MARK}", *(f"{key} = {_toml(value)}" for key, value in values.items())]
            return ("\n".join(lines) + "\n").encode()
        lines = ["---", f"# {MARK}", *(f"{key}:{_yaml(value)}" for key, value in values.items()), "---", ""]
        return ("\n".join(lines) + "\n" + agent.body).encode()

    def fault(self, agent: Agent, content: bytes) -> str:
        """Why `content` is not this agent in this form, or ''."""
        try:
            text = content.decode("utf-8")
            fields, body = (tomllib.loads(text), None) if self.kind == "toml" else split(text)
        except (ValueError, UnicodeDecodeError) as exc:
            return f"it cannot be parsed: {exc}"
        wanted = self._values(agent)
        for key in [*wanted, *(key for key in fields if key not in wanted)]:
            if key not in fields:
                return f"{key} is missing"
            if key not in wanted:
                return f"{key} is no key of this harness"
            # As JSON text, so that the order counts and true is not 1.
            if json.dumps(fields[key]) != json.dumps(wanted[key]):
                return f"{key} is not what it must be"
        if body is not None and body != agent.body:
            return "the instructions are not those of the agent"
        if body is not None and re.search(r"^\w+: *\[", text.split("\n---\n")[0], re.M):
            return "a list stands on one line, which Qwen Code does not read"
        if MARK not in text:
            return "the mark of a generated file is missing"
        if not _NAME.fullmatch(agent.name):
            return f"{agent.name} is no name for an agent"
        return ""

    def _values(self, agent: Agent) -> dict:
        return {key: value(agent) if callable(value) else value for key, value in self.keys.items()}


def name(agent: Agent) -> str:
    return agent.name


def description(agent: Agent) -> str:
    return agent.description


def _yaml(value) -> str:
    """JSON is YAML, and quotes what YAML would take for something else; but Qwen Code's own parser reads block lists only."""
    if isinstance(value, list):
        return "".join(f"\n  - {item}" for item in value)
    # The order of keys is kept: in opencode the last permission that fits wins.
    return " " + json.dumps(value, ensure_ascii=False)


def _toml(value: str) -> str:
    # A literal string holds no control character but tabs and line ends.
    if "\n" in value and "'''" not in value and not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", value):
        return f"'''\n{value}'''"
    # What JSON escapes, a basic string of TOML escapes alike.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
