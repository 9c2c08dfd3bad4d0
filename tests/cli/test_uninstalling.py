"""docs/uninstalling.md: it names every place that adlc writes to, and its commands leave none of them."""

import re
import shutil

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs/uninstalling.md").read_text()


@pytest.fixture
def user(adlc, corpus, data_dir):
    """A user with default places who has used everything that keeps something."""
    home = adlc.home
    shutil.copytree(data_dir, home / ".local/share/adlc", symlinks=True)
    (home / "mine.txt").write_text("mine\n")
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text("{}\n")
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    (home / ".codex").mkdir()
    adlc.environment = {name: value for name, value in adlc.environment.items() if not name.startswith("ADLC_")}
    corpus.commit()
    return home


def use(adlc) -> None:
    for call in (
        ("search", "session"), ("id", "next", "req"), ("materialize", "--harness", "codex"), ("materialize", "--user", "--harness", "codex"),
        ("telemetry", "emit", "spec", "Step-1.6", "REQ-001", "fail", "fallback", "no-flag", "1"), ("flag", "create"), ("init",),
    ):
        assert adlc(*call).code == 0, call
    assert adlc("hook", "spec-pointer", stdin='{"session_id": "s", "cwd": "%s"}' % adlc.cwd).code == 0


def files(folder) -> dict:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in sorted(folder.rglob("*")) if not p.is_dir() or p.is_symlink()}


def commands() -> list[str]:
    found = re.findall(r"^```sh\n(.*?)^```", PAGE, flags=re.M | re.S)
    return [line.split("   #")[0].strip() for block in found for line in block.splitlines()]


def test_every_file_it_makes_for_a_user_lies_in_a_place_that_the_page_names(adlc, user):
    before = files(user)
    use(adlc)
    places = [place[2:].rstrip("*") for place in re.findall(r"`(~/[^`]+)`", PAGE)]
    made = [name for name in files(user) if name not in before]
    assert len(made) > 5
    # Rendered agents are told in a step of their own.
    assert [name for name in made if not name.startswith(tuple(places)) and not name.startswith(".codex/agents/")] == []
    for place in (".local/state/adlc", ".cache/adlc", ".claude/.global-next-"):
        assert any(name.startswith(place) for name in made), place


def test_its_commands_leave_nothing_but_what_was_there(adlc, user, corpus):
    import subprocess

    before, excluded = files(user), (corpus.root / ".git/info/exclude").read_bytes()
    use(adlc)
    assert files(user) != before
    lines = commands()
    assert len(lines) == 6
    for line in lines:
        if line.startswith("adlc "):
            assert adlc(*line.split()[1:]).code == 0
        else:
            subprocess.run(["sh", "-euc", line], env=adlc.environment, cwd=adlc.cwd, check=True, timeout=60)
    expected = {name: content for name, content in before.items() if not name.startswith(".local/share/adlc")}
    assert files(user) == expected
    assert not (corpus.root / ".codex").exists() and (corpus.root / ".git/info/exclude").read_bytes() == excluded
