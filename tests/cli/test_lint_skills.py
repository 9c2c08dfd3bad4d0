"""adlc lint skills: each check fails on its planted fault and is silent on what looks like one."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT

SKILL = "skills/demo/SKILL.md"
HEAD = '---\nname: demo\ndescription: "Does one thing."\n---\n\n'
GUARD = (
    "if [ -f .adlc/partials/X.sh ]; then . .adlc/partials/X.sh; elif [ -f ~/.claude/skills/partials/X.sh ]; "
    'then . ~/.claude/skills/partials/X.sh; else . "$(adlc where partials)/X.sh"; fi'
)
PARAGRAPH = (
    "**Provenance-classifying harness (BUG-228):** if your shell tool classifies each command's reach, run none of this.\n\n"
)
ABSOLUTE = 'case "$ADLC_READ_BIN" in /*) ;; *) exit 1 ;; esac\n'
EXCLUDE = "<!-- retrieval-status: spec-exclude -->\n\n- `draft` — no\n- `superseded` — no\n\n<!-- /retrieval-status -->\n"


def sh(code: str, label: str = "sh") -> str:
    return f"```{label}\n{code}\n```\n"


def skill(project, body: str, head: str = HEAD, path: str = SKILL):
    return project.write(path, head + body)


def agent(project, head: str, path: str = ".claude/agents/a.md"):
    return project.write(path, f"---\n{head}\n---\n\nYou help.\n")


def found(result) -> list[str]:
    return [f"{f['path']}:{f['line']}: {f['check']}: {f['message']}" for f in result.document["findings"]]


def checks(adlc, *arguments, **options) -> list[tuple[int, str]]:
    result = adlc("lint", "skills", *arguments, "--json", **options)
    assert result.code == (1 if result.document["findings"] else 0), result
    return [(f["line"], f["check"]) for f in result.document["findings"]]


PROTOCOL = sh("adlc flag create") + sh("adlc gate --flag F") + sh("adlc delegate read --flag F --paths P --question Q") + sh("adlc telemetry step spec S --flag F")

# check -> fault (body of a skill), line it is found at; HEAD has five lines.
FAULTS = [
    ("load-time", "Status: !`git status`\n", 6),
    ("load-time", "!`git status && git diff`\n", 6),
    ("load-time", "Never write `` !`x` `` here.\n", 6),
    ("load-time", "```sh\n!`date`\n```\n", 7),
    ("load-time", "- a (b !`x`), c\n", 6),
    ("load-time", "!`echo\ndate`\n", 6),
    ("load-time", "```!\ndate\n```\n", 6),
    ("plugin-root", "Run `${CLAUDE_PLUGIN_ROOT:-.}/bin/x`.\n", 6),
    ("plugin-root", sh("sh ${CLAUDE_PLUGIN_ROOT-/opt}/x"), 7),
    ("plugin-root", sh('sh "$CLAUDE_PLUGIN_ROOT/x"'), 7),
    ("bare-digit", "It costs $5 a month.\n", 6),
    ("bare-digit", sh("echo $1"), 7),
    ("bare-digit", sh("awk '{print $2}' f"), 7),
    ("bare-digit", sh("f() { echo $1; }\nf x"), 7),
    ("spliced-argument", sh('grep -- "$ARGUMENTS" f'), 7),
    ("fence-balance", "```sh\necho a\n", 6),
    ("fence-balance", "~~~\ntext\n```\n", 6),
    ("fence-balance", "1. x\n\n   ```sh\n   echo a\n", 8),
    ("fence-balance", "> ```sh\n> echo a\n\n```sh\necho b\n```\n", 6),
    ("fence-balance", "```markdown\n```sh\necho a\n```\n```\n", 7),
    ("fence-balance", sh("x=$((1+2)"), 7),
    ("fence-balance", sh("echo\nx=$(case $y in a) echo 1;; esac\necho"), 8),
    ("fence-balance", sh("x=$(date"), 7),
    ("fence-balance", sh('echo "a'), 7),
    ("fence-balance", sh("echo `date"), 7),
    ("fence-balance", sh("echo ${x"), 7),
    ("fence-balance", sh("cat <<EOF\ntext"), 7),
    ("posix-fence", sh("f() {\n  local x=1\n}"), 8),
    ("posix-fence", sh("if [[ -f x ]]; then echo; fi"), 7),
    ("posix-fence", sh("x=(a b)"), 7),
    ("posix-fence", sh("diff <(ls a) b"), 7),
    ("posix-fence", sh("cat <<<x"), 7),
    ("posix-fence", sh("source x.sh"), 7),
    ("posix-fence", sh('[ "$a" == b ]'), 7),
    ("posix-fence", sh("set -eo pipefail"), 7),
    ("posix-fence", sh("echo ${x//a/b}"), 7),
    ("posix-fence", sh("for i in {1..3}; do echo; done"), 7),
    ("posix-fence", sh("echo {1..3}"), 7),
    ("posix-fence", sh("echo -n x"), 7),
    ("posix-fence", sh("a-b() { echo; }"), 7),
    ("posix-fence", sh("echo $RANDOM"), 7),
    ("posix-fence", sh("read -rp x y"), 7),
    ("posix-fence", sh("mkdir -p x/{a,b}"), 7),
    ("posix-fence", sh("status=$(git status)"), 7),
    ("posix-fence", sh("for path in a b; do echo; done", "bash"), 7),
    ("cross-fence-variable", sh("x=1") + "\n" + sh("echo $x"), 11),
    ("cross-fence-variable", sh("export x=1") + "\n" + sh("echo ${x}"), 11),
    ("cross-fence-variable", sh("x=1") + "\n" + sh("x=${x:-2}"), 11),
    ("cross-fence-variable", sh("for x in a; do :; done") + "\n" + sh('echo "in $x"'), 11),
    ("cross-fence-variable", sh("read -r a x <f") + "\n" + sh("cat <<EOF\n$x\nEOF"), 12),
    ("cross-fence-variable", sh("x=1") + "\n" + sh("echo $x\neval y"), 11),
    ("cross-fence-variable", sh("x=1") + "\n" + sh(GUARD + "\necho $x"), 12),
    ("cross-fence-variable", sh("n=1") + "\n" + sh("echo $((n + 1))"), 11),
    ("cross-fence-function", sh("f() { echo; }") + "\n" + sh("f x"), 11),
    ("cross-fence-function", sh("f x") + "\n" + sh("f() { echo; }"), 7),
    ("unguarded-source", sh(". .adlc/partials/X.sh"), 7),
    ("unguarded-source", sh(". .adlc/partials/X.sh 2>/dev/null || . ~/.claude/skills/partials/X.sh"), 7),
    ("unguarded-source", sh('[ -f .adlc/partials/X.sh ] && . ".adlc/partials/X.sh"'), 7),
    ("unguarded-source", sh('source "$HOME/.claude/skills/partials/X.sh"', "bash"), 7),
    ("unguarded-source", "Use `. .adlc/partials/X.sh || . ~/.claude/skills/partials/X.sh`.\n", 6),
    ("read-bin-guard", sh('command "$ADLC_READ_BIN" --paths a'), 7),
    ("read-bin-guard", sh(ABSOLUTE + '"$ADLC_READ_BIN" --paths a'), 8),
    ("read-bin-guard", sh(ABSOLUTE + "command $ADLC_READ_BIN --paths a"), 8),
    ("read-bin-guard", sh(ABSOLUTE + 'command "${ADLC_READ_BIN:-adlc-read}" --paths a'), 8),
    ("read-bin-guard", sh(ABSOLUTE + 'bin=$ADLC_READ_BIN\n"$bin" --paths a'), 8),
    ("read-bin-guard", sh(ABSOLUTE + 'eval "$ADLC_READ_BIN --paths a"'), 8),
    ("read-bin-guard", sh('x mark F invoked 1\n' + ABSOLUTE + 'command "$ADLC_READ_BIN" a'), 7),
    ("harness-skip", PROTOCOL, 10),
    ("harness-skip", PARAGRAPH + "x\n" * 40 + PROTOCOL, 52),
    ("harness-skip", "```\n" + PARAGRAPH + "```\n" + PROTOCOL, 14),
    ("delegate-protocol", PARAGRAPH + PROTOCOL.replace("adlc flag create", "true"), 12),
    ("delegate-protocol", PARAGRAPH + PROTOCOL.replace("adlc telemetry step", "echo"), 12),
]
TWINS = [
    "A panic: `fn() -> !` (`a.rs`), `x !`date` y`, !`` and a lone !`x.\n",
    "Wow!`x` and !important and ![a](b) and `!` and `a!`.\n",
    "```text\nno!`x`\n```\n",
    "Run `${CLAUDE_PLUGIN_ROOT}/bin/x`, never `$CLAUDE_PLUGIN_ROOT`.\n" + sh("sh ${CLAUDE_PLUGIN_ROOT}/x"),
    r"It costs \$5, \$1.20 or $200K; $HOME, $(1) and ${1} stay." + "\n" + sh(r"awk '{print \$2}' f; f() { echo ${1}; }"),
    "Hand over $ARGUMENTS in a file.\n" + sh(r"echo \$ARGUMENTS"),
    "~~~sh\necho a\n~~~\n\n````markdown\n```sh\necho a\n```\n````\n\n- x\n\n      ```sh\n      echo a\n      ```\n\n> ```sh\n> echo a\n> ```\n",
    "<!-- ```sh\n-->\ntext `` ```sh `` text\n",
    sh("x=$(( ($(date) - $y) * 1000 ))\nz=$(case $y in a) echo 1;; (b) echo ')' ;; esac) # don't \"\necho \"$(echo \"a)\" | tr ')' x)\" 'it'\\''s'"),
    sh("cat <<'EOF' >f\n$(unclosed \" `\nEOF\nx=$((a); b)"),
    sh("echo local 'local x' # local y\n# [[\necho '[[ a ]]' \"(( x ))\" \\<\\<\\<"),
    sh("echo ${x%,} '{a,b}' {} {a} \"{1..3}\"; find . -exec ls {} +"),
    sh("echo - -x; echo '-n'; f_1() { :; }; for i in 1 2; do :; done"),
    sh("f() {\n  local x=(1 2)\n  [[ -f x ]] && source x\n}", "bash"),
    sh("#!/usr/bin/env bash\nstatus=1\nlocal x"),
    "```python\nstatus = 1\nx = $((1\n```\n",
    sh("x=1; echo $x") + sh("x=2\necho $x"),
    sh("x=1") + sh("echo '$x' # $x") + sh("cat <<'EOF'\n$x\nEOF") + sh(r"echo \$x"),
    sh("x=1 cmd") + sh("echo $x"),
    sh("x=1") + sh('eval "$(tool env)"\necho $x') + sh(". ./env.sh\necho $x"),
    sh("export KEY=<your key>\nexport TOKEN=sk-your-token B='<b>' C=...") + sh("curl $KEY $TOKEN $B $C"),
    sh("export PATH=$PATH:/x") + sh("echo $PATH"),
    sh('r=${r:-$(pwd)}\necho "$r"') + sh('r=${r:-$(pwd)}\necho "$r"'),
    sh("f() { echo; }\nf x") + sh("f() { echo; }\nf x") + sh("echo f; g=f"),
    sh(GUARD) + "   \n1. x\n\n   " + sh(GUARD).replace("\n", "\n   ") + "\n",
    sh(GUARD.replace('elif [ -f ~/.claude/skills/partials/X.sh ]; then . ~/.claude/skills/partials/X.sh; else . "$(adlc where partials)/X.sh"; fi', "else . ~/.claude/skills/partials/X.sh; fi")),
    "Source `.adlc/partials/X.sh`, never by `. A || . B`.\n" + sh("cat .adlc/partials/X.sh || . ./other.sh"),
    sh(ABSOLUTE + 'x mark F invoked 1\ncommand "$ADLC_READ_BIN" --paths a'),
    sh('# $ADLC_READ_BIN\necho "reader: $ADLC_READ_BIN" >&2\n[ -n "$ADLC_READ_BIN" ]'),
    PARAGRAPH + PROTOCOL,
    "The gate is `adlc gate`.\n",
]


@pytest.mark.parametrize("check, body, line", FAULTS, ids=[f"{n}-{row[0]}" for n, row in enumerate(FAULTS)])
def test_a_planted_fault_is_found_by_its_check_and_by_no_other(adlc, project, check, body, line):
    skill(project, body)
    assert checks(adlc) == [(line, check)]


@pytest.mark.parametrize("body", TWINS, ids=range(len(TWINS)))
def test_what_only_looks_like_a_fault_is_none(adlc, project, body):
    skill(project, body)
    result = adlc("lint", "skills", "--json")
    assert found(result) == [] and result.document["outcome"] == "clean"


FENCES = [
    "```sh\n{}\n```", "~~~sh\n{}\n~~~", "````sh\n{}\n````", "```SH\n{}\n```", "```shell\n{}\n```", "```\n{}\n```", "~~~~~ sh\n{}\n~~~~~", "``` sh title=x\n{}\n```",
    "```{.sh}\n{}\n```", "- x\n\n  ```sh\n  {}\n  ```", "1. ```sh\n   {}\n   ```", "- a\n  - b\n\n        ```sh\n        {}\n        ```", "\t```sh\n\t{}\n\t```",
    "> ```sh\n> {}\n> ```", "```posix\n{}\n```", "```sh\n$ {}\n```", "```\n#!/bin/sh\n{}\n```", "- x\n  ```sh\n{}\n  ```",
]


@pytest.mark.parametrize("form", FENCES, ids=range(len(FENCES)))
def test_a_block_is_seen_however_its_fence_is_spelled(adlc, project, form):
    body = form.replace("{}", "if [[ -f x ]]; then echo; fi")
    skill(project, body + "\n")
    assert checks(adlc) == [(HEAD.count("\n") + 1 + body[: body.index("if [[")].count("\n"), "posix-fence")]
    skill(project, form.replace("{}", "if [ -f x ]; then echo; fi") + "\n")
    assert checks(adlc) == []


@pytest.mark.parametrize("text", ["a=(b)", "text\n[[wiki]]", "Title\n\nlocal news", "{\n  \"local\": [[1]]\n}", "INFO local x=(1)", "GET /x\n[[ok]]", "[ ] done\nlocal x", "test result: ok\nlocal x", "make sure\nlocal x", "EPIC=<id>  # which\nlocal x", "KIND=a|b\nlocal x", "local time"])
def test_a_block_without_a_language_is_shell_only_when_it_begins_like_it(adlc, project, text):
    skill(project, f"```\n{text}\n```\n")
    assert checks(adlc) == ([] if not text.startswith("a=") else [(7, "posix-fence")])


HEADS = [
    ("frontmatter", "# Demo\n", 1),
    ("frontmatter", "---\nname: demo\n", 1),
    ("frontmatter", "\n" + HEAD, 1),
    ("frontmatter", "<!-- licence -->\n" + HEAD, 1),
    ("frontmatter", "---\nname: demo\ndescription: Use when: always\n---\n", 3),
    ("frontmatter", "---\nname: demo\ndescription: [a\n---\n", 3),
    ("frontmatter", "---\nname: demo\ndescription: `x`\n---\n", 3),
    ("frontmatter", "---\nname: demo\n\tdescription: x\n---\n", 3),
    ("frontmatter", "---\n- name\n---\n", 2),
    ("frontmatter", "---\n---\n", 2),
    ("frontmatter", "---\nname: demo\nname: demo\ndescription: x\n---\n", 3),
    ("frontmatter", "---\nname: 7\ndescription: x\n---\n", 2),
    ("frontmatter", "---\nname: demo\ndescription: \"\"\n---\n", 3),
    ("frontmatter", '---\nname: demo\ndescription: "One --- two"\n---\n', 3),
    ("frontmatter", "\ufeff" + HEAD, 1),
    ("description", "---\nname: demo\n---\n", 1),
    ("description", f"---\nname: demo\ndescription: {'x' * 251}\n---\n", 3),
    ("description", f"---\nname: demo\ndescription: >\n  {'word ' * 300}\n---\n", 3),
    ("tools", "---\nname: demo\ndescription: x\nallowed-tools: bash(git *) Read\n---\n", 4),
    ("tools", "---\nname: demo\ndescription: x\nallowed-tools: Bash(git * Read\n---\n", 4),
    ("tools", "---\nname: demo\ndescription: x\nallowed-tools:\n  - Read\n  - Wirte\n---\n", 4),
]


@pytest.mark.parametrize("check, head, line", HEADS, ids=range(len(HEADS)))
def test_a_fault_in_the_frontmatter_is_found(adlc, project, check, head, line):
    project.write(SKILL, head + "\n# Demo\n")
    assert checks(adlc) == [(line, check)]


@pytest.mark.parametrize("head", [
    "name: demo\ndescription: 'Use when: always'", f"name: demo\ndescription: {'x' * 250}", "name: demo\ndescription: >-\n  Two\n  lines: here",
    "description: no name is fine", "name: demo\ndescription: one -- two — three", "name: demo\ndescription: x\nallowed-tools: read_file, Bash(git log:*), Bash(sh -c \"f(1)\") Read(//**/x y/**) mcp__a__b",
    "name: demo\ndescription: x\nallowed-tools:\n  - Read\n  - Bash(adlc *)\n# comment\nlicense: Apache-2.0", "name: demo\ndescription: über — „x“ 日本",
])
def test_sound_frontmatter_is_none(adlc, project, head):
    project.write(SKILL, f"---\n{head}\n---\n\n# Demo\n")
    assert checks(adlc) == []


AGENTS = [
    ("agent", "name: a\ndescription: x\ntool: Read", 4), ("agent", "name: a", 1), ("agent", "description: x", 1), ("agent", "name: a\ndescription: x\nallowed-tools: Read", 4),
    ("tools", "name: a\ndescription: x\ntools: read_file, Bash", 4), ("tools", "name: a\ndescription: x\ntools: [Read, grep]", 4),
    ("tools", "name: a\ndescription: x\ndisallowedTools: Writ", 4), ("tools", "name: a\ndescription: x\ntools: 7", 4), ("tools", "name: a\ndescription: x\ntools: All tools", 4),
    ("frontmatter", "name: a\ndescription: x: y", 3),
]


@pytest.mark.parametrize("check, head, line", AGENTS, ids=range(len(AGENTS)))
def test_a_fault_in_an_agent_is_found(adlc, project, check, head, line):
    agent(project, head)
    assert set(checks(adlc)) == {(line, check)}


def test_a_sound_agent_is_none(adlc, project):
    agent(project, "name: a\ndescription: x\ntools: Bash, Read, Grep, Glob, mcp__a__b, Agent(b)\nmodel: inherit\npermissionMode: plan\ncolor: blue")
    assert checks(adlc) == []


def test_a_plugins_agent_must_not_count_on_what_plugins_are_denied(adlc, project):
    agent(project, "name: a\ndescription: x\npermissionMode: plan", "agents/a.md")
    skill(project, "x\n")
    assert checks(adlc) == []
    project.write(".claude-plugin/plugin.json", '{"name": "p"}')
    assert checks(adlc) == [(4, "agent")]


def test_f35_any_page_among_the_agents_of_a_plugin_becomes_one(adlc, project):
    project.write(".claude-plugin/plugin.json", '{"name": "p"}')
    agent(project, "name: a\ndescription: x", "agents/a.md")
    assert checks(adlc) == []
    project.write("agents/README.md", "# The agents\n")
    assert found(adlc("lint", "skills", "--json")) == [
        "agents/README.md:1: frontmatter: there is no frontmatter; an agent needs name and description",
    ]


@pytest.mark.parametrize("path", ["commands/skill.md", "skills/demo/agents/grader.md", "agents/notes.md", "skills/demo/assets/broken.md", "skills/demo/tests/x.md"])
def test_what_no_client_loads_is_left_alone(adlc, project, path):
    skill(project, "x\n")
    project.write(path, "# No frontmatter\n")
    assert checks(adlc) == []


def test_a_skill_whose_file_has_another_case_is_found_and_told(adlc, project):
    skill(project, sh("local x"), path="skills/demo/skill.md")
    assert checks(adlc) == [(1, "frontmatter"), (7, "posix-fence")]


# The statuses that skills write, and what retrieval leaves out.

WRITES = "<!-- lifecycle-write: spec -->\n\n- `{}` — x\n\n<!-- /lifecycle-write -->\n"


def bundle(project, spec=EXCLUDE, **skills):
    bodies = {"architect": WRITES.format("approved"), "wrapup": WRITES.format("complete"), "spec": spec} | skills
    for name, body in bodies.items():
        if body is not None:
            skill(project, body, HEAD.replace("demo", name), f"skills/{name}/SKILL.md")


def parity(adlc) -> list[str]:
    result = adlc("lint", "skills", "--json")
    assert {f["check"] for f in result.document["findings"]} <= {"retrieval-status-parity"}
    assert {f["path"] for f in result.document["findings"]} <= {"skills/spec/SKILL.md"}
    return [f["message"] for f in result.document["findings"]]


PARITY = {
    "clean": ({}, None),
    "a status that is written is left out": ({"wrapup": WRITES.format("Superseded")}, "'superseded' is left out of retrieval, and skills/wrapup/SKILL.md writes it"),
    "of a skill that nobody expects": ({"extra": WRITES.format("draft")}, "'draft' is left out of retrieval, and skills/extra/SKILL.md writes it"),
    "in the second of two blocks": ({"wrapup": WRITES.format("complete") + "\n" + WRITES.format("draft")}, "'draft' is left out"),
    "the block is deleted": ({"wrapup": "x\n"}, "skills/wrapup/SKILL.md has no block 'lifecycle-write: spec'"),
    "the block is empty": ({"wrapup": WRITES.replace("- `{}` — x\n\n", "")}, "its block 'lifecycle-write' is empty"),
    "the block does not close": ({"wrapup": WRITES.format("complete").replace("/lifecycle-write", "x")}, "has no block"),
    "the block is only shown": ({"wrapup": "```\n" + WRITES.format("complete") + "```\n"}, "has no block"),
    "the block is only mentioned": ({"wrapup": "See `<!-- lifecycle-write: spec -->`.\n"}, "has no block"),
    "the skill is gone": ({"architect": None}, "the skill 'architect' is gone"),
    "the list is empty": ({"spec": EXCLUDE.replace("- `draft` — no\n- `superseded` — no\n", "")}, "is empty"),
    "the list does not close": ({"spec": EXCLUDE.replace("<!-- /retrieval", "<!-- retrieval")}, "is not closed"),
    "the list is absent": ({"spec": "x\n", "wrapup": WRITES.format("draft")}, None),
    "the list is only mentioned": ({"spec": "In `<!-- retrieval-status: spec-exclude -->` prose.\n", "wrapup": WRITES.format("draft")}, None),
    "text that mentions it first": ({"spec": "Not `<!-- retrieval-status: spec-exclude -->`: - `complete`\n\n" + EXCLUDE}, None),
    "two lists are united": ({"spec": EXCLUDE + "\n" + EXCLUDE.replace("draft", "complete")}, "'complete' is left out"),
    "no skill writes any": ({"architect": None, "wrapup": None}, None),
    "withdrawn on purpose": ({"wrapup": WRITES.format("complete") + WRITES.format("superseded").replace("-write", "-withdraw")}, None),
    "withdrawn in vain": ({"wrapup": WRITES.format("complete") + WRITES.format("retired").replace("-write", "-withdraw")}, "'retired' is not left out"),
    "a bug's": ({"bugfix": WRITES.format("resolved").replace(": spec", ": bug")}, None),
    "a bug's that never counts": ({"bugfix": WRITES.format("fixed").replace(": spec", ": bug")}, "skills/bugfix/SKILL.md writes no status with which a bug is prior art (closed, resolved)"),
    "spelled as the list is": ({"wrapup": WRITES.format("draft").replace("lifecycle-write: spec", "retrieval-status: lifecycle-write").replace("/lifecycle-write", "/retrieval-status")}, "'draft' is left out"),
}


@pytest.mark.parametrize("skills, wanted", PARITY.values(), ids=PARITY)
def test_what_skills_write_agrees_with_what_retrieval_leaves_out(adlc, project, skills, wanted):
    bundle(project, **skills)
    said = parity(adlc)
    assert len(said) == (wanted is not None) and all(wanted in message for message in said), said


def test_the_neighbours_of_one_skill_are_known_when_only_it_is_asked_about(adlc, project):
    bundle(project, wrapup=WRITES.format("draft"))
    assert checks(adlc, "skills/spec") == [(6, "retrieval-status-parity")]
    assert checks(adlc, "skills/wrapup") == []


def test_a_bundle_without_a_directory_for_skills_is_read_too(adlc, project):
    for name, body in {"architect": WRITES.format("draft"), "wrapup": WRITES.format("complete"), "spec": EXCLUDE}.items():
        skill(project, body, HEAD, f"{name}/SKILL.md")
    assert checks(adlc) == [(6, "retrieval-status-parity")]


# Partials, sentinels, pages beside a skill

def test_hc137_a_part_in_a_partial_counts_only_where_it_is_sourced(adlc, project):
    record = "_adlc_emit_step_telemetry() {\n  command adlc telemetry step \"--flag=$flag\"\n}\n"
    project.write("partials/emit.sh", record)
    body = PARAGRAPH + PROTOCOL.replace("adlc telemetry step spec S --flag F", "{}")
    skill(project, body.format("true"))
    assert checks(adlc) == [(12, "delegate-protocol")]
    skill(project, body.format(GUARD.replace("X.sh", "emit.sh")))
    assert checks(adlc) == []
    skill(project, body.format(GUARD.replace("X.sh", "other.sh")))
    assert checks(adlc) == [(12, "delegate-protocol")]


def test_a_partial_is_shell_as_a_whole(adlc, project):
    skill(project, "x\n")
    project.write("partials/X.sh", "# shellcheck shell=sh\n_x() {\n  local a=1\n}\n")
    project.write("partials/README.md", "Source `. partials/X.sh || . other/partials/X.sh`.\n")
    assert found(adlc("lint", "skills", "--json")) == [
        "partials/README.md:1: unguarded-source: `. A || . B` ends dash and bash --posix when A is missing; copy the line of partials/README.md",
        "partials/X.sh:3: posix-fence: POSIX has no local",
    ]


def test_agreed_sentences_are_kept_where_a_bundle_lists_them(adlc, project):
    skill(project, "Say `all is lost — stop here` or `ask the wizard`.\n")
    assert checks(adlc) == []
    project.write("tools/lint-skills/sentinels.txt", "# comment\nexact\tall is lost\t — go on\nnever\task the wizard\tnobody knows who that is\nodd line\n")
    assert found(adlc("lint", "skills", "--json")) == [
        f"{SKILL}:6: sentinel: 'all is lost' does not go on as agreed: ' — go on'",
        f"{SKILL}:6: sentinel: 'ask the wizard' is retired: nobody knows who that is",
    ]
    skill(project, "Say `all is lost — go on`.\n")
    assert checks(adlc) == []


def test_pages_beside_a_skill_are_read_as_they_lie(adlc, project):
    skill(project, "x\n")
    project.write("skills/demo/references/r.md", "It costs $5. !`date`\n\n" + sh("x=1") + sh("echo $x") + sh("echo $1"))
    # The client rewrites and runs nothing in a file that is read.
    assert checks(adlc) == [(7, "cross-fence-variable"), (10, "bare-digit")]


# Places

@pytest.mark.parametrize("place", [".claude/skills/demo", "plugins/p/skills/demo", "skills/group/demo", ".agents/skills/demo", "demo"])
def test_skills_are_found_wherever_clients_look(adlc, project, place):
    path = skill(project, sh("local x"), path=f"{place}/SKILL.md")
    assert found(adlc("lint", "skills", "--json")) == [f"{place}/SKILL.md:7: posix-fence: POSIX has no local"]
    for argument in (path, path.parent, os.path.relpath(path, project.root)):
        assert checks(adlc, argument) == [(7, "posix-fence")]


def test_a_users_own_directories_are_read_without_a_repository(adlc, project):
    skill(project, sh("local x"), path="home/.claude/skills/demo/SKILL.md")
    agent(project, "name: a", "home/.claude/agents/deep/a.md")
    for place in ("home/.claude", "home/.claude/skills", "home/.claude/skills/demo", "home/.claude/agents", "home/.claude/agents/deep/a.md"):
        wanted = [(1, "agent")] * ("skills" not in place) + [(7, "posix-fence")] * ("agents" not in place)
        assert checks(adlc, place) == wanted
        if not place.endswith(".md"):
            assert checks(adlc, cwd=project.root / place) == wanted


def test_a_repository_that_is_one_skill_is_read_without_its_other_pages(adlc, project):
    body = sh("x=1") + sh("echo $x")
    for path in ("SKILL.md", "references/r.md", "README.md", "docs/d.md"):
        skill(project, body, path=path)
    project.commit()
    assert {line.split(":")[0] for line in found(adlc("lint", "skills", "--json"))} == {"SKILL.md", "references/r.md"}


def test_a_path_that_only_looks_like_a_bundle_is_no_reason_to_read_what_lies_above(adlc, project):
    skill(project, sh("local x"), path="agents/work/skills/demo/SKILL.md")
    skill(project, "\x00", path="other/skills/broken/SKILL.md")
    assert checks(adlc, "agents/work") == checks(adlc, cwd=project.root / "agents/work") == [(7, "posix-fence")]


@pytest.mark.parametrize("folder", [".worktrees", ".git", "node_modules"])
def test_hc134_such_a_directory_is_entered_as_the_root_and_not_below_it(adlc, project, folder):
    skill(project, sh("local x"), path=f"{folder}/{SKILL}")
    result = adlc("lint", "skills", "--json")
    assert result.code == 1 and result.document["outcome"] == "nothing"
    assert checks(adlc, cwd=project.root / folder) == [(7, "posix-fence")]


def test_a_nested_checkout_is_left_alone(adlc, project):
    skill(project, "x\n")
    skill(project, sh("local x"), path="other/skills/o/SKILL.md")
    assert checks(adlc) == [(7, "posix-fence")]
    (project.root / "other/.git").mkdir()
    assert checks(adlc) == []


def test_nothing_examined_is_no_success_and_says_so(adlc, project):
    project.write("README.md", "# No skill\n")
    result = adlc("lint", "skills")
    assert result.code == 1 and result.out == b""
    assert result.talk.startswith("adlc: 0 files examined, 0 findings\nadlc: nothing was checked: there is no SKILL.md and no agent in ")
    document = adlc("lint", "skills", "--json").document
    assert document == {"schema": "adlc.lint/1", "target": "skills", "outcome": "nothing", "examined": 0, "findings": []}
    skill(project, "x\n")
    assert adlc("lint", "skills").talk == "adlc: 1 file examined, 0 findings\n"


def test_hc135_a_file_that_cannot_be_read_is_a_finding_with_its_reason(adlc, project, as_user):
    skill(project, "x\n")
    closed = skill(project, "x\n", path="skills/closed/SKILL.md")
    closed.chmod(0)
    project.write("skills/odd/SKILL.md", b"\xff\xfe-\0")
    result = adlc("lint", "skills", "--json", prefix=as_user)
    assert found(result) == [
        "skills/closed/SKILL.md:1: unreadable: permission denied",
        "skills/odd/SKILL.md:1: unreadable: encoded as UTF-16; save it as UTF-8",
    ]
    assert result.document["examined"] == 3 and str(project.root) not in result.text


def test_a_link_is_followed_inside_the_root_only_and_never_twice(adlc, project, tmp_path):
    skill(project, sh("local x"))
    outside = tmp_path / "outside/away"
    outside.mkdir(parents=True)
    (outside / "SKILL.md").write_text(HEAD + sh("local x"))
    (project.root / ".claude/skills").mkdir(parents=True)
    (project.root / ".claude/skills/demo").symlink_to(project.root / "skills/demo")
    assert checks(adlc) == [(7, "posix-fence")]
    # A link to what is no skill where it lies is read where it stands.
    project.write("docs/told.md", HEAD + sh("local x"))
    (project.root / ".claude/skills/told").mkdir()
    (project.root / ".claude/skills/told/SKILL.md").symlink_to(project.root / "docs/told.md")
    assert checks(adlc) == [(7, "posix-fence")] * 2
    (project.root / ".claude/skills/away").symlink_to(outside)
    assert [line for line in found(adlc("lint", "skills", "--json")) if "unreadable" in line] == [
        ".claude/skills/away:1: unreadable: a link that leaves the directory; check its target by itself",
    ]


def test_only_what_was_asked_about_is_reported(adlc, project):
    skill(project, sh("local x"))
    skill(project, "\x00", path="skills/odd/SKILL.md")
    assert checks(adlc, "skills/demo") == [(7, "posix-fence")]
    assert checks(adlc) == [(7, "posix-fence"), (1, "unreadable")]
    project.write("partials/X.sh", "local x\n")
    assert checks(adlc, "partials/X.sh") == [(1, "posix-fence")]


def test_hc140_three_hundred_findings_are_exit_1(adlc, project):
    skill(project, "".join(sh("local x") for _ in range(300)))
    result = adlc("lint", "skills", "--json")
    assert result.code == 1 and len(result.document["findings"]) == 300


@pytest.mark.parametrize("arguments, code, kind", [
    (("skill",), 2, "usage"), (("skills", "nowhere"), 2, "not_found"), (("skills", "--root", "."), 2, "usage"),
])
def test_a_wrong_call_is_told_from_a_fault(adlc, project, arguments, code, kind):
    result = adlc("lint", *arguments, "--json")
    assert (result.code, result.error["kind"]) == (code, kind)


def test_text_of_a_skill_cannot_steer_the_terminal(adlc, project):
    project.write(SKILL, HEAD.replace("name:", "allowed-tools: \"B\\x1b[31mash\"\nname:") + sh("f() { :; }\n") + sh("\x1b[31mf=$(("))
    result = adlc("lint", "skills")
    assert result.code == 1 and b"\x1b" not in result.out


@pytest.mark.parametrize("code", [
    "$((" * 4000, "\"$(" * 4000, "${x:-" * 4000, "`" * 4001, "(" * 4000, "case x in " * 3000, "\"" * 4001, "$(( $(" * 2000, "<<E " * 3000, "'\"" * 3000, "((" * 3000,
    "f() { " * 3000, "[[ ( " * 3000, "x=(" * 3000,
], ids=range(14))
def test_hostile_nesting_ends_without_a_crash(adlc, project, code):
    # Exponential work would not end before the program is stopped.
    skill(project, sh(code) + "> " * 2000 + "```sh\n")
    assert adlc("lint", "skills", "--json").code in (0, 1)


def test_the_script_is_the_command(adlc, project, tmp_path):
    skill(project, sh("local x"))
    done = subprocess.run(["sh", ROOT / "tools/lint-skills/check.sh", "--json", "skills"], cwd=project.root, env=adlc.environment, capture_output=True)
    assert done.returncode == 1 and done.stdout == adlc("lint", "skills", "skills", "--json").out
    assert os.access(ROOT / "tools/lint-skills/check.sh", os.X_OK)


def test_the_page_names_every_check():
    page = (ROOT / "docs/lint.md").read_text()
    documents, skills = page.split("## Skills\n")
    for text, folder in ((documents, "specs"), (skills, "skills")):
        names = {path.stem.replace("_", "-") for path in (ROOT / "tools/adlc/lint" / folder).glob("*.py") if "\ndef check(page, " in path.read_text()}
        assert len(names) >= 9 and names == set(re.findall(r"^\| `([a-z-]+)` \|", text, re.M))


def test_this_repository_is_clean(adlc):
    result = adlc("lint", "skills", "--json", cwd=ROOT)
    assert found(result) == [] and result.document["outcome"] == "clean" and result.document["examined"] >= 15


def test_a_status_that_spec_comes_to_exclude_is_noticed_here(adlc, tmp_path):
    """The positive control of the test above, in a copy of this very bundle."""
    shutil.copytree(ROOT / "skills", tmp_path / "copy/skills")
    writers = [path for path in (tmp_path / "copy/skills").glob("*/SKILL.md") if "<!-- lifecycle-write: spec -->" in path.read_text()]
    if not writers:
        skill_text = HEAD + WRITES.format("complete")
        for name in ("architect", "wrapup"):
            (tmp_path / f"copy/skills/{name}").mkdir()
            (tmp_path / f"copy/skills/{name}/SKILL.md").write_text(skill_text)
    spec = tmp_path / "copy/skills/spec/SKILL.md"
    spec.write_text(re.sub(r"^- `draft`", "- `complete` — x\n- `draft`", spec.read_text(), flags=re.M))
    (message,) = [f["message"] for f in adlc("lint", "skills", "--json", cwd=tmp_path / "copy").document["findings"] if "wrapup" in f["message"]]
    assert "'complete'" in message and "skills/wrapup/SKILL.md" in message
