"""What the tests need beside the checkout, made once under the user's cache and printed as sh.

    python tests/runner/prepare.py

A virtual environment with the pins of pyproject.toml (the dependencies and the `test` extra),
keyed by a hash of them; the wheels of the core stage, so that a test can make the product's
environment without the network; and one finished environment of the product.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
CORE = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "adlc-test"


def prepare() -> dict[str, str]:
    """The variables that tests read; whatever is missing is made first."""
    pins = CORE["dependencies"] + CORE["optional-dependencies"]["test"]
    interpreter = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    key = hashlib.sha256("\n".join([interpreter, sys.version, *pins]).encode()).hexdigest()[:12]
    place = cache() / f"env-{key}"
    if not place.is_dir():
        cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache(), prefix=".env-") as scratch:
            fresh = Path(scratch, "env")
            _make_venv(interpreter, fresh / "venv", pins)
            _run(str(fresh / "venv/bin/python"), "-m", "pip", "download", "--quiet", "--no-deps",
                 "--dest", str(fresh / "wheels"), *CORE["dependencies"])  # fmt: skip
            try:
                os.rename(fresh, place)
            except OSError:
                if not place.is_dir():  # else another run was quicker
                    raise
    data = place / "data"
    _run(interpreter, "-I", "-S", str(CHECKOUT / "tools/adlc/env.py"), "build", "core",
         PIP_NO_INDEX="1", PIP_FIND_LINKS=str(place / "wheels"), ADLC_DATA_DIR=str(data))  # fmt: skip
    return {
        "ADLC_TEST_VENV": str(place / "venv/bin/python"),
        "ADLC_TEST_PYTHON": interpreter,
        "ADLC_TEST_WHEELS": str(place / "wheels"),
        "ADLC_TEST_DATA": str(data),
    }


def _make_venv(interpreter: str, place: Path, pins: list[str]) -> None:
    print("making the test environment once …", file=sys.stderr, flush=True)
    uv = shutil.which("uv")
    if uv:
        _run(uv, "venv", "--quiet", "--seed", "--python", interpreter, str(place))
    else:
        _run(interpreter, "-I", "-m", "venv", str(place))
    _run(str(place / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins)


def _run(*command: str, **variables: str) -> None:
    """Run; on failure show what it said and stop."""
    done = subprocess.run(
        command, env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{done.stdout}\nfailed: {shlex.join(command)}\n(Debian needs python3-venv, or install uv)")


if __name__ == "__main__":
    for name, value in prepare().items():
        print(f"{name}={shlex.quote(value)}")
