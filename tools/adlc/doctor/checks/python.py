"""Which Python runs, whether it has what adlc uses, and whether it can install what is still to come."""

import os
import shutil
import sys
from importlib.util import find_spec

from adlc import env, installers, programs
from adlc.doctor.place import Place
from adlc.doctor.result import fail, ok, warn

MODULES = ("sqlite3", "ssl", "ctypes", "zlib")


def check(place: Place):
    version = ".".join(map(str, sys.version_info[:3]))
    lacking = [name for name in MODULES if not _loads(name)]
    if lacking:
        yield fail(f"{sys.executable} ({version}) was built without {', '.join(lacking)}: install a complete Python 3.11 or newer, and name it in ADLC_PYTHON")
    else:
        yield ok(f"{version}, {sys.executable}")
    if not all(os.path.isdir(env.site_dir(stage)) for stage in env.STAGES) and not installers.available():
        yield warn("there is no pip, venv or uv to install the other stages with", _installer())


def _loads(name: str) -> bool:
    # Python itself finds a module whose shared library is missing; only loading it tells.
    if find_spec(name) is None:
        return False
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def _installer() -> str:
    if shutil.which("apt-get", path=programs.absolute_path()):
        return "sudo apt-get install -y python3-venv"
    return "brew install uv" if shutil.which("brew", path=programs.absolute_path()) else ""
