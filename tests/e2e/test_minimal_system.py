"""A Debian with only git, python3 without pip, and ca-certificates: what works, and what says in one line what to install.

Runs where ADLC_TEST_CHROOT names such a system:

    debootstrap --variant=minbase --include=git,python3,ca-certificates bookworm DIR
    ADLC_TEST_CHROOT=DIR ./test tests/e2e/test_minimal_system.py
"""

import os
import shutil
import subprocess
from pathlib import Path

import claude_code
import pytest
from installing import snapshot

SYSTEM = os.environ.get("ADLC_TEST_CHROOT", "")
pytestmark = pytest.mark.skipif(not SYSTEM or os.geteuid() != 0, reason="needs root and ADLC_TEST_CHROOT, a minimal system")
ADVICE = "install python3-venv (Debian) or uv"


class System:
    """home: a fresh one, and checkout: the tracked files in a repository, as paths outside; name: of the place inside."""

    def __init__(self, root: Path, name: str):
        self.root, self.name = root, name
        self.home, self.checkout = root / name / "home", root / name / "adlc"
        self.home.mkdir(parents=True)
        claude_code.copy_plugin(self.checkout)
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "all"]):
            subprocess.run(["git", *words], cwd=self.checkout, check=True, capture_output=True)

    def __call__(self, command: str, **variables) -> subprocess.CompletedProcess:
        environment = {"HOME": f"/{self.name}/home", "PATH": "/usr/bin:/bin", "LC_ALL": "C", **variables}
        inside = [shutil.which("chroot"), self.root, "/bin/sh", "-c", f"cd /{self.name}/adlc && {command}"]
        return subprocess.run(inside, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


@pytest.fixture
def system(request):
    root = Path(SYSTEM)
    name = f"adlc-test-{os.getpid()}"
    yield System(root, name)
    shutil.rmtree(root / name)


def test_each_command_says_in_one_line_what_to_install_and_leaves_nothing(system):
    assert system("python3 -m pip --version").returncode != 0, "this system has pip"
    before = snapshot(system.home)
    done = system("./install.sh --yes")
    assert done.returncode == 3 and ADVICE in done.stderr.splitlines()[0] and "nothing was installed" in done.stderr.splitlines()[1]
    assert snapshot(system.home) == before
    done = system("bin/adlc search 'a lock'")
    assert (done.returncode, done.stderr.count("\n")) == (3, 1) and ADVICE in done.stderr
    done = system("./test")
    assert done.returncode != 0 and "python3-venv" in done.stderr.splitlines()[-1]


def test_with_an_installer_everything_works_and_goes_again(system):
    """The installer is what the advice names; its packages come from the wheels that the tests keep."""
    pip = next(Path(os.environ["ADLC_TEST_VENV"]).parents[1].glob("lib/python3*/site-packages/pip"))
    shutil.copytree(os.environ["ADLC_TEST_WHEELS"], system.root / system.name / "wheels")
    site = system.root / "usr/local/lib/python3.11/dist-packages/pip"
    if site.exists():
        pytest.skip("this system has a pip of its own")
    site.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(pip, site)
    try:
        before = snapshot(system.home)
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": f"/{system.name}/wheels"}
        assert system("./install.sh --yes", **offline).returncode == 0
        done = system('"$HOME/.local/bin/adlc" search "two sessions take the same requirement id"')
        assert done.returncode == 0 and done.stdout.startswith("REQ-003")
        assert system("./install.sh --uninstall").returncode == 0
        assert snapshot(system.home) == before
    finally:
        shutil.rmtree(site)
