"""A copy of the checkout, a home, and install.sh as a whole process."""

import contextlib
import hashlib
import http.server
import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


def copy_checkout(target: Path) -> Path:
    """The files that git tracks or would track, as they are now; no repository."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=CHECKOUT, capture_output=True, check=True).stdout
    for name in os.fsdecode(listed).split("\0"):
        if name and (CHECKOUT / name).is_file() and not name.startswith(("bench/", "tests/", "docs/")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, target / name)
    return target


def snapshot(*folders: Path) -> dict:
    """Everything below: kind and mode, and the hash, size or target."""
    found = {}
    for folder in folders:
        for path in [folder, *sorted(folder.rglob("*"))]:
            st = path.lstat()
            content = os.readlink(path) if stat.S_ISLNK(st.st_mode) else ""
            if stat.S_ISREG(st.st_mode):
                content = f"{st.st_size} {hashlib.sha256(path.read_bytes()).hexdigest()}"
            found[str(path)] = (oct(st.st_mode), content)
    return found


class Home:
    """place: a directory of the test's own. home, data: below it. tools: the only entry of PATH."""

    def __init__(self, place: Path, python: str, data: Path, name: str = "home"):
        self.place, self.home, self.data, self.tools = place, place / name, place / "data", place / "tools"
        self.home.mkdir()
        self.tools.mkdir()
        for program in ("readlink", "id", "timeout", "uname", "sh"):
            (self.tools / program).symlink_to(shutil.which(program))
        (self.tools / "python3").symlink_to(python)
        shutil.copytree(data, self.data, symlinks=True)
        # USER and SHELL are not set, and there is no dscl.
        self.environment = {
            "HOME": str(self.home), "PATH": str(self.tools), "ADLC_DATA_DIR": str(self.data),
            "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull,
        }

    @property
    def skills(self) -> Path:
        return self.home / ".claude/skills"

    @property
    def record(self) -> Path:
        return self.home / ".claude/adlc/install.json"

    def start(self, checkout: Path, *arguments, env: dict | None = None, **options) -> subprocess.Popen:
        variables = {name: value for name, value in {**self.environment, **(env or {})}.items() if value is not None}
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
        return subprocess.Popen(["/bin/sh", checkout / "install.sh", *arguments], env=variables, cwd=self.place, **options)

    def __call__(self, checkout: Path, *arguments, **options) -> subprocess.CompletedProcess:
        process = self.start(checkout, *arguments, **options)
        out, err = process.communicate(timeout=120)
        assert "Traceback" not in out + err and "internal error" not in err, out + err
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def snapshot(self) -> dict:
        return snapshot(self.home)


def python_for_everyone(candidates: list[str], user: int) -> str | None:
    """The first interpreter that a user without privileges may run and that is recent enough."""
    code = "import os, sys; print(os.path.realpath(sys.executable)); sys.exit(sys.version_info < (3, 11))"
    for candidate in candidates:
        try:
            done = subprocess.run([candidate, "-I", "-c", code], user=user, group=user, extra_groups=[], capture_output=True, text=True)
        except OSError:
            continue
        if done.returncode == 0:
            return done.stdout.strip()
    return None


@contextlib.contextmanager
def index_of(wheels: Path):
    """A package index on the loopback interface that lets its answers be kept -> (address, paths that were asked for)."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            name = self.path.rstrip("/").rpartition("/")[2]
            if self.path.startswith("/simple/"):
                project = name.replace("-", "_").lower()
                files = [file.name for file in sorted(wheels.glob("*.whl")) if file.name.partition("-")[0].lower() == project]
                kind, body = "text/html", "".join(f'<a href="/files/{file}">{file}</a>' for file in files).encode()
            else:
                kind, body = "application/octet-stream", (wheels / name).read_bytes()
            self.send_response(200)
            for key, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "max-age=3600")):
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple/", asked
    finally:
        server.shutdown()
        server.server_close()
