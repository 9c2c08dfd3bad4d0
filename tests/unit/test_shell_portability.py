"""What every tracked shell file must avoid so that it means the same on macOS and Linux, in every shell."""

import re
import subprocess

import pytest

from conftest import ROOT


def shell_files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode().split("\0")
    found = []
    for name in filter(None, listed):
        path = ROOT / name
        if path.is_file() and (name.endswith((".sh", ".bash", ".bats")) or "." not in path.name and path.read_bytes()[:2] == b"#!"):
            found.append(name)
    return found


def code(text: str) -> list[tuple[int, str]]:
    """(line number, line) without comments."""
    return [(n, line) for n, line in enumerate(text.split("\n"), 1) if not line.lstrip().startswith("#")]


def gnu_patterns(text: str) -> list[int]:
    """HC-04: lines that hand grep or sed an escape that only GNU knows."""
    return [n for n, line in code(text) if re.search(r"\b(?:grep|sed|egrep)\b.*\\[bBwWsSdD<>]", line)]


def case_in_substitution(text: str) -> list[int]:
    """HC-08: `case … in word)` inside `$(`, which bash 3.2 cannot parse."""
    return [n for n, line in code(text) if re.search(r"\$\((?!\()[^()]*\bcase\b[^()]*\bin\s+[^(]", line)]


def fixed_names(text: str) -> list[int]:
    """HC-13: mktemp with a template that BSD or GNU takes literally: -t, or X's that are not at its end."""
    found = []
    for n, line in code(text):
        for arguments in re.findall(r"(?<![\w-])mktemp\b([^;|&)\n]*)", line):
            template = re.search(r"(\S*X+\S*)", arguments)
            if re.search(r"(?:^|\s)-\w*t", arguments) or template and not re.search(r"X{6,}[\"']?$", template[1]):
                found.append(n)
    return found


@pytest.mark.parametrize("check", [gnu_patterns, case_in_substitution, fixed_names])
def test_no_shell_file_depends_on_one_system(check):
    files = shell_files()
    assert len(files) > 10
    assert {name: lines for name in files if (lines := check((ROOT / name).read_text(errors="replace")))} == {}


@pytest.mark.parametrize("check, bad, good", [
    (gnu_patterns, "grep -E '\\bword' f", "grep -E '(^|[^a-z])word' f"),
    (case_in_substitution, "x=$(case $y in a) echo 1;; esac)", "x=$(case $y in (a) echo 1;; esac)"),
    (fixed_names, 'mktemp -t name.XXXXXX\nmktemp "/tmp/XXXXXX.log"', 'mktemp "${TMPDIR:-/tmp}/name.XXXXXX"\nmktemp -d'),
])
def test_each_check_sees_its_fault_and_not_its_twin(check, bad, good):
    assert check(bad) == list(range(1, bad.count("\n") + 2)) and check(good) == []
