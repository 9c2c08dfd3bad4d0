"""What --help shows: examples that are right, and docs/cli.md in step with the argument tree."""

import re
import shlex
import subprocess
import sys

import pytest

from adlc import verbs
from adlc.completion import tree
from conftest import ROOT


def calls(verb: str) -> list[list[str]]:
    """The words after `adlc` in every example of a verb."""
    found = []
    for line, _ in verbs.examples_of(verb):
        inner = re.search(r"\$\((adlc [^)]*)\)", line)
        words = shlex.split(inner[1] if inner else re.split(r" >", line)[0])
        assert words[0] == "adlc", line
        found.append(words[1:])
    return found


@pytest.mark.parametrize("verb", verbs.VERBS)
def test_every_verb_has_examples_and_each_is_a_call_that_it_takes(verb):
    assert calls(verb)
    for words in calls(verb):
        assert words[0] == verb
        options = verbs.parser_for(verb).parse_args(words[1:])
        assert callable(options.run)


def test_the_examples_use_options_that_exist():
    with pytest.raises(Exception, match="unrecognized"):
        verbs.parser_for("list").parse_args(["--no-such-option"])


@pytest.mark.parametrize("verb", ["search", "id", "doctor", "hook"])
def test_help_ends_with_the_examples(adlc, verb):
    result = adlc(verb, "--help")
    assert result.code == 0 and result.err == b""
    shown = result.text.split("\nexamples:\n")[1]
    for line, what in verbs.examples_of(verb):
        assert f"  {line}\n      {what}" in shown


def test_the_page_is_what_the_argument_tree_says():
    page = subprocess.run([sys.executable, ROOT / "tests/runner/cli_page.py"], capture_output=True, check=True, timeout=60).stdout.decode()
    assert page == (ROOT / "docs/cli.md").read_text(), "python3 tests/runner/cli_page.py >docs/cli.md"
    for verb in verbs.VERBS:
        assert f"\n## adlc {verb}\n" in page


def test_every_argument_says_what_it_is():
    for node in tree.nodes():
        assert [argument.shown for argument in (*node.operands, *node.options) if not argument.help] == [], node.path


@pytest.mark.parametrize("words, says", [(("telemetry", "step"), "Record what the marks"), (("flag", "mark"), "Note key=value"), (("id", "next"), "Take the next")])
def test_a_command_below_another_says_what_it_does(adlc, words, says):
    assert f"\n\n{says}" in adlc(*words, "--help").text
