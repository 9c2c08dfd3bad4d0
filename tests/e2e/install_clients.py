"""Installs the coding clients that the end-to-end tests drive, in the versions of clients.json.

    python tests/e2e/install_clients.py [NAME…]

Each lies in <cache>/adlc-test/clients/<name>-<version>, is downloaded only when it is missing, and
is whole or absent. Names every client it could not get, and then exits 1.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 900

CLIENTS = json.loads(Path(__file__).with_name("clients.json").read_text(encoding="utf-8"))


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "adlc-test/clients"


def program(name: str, version: str) -> Path:
    """Where the client's executable is, installed or not."""
    return cache() / f"{name}-{version}" / "node_modules/.bin" / CLIENTS[name].get("program", name)


def install(name: str, version: str) -> str:
    """Install one client when it is missing; returns why that failed, or ''."""
    place = cache() / f"{name}-{version}"
    if program(name, version).exists():
        return ""
    if not shutil.which("npm"):
        return "npm is not installed"
    print(f"installing {name} {version} …", flush=True)
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache(), prefix=".install-") as scratch:
        fresh = Path(scratch, "client")
        fresh.mkdir()
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(fresh)]
        try:
            done = subprocess.run(
                [*command, f"{CLIENTS[name]['package']}@{version}"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"no answer within {SECONDS} seconds"
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines()
            return lines[-1] if lines else f"npm exit {done.returncode}"
        try:
            os.rename(fresh, place)
        except OSError:
            if not program(name, version).exists():  # else another run was quicker
                raise
    return ""


def main(names: list[str]) -> int:
    failures = 0
    for name in names or CLIENTS:
        for version in CLIENTS[name]["versions"]:
            reason = install(name, version)
            if reason:
                failures += 1
                print(f"not installed: {name} {version}: {reason}", file=sys.stderr)
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
