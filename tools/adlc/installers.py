"""How packages get into a directory: uv, else this interpreter's pip, else a throw-away venv's pip.

The user's index settings are honoured (an index, a proxy, certificates); everything else that
could redirect an install (PIP_USER, PIP_TARGET, a required virtual environment, settings of the
project in the current directory) is kept out.
"""

import os
import re
import shutil
import sys
from importlib.util import find_spec

from adlc import programs

PROBE_SECONDS = 30

# Settings that say where packages come from. All other PIP_* variables say where they go.
_PIP_SETTINGS = (
    "CACHE_DIR CERT CLIENT_CERT CONFIG_FILE DEFAULT_TIMEOUT EXTRA_INDEX_URL FIND_LINKS INDEX_URL "
    "KEYRING_PROVIDER NO_CACHE_DIR NO_INDEX PROXY TIMEOUT TRUSTED_HOST"
).split()
_UV_REDIRECTS = (
    "UV_PYTHON UV_SYSTEM_PYTHON UV_CONSTRAINT UV_OVERRIDE UV_REQUIRE_HASHES UV_EXCLUDE_NEWER "
    "VIRTUAL_ENV CONDA_PREFIX"
).split()
_NO_NETWORK = re.compile(
    r"NewConnectionError|ConnectTimeout|ReadTimeout|Name or service not known|name resolution|"
    r"Network is unreachable|No route to host|Connection refused|ProxyError|dns error|"
    r"error sending request|nodename nor servname",
    re.IGNORECASE,
)


class Failed(Exception):
    """An installer ran and did not succeed; the text is a reason short enough for one line."""


def available() -> list:
    """The installers to try here, in order: functions (requirements, target, seconds, scratch) that raise Failed."""
    found = []
    if _find_uv():
        found.append(_uv)
    if _has_pip():
        found.append(_pip)
    elif find_spec("venv") and find_spec("ensurepip"):
        found.append(_venv_pip)
    return found


def _uv(requirements: list[str], target: str, seconds: int, scratch: str) -> None:
    settings = ("--quiet", "--no-progress", "--color", "never", "--link-mode", "copy", "--compile-bytecode")
    place = ("--python", sys.executable, "--target", target)
    _run([_find_uv(), "pip", "install", *settings, *place, *requirements], seconds, scratch)


def _pip(requirements: list[str], target: str, seconds: int, scratch: str, python: str = sys.executable) -> None:
    shutil.rmtree(target, ignore_errors=True)  # what uv may have begun
    settings = ("--quiet", "--no-input", "--disable-pip-version-check", "--target", target)
    _run([python, "-I", "-m", "pip", "install", *settings, *requirements], seconds, scratch)


def _venv_pip(requirements: list[str], target: str, seconds: int, scratch: str) -> None:
    venv = os.path.join(scratch, "venv")
    _run([sys.executable, "-I", "-m", "venv", venv], seconds, scratch)
    _pip(requirements, target, seconds, scratch, os.path.join(venv, "bin", "python"))


def _find_uv() -> str | None:
    return shutil.which("uv", path=programs.absolute_path())


def _has_pip() -> bool:
    try:
        _run([sys.executable, "-I", "-c", "import pip"], PROBE_SECONDS, "/")
    except Failed:
        return False
    return True


def imports(site: str, modules: list[str], data: tuple[str, ...] = ()) -> bool:
    """Whether these modules load from `site` in a fresh interpreter; those of them that are `data` need only be there."""
    code = (
        "import sys; from importlib.util import find_spec; sys.path.append(sys.argv[1])\n"
        "for name in sys.argv[2:]: find_spec(name[1:]) or sys.exit(1) if name[0] == '=' else __import__(name)"
    )
    names = [f"={name}" if name in data else name for name in modules]
    try:
        _run([sys.executable, "-I", "-S", "-B", "-c", code, site, *names], PROBE_SECONDS, "/")
    except Failed:
        return False
    return True


def _run(command: list[str], seconds: int, directory: str) -> None:
    """Run to the end or to the limit; raises Failed with the reason.

    The directory is one of ours, because uv reads the settings of the project it stands in.
    """
    try:
        code, output, _ = programs.run(command, seconds, cwd=directory, env=_environment(), stderr=programs.STDOUT)
    except OSError as error:
        raise Failed(f"{os.path.basename(command[0])}: {error.strerror}") from None
    except programs.TimedOut:
        raise Failed(f"no answer within {seconds} seconds") from None
    if code:
        raise Failed(_reason(output.decode(errors="replace"), code))


def _reason(output: str, code: int) -> str:
    if _NO_NETWORK.search(output):
        return "no network"
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    text = (errors or lines or [f"exit code {code}"])[-1]
    return "".join(c if c.isprintable() else " " for c in text)[:200]


def _environment() -> dict:
    kept = {"PIP_" + name for name in _PIP_SETTINGS}
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in kept or not name.startswith(("PIP_", "PYTHON")) and name not in _UV_REDIRECTS
    }
    # USER and REQUIRE_VIRTUALENV, which a configuration file can hold, refuse --target. One retry:
    # without any, pip does not say that the network was the reason.
    environment.update(PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0", PIP_RETRIES="1", LC_ALL="C", PATH=programs.absolute_path())
    environment.update(_leaving_no_traces(environment))
    return environment


def _leaving_no_traces(environment: dict) -> dict:
    """Settings by which an installer makes no cache or other folder in a home that has none; one that is there serves."""
    home = environment.get("HOME") or os.path.expanduser("~")
    caches = [environment.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), os.path.join(home, "Library/Caches")]

    def has(name: str) -> bool:
        return any(os.path.isdir(os.path.join(cache, name)) for cache in caches)

    settings = {}
    if not (has("pip") or "PIP_CACHE_DIR" in environment):
        settings["PIP_NO_CACHE_DIR"] = "1"
    if not (has("uv") or "UV_CACHE_DIR" in environment):
        settings["UV_NO_CACHE"] = "1"
    # pip asks rustc for its version, and a rustc that is rustup's then makes ~/.rustup.
    if not os.path.isdir(os.path.join(home, ".rustup")):
        settings["RUSTUP_HOME"] = environment.get("RUSTUP_HOME", os.devnull)
    return settings
