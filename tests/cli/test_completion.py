"""adlc completion: typed into real shells, the words complete."""

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import time

import pytest

from adlc.completion import tree
from adlc.verbs import VERBS

SHELLS = ("bash", "zsh", "fish")
# what is typed before the tab -> what stands there after it
TYPED = {
    "adlc comp": "adlc completion ",
    "adlc id ne": "adlc id next ",
    "adlc id next bu": "adlc id next bug ",
    "adlc lint sp": "adlc lint specs ",
    "adlc list --cor": "adlc list --corpus ",
    "adlc list --corpus le": "adlc list --corpus lesson ",
    "adlc list --meta --sp": "adlc list --meta --specs ",
    "adlc materialize --harness cop": "adlc materialize --harness copilot ",
    "adlc doctor --checks line": "adlc doctor --checks line-endings ",
    "adlc where part": "adlc where partials ",
    "adlc telemetry report --win": "adlc telemetry report --window ",
    "adlc show a\\ fi": "adlc show a\\ file.md ",
    "adlc init --root fol": "adlc init --root folder/",
}
SETUP = {
    "bash": "bind 'set bell-style none'; bind 'set completion-ignore-case off'; source ./script",
    # What a distribution's own start file does is not to be tested.
    "zsh": "unsetopt beep; autoload -Uz compinit; compinit -D -u; source ./script",
}
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


def need(shell: str) -> None:
    if not shutil.which(shell):
        if os.environ.get("CI") == "true":
            pytest.fail(f"{shell} is not installed")
        pytest.skip(f"{shell} is not installed")


@pytest.fixture(params=SHELLS)
def shell(request, adlc, project):
    need(request.param)
    done = adlc("completion", request.param)
    assert done.code == 0 and done.err == b""
    project.write("script", done.out)
    project.write("a file.md", "")
    project.write("folder/inner.md", "")
    return request.param


class Terminal:
    """An interactive shell on a terminal of its own."""

    def __init__(self, shell: str, cwd, environment: dict):
        self.shell = shell
        self.process, self.screen = None, b""
        self.here, there = pty.openpty()
        self.process = subprocess.Popen(
            START[shell], cwd=cwd, env=environment, stdin=there, stdout=there, stderr=there, start_new_session=True,
        )
        os.close(there)

    def until(self, pattern: bytes) -> re.Match:
        """Read until the screen shows it; fails after a minute."""
        deadline = time.monotonic() + 60
        while not (match := re.search(pattern, self.screen)):
            ready, _, _ = select.select([self.here], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, (pattern, self.screen)
            self.screen += os.read(self.here, 65536)
        self.screen = self.screen[match.end():]
        return match

    def send(self, text: str) -> None:
        os.write(self.here, text.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.here)

    def completed(self, typed: str) -> list[str]:
        """The words on the command line after a tab: the line is made the argument of printf, and that is run."""
        self.send(f"{typed}\t\x05 .\x01printf '<%s>' \n")
        shown = self.until(rb"((?:<[^<>\r\n]*>)*)<\.>")[1].decode()
        return shown[1:-1].split("><")


@pytest.fixture
def complete(shell, adlc, project):
    """typed -> the words that stand there after a tab."""
    if shell == "fish":
        def ask(typed: str) -> list[str]:
            (word,) = complete_in_fish(project, typed)
            return [*shlex.split(typed)[:-1], word]

        yield ask
        return
    environment = {"PATH": os.environ["PATH"], "HOME": str(adlc.home), "TERM": "xterm", "LC_ALL": "C.UTF-8", "PS1": "% "}
    terminal = Terminal(shell, project.root, environment)
    terminal.send(SETUP[shell] + "; printf 'rea%s\\n' dy\n")
    terminal.until(rb"ready\r?\n")
    yield terminal.completed
    terminal.close()


@pytest.mark.parametrize("typed", TYPED)
def test_words_complete_at_the_prompt(complete, typed):
    # zsh takes the slash after a directory away again when a blank follows.
    assert [word.rstrip("/") for word in complete(typed)] == [word.rstrip("/") for word in shlex.split(TYPED[typed])]


def complete_in_fish(project, typed: str) -> list[str]:
    done = subprocess.run(
        ["fish", "--no-config", "-c", "source script; complete -C $argv[1]", typed], cwd=project.root, capture_output=True, text=True, timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": str(project.root), "LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0 and done.stderr == "", done
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


def test_every_verb_and_option_of_every_place_is_offered_there_and_nowhere_else(adlc, project):
    """In fish and bash, whose scripts can be asked for all words at once."""
    need("fish")
    need("bash")
    (project.root / "script").write_bytes(adlc("completion", "fish").out)
    (project.root / "script.bash").write_bytes(adlc("completion", "bash").out)
    nodes = tree.nodes()
    assert len(nodes) > 40
    asked = "\n".join(f"COMP_WORDS=(adlc {node.path} '') COMP_CWORD={len(node.words) + 1}; _adlc; echo ${{COMPREPLY[*]}}" for node in nodes)
    done = subprocess.run(["bash", "-c", f". ./script.bash\n{asked}"], cwd=project.root, capture_output=True, text=True, check=True, timeout=60)
    for node, line in zip(nodes, done.stdout.splitlines(), strict=True):
        names = {name for option in node.options for name in option.names}
        values = {value for operand in node.operands for value in operand.values}
        assert set(line.split()) == {*node.verbs, *names, *values}, node.path
    for node in (node for node in nodes if node.words and node.words[0] in ("id", "list", "telemetry")):
        offered = set(complete_in_fish(project, f"adlc {node.path} --"))
        assert offered == {name for option in node.options for name in option.names if name.startswith("--")}, node.path


def test_the_tree_has_every_verb():
    nodes = tree.nodes()
    assert {node.path for node in nodes if len(node.words) == 1} == {*VERBS, "where"} == set(nodes[0].verbs)
    assert {"id next", "lint specs", "telemetry report"} <= {node.path for node in nodes}
    assert "delegate reader" not in {node.path for node in nodes}, "what only programs call is not offered"


def test_a_shell_that_nobody_knows_is_a_wrong_call(adlc):
    result = adlc("completion", "tcsh")
    assert result.code == 2 and "tcsh" in result.talk and result.out == b""
