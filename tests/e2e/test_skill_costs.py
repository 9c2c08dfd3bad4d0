"""What the skills cost, as the client projects it, is what docs/skills.md says."""

import re
import subprocess

import claude_code
import pytest
from conftest import ROOT
from install_clients import CLIENTS


@pytest.mark.parametrize("version", CLIENTS["claude"]["versions"])
def test_the_page_has_the_figures_of_the_client(version, tmp_path):
    executable = claude_code.installed(version)
    plugin, home = claude_code.copy_plugin(tmp_path / "plugin"), tmp_path / "home"
    home.mkdir()

    def claude(*arguments):
        return subprocess.run(
            [executable, "plugin", *arguments], env=claude_code.environment(home) | {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"},
            cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        )

    for arguments in (["marketplace", "add", str(plugin)], ["install", "adlc@adlc"]):
        done = claude(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    shown = claude("details", "adlc@adlc").stdout
    figures = dict(re.findall(r"^  ([a-z][\w-]*)\s+(~\S+\s+~\S+)\s*$", shown, re.M))
    page = dict(re.findall(r"^\| (\w[\w-]*) \| (~\S+ \| ~\S+) \|$", (ROOT / "docs/skills.md").read_text(), re.M))
    names = {path.parent.name for path in ROOT.glob("skills/*/SKILL.md")}
    assert {name: figures[name].split() for name in names} == {name: row.split(" | ") for name, row in page.items()}, shown
