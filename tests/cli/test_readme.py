"""What the README shows is what the commands print."""

import re
import shlex

import pytest

from conftest import ROOT

PROGRAMS = ("adlc", "bin/adlc")


def examples() -> list[tuple[str, list[str]]]:
    """(command line, shown lines) of every example that runs adlc by itself or through `head`."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", (ROOT / "README.md").read_text(), flags=re.M | re.S):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, flags=re.M):
            words = shlex.split(command)
            if words[0] in PROGRAMS and "&&" not in words and shown.strip():
                found.append((command, shown.rstrip("\n").split("\n")))
    return found


def test_there_are_examples():
    assert len(examples()) >= 4


@pytest.mark.parametrize("command, shown", examples())
def test_the_shown_output_is_real(adlc, command, shown):
    words = shlex.split(command)
    piped = words.index("|") if "|" in words else len(words)
    result = adlc(*words[1:piped], cwd=ROOT)
    assert result.code == 0
    # The pages merge both streams, as a terminal does.
    printed = (result.out + result.err).decode().splitlines()
    assert [line for line in shown if line not in printed] == []
    assert printed[0] == shown[0]
