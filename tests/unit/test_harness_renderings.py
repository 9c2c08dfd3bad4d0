"""A rendered agent is held to what its harness accepts; every fault that harnesses swallow is noticed here."""

import re

import pytest

from adlc.harness import adapters, agent, skill
from conftest import ROOT

AGENT = agent.load()


def rendered(name: str) -> str:
    return adapters.get(name).render(AGENT, "project")[1].decode()


@pytest.mark.parametrize("name", adapters.ALL)
def test_what_is_rendered_has_no_fault(name):
    assert adapters.get(name).FORM.fault(AGENT, rendered(name).encode()) == ""


def put(before: str, after: str):
    def damage(text: str) -> str:
        assert before in text
        return text.replace(before, after, 1)

    return damage


FRONT = [
    ("no end of the frontmatter", put("\n---\n", "\n--\n")), ("no frontmatter", put("---\n", "")), ("no description", put("description:", "desc:")),
    ("unquoted colon", put('description: "', "description: a: ")), ("an unknown key", put("description:", "color: red\ndescription:")),
    ("no mark", put("# Generated", "# Written")), ("other instructions", put("You read.", "You write.")), ("cut", lambda text: text[:-40]),
]
FAULTS = [
    *((name, *fault) for name in adapters.ALL if name != "codex" for fault in FRONT),
    ("claude", "no tools, so all of them", put('tools: "Bash, Read, Grep, Glob"\n', "")), ("claude", "a tool that writes", put("Glob", "Glob, Edit")),
    ("opencode", "tools as a string", put("mode:", 'tools: "Bash, Read"\nmode:')), ("opencode", "may be the main agent", put('"subagent"', '"all"')),
    ("opencode", "a denial that comes first loses", put('{"*": "deny", "read": "allow"', '{"read": "allow", "*": "deny"')),
    ("opencode", "may edit", put('"edit": "deny"', '"edit": "allow"')),
    ("codex", "a restriction that nobody enforces", put("developer_instructions", 'sandbox_mode = "read-only"\ndeveloper_instructions')),
    ("codex", "no TOML", put("description = ", "description: ")), ("codex", "no instructions", put("developer_instructions", "instructions")),
    ("codex", "no mark", put("# Generated", "# Written")), ("codex", "cut", lambda text: text[:-2]),
    ("gemini", "tool names of another harness", put("- read_file", "- Read")), ("gemini", "a tool that writes", put("- glob", "- glob\n  - write_file")),
    ("qwen", "tools as a string", put("tools:\n  - read_file\n", 'tools: "read_file"\nx:\n')), ("qwen", "tool names of another harness", put("- grep_search", "- Grep")),
    ("qwen", "a list on one line", lambda text: re.sub(r"tools:\n(  - .*\n)+", 'tools: ["read_file", "grep_search", "glob", "list_directory", "run_shell_command"]\n', text)),
    ("copilot", "every tool", put("  - read\n  - search\n  - execute\n", "  - '*'\n")), ("cursor", "may write", put("readonly: true", "readonly: false")),
    ("cursor", "true as a word", put("readonly: true", 'readonly: "true"')),
]


@pytest.mark.parametrize("name, damage", [(name, damage) for name, _, damage in FAULTS], ids=[f"{name}: {what}" for name, what, _ in FAULTS])
def test_a_planted_fault_is_noticed(name, damage):
    assert adapters.get(name).FORM.fault(AGENT, damage(rendered(name)).encode())


@pytest.mark.parametrize("name", adapters.ALL)
@pytest.mark.parametrize(
    "description, body",
    [("a: b # c \"d\" \\ 'e' — ü", "x\n"), ("- x", "'''\n\\\n\t\"\"\"\n"), ("{x}", "---\nname: y\n---\n"), ("yes", "\x7f\\u0041 'x'\n"), ("1", "a''\n")],
)
def test_any_text_comes_back_as_it_went_in(name, description, body):
    some = agent.Agent("some-agent", description, body)
    adapter = adapters.get(name)
    assert adapter.FORM.fault(some, adapter.render(some, "user")[1]) == ""


@pytest.mark.parametrize("damage", [
    put("\n---\n", "\n--\n"), put("name: consult", "name: other"), put("description:", "desc:"), put("# Generated", "# Written"),
    put("allowed-tools:", "x: y\nallowed-tools:"), put("# Consult", "# Guess"), lambda text: text[:-40],
])
def test_a_fault_in_the_rendered_skill_is_noticed(damage):
    for name in adapters.WITHOUT:
        what = skill.load()
        _, content = adapters.get(name).render(what, "project")
        assert adapters.get(name).FORM.fault(what, content) == ""
        assert adapters.get(name).FORM.fault(what, damage(content.decode()).encode())


@pytest.mark.parametrize("name", ["", "Ünsinn", "a b", "../x", "A", "x" * 60])
def test_a_name_that_some_harness_refuses_is_a_fault(name):
    some = agent.Agent(name, "d", "b\n")
    assert adapters.get("gemini").FORM.fault(some, adapters.get("gemini").render(some, "project")[1])


def test_f35_only_agents_lie_in_agents_and_each_is_whole_and_read_only():
    assert [path.name for path in sorted((ROOT / "agents").rglob("*"))] == ["spec-scout.md"]
    text = (ROOT / "agents/spec-scout.md").read_text()
    fields, body = agent.split(text)
    assert fields["name"] == "spec-scout" and fields["description"] and fields["tools"] == "Bash, Read, Grep, Glob"
    assert set(fields) == {"name", "description", "tools"} and len(body.splitlines()) < 60


def test_f03_the_agent_calls_the_bare_command_and_has_words_for_its_absence():
    text = (ROOT / "agents/spec-scout.md").read_text()
    assert "`adlc search --json" in text and "floor unavailable" in text
    assert "PLUGIN_ROOT" not in text and "bin/adlc" not in text
