"""Every git call of the project: bounded, never prompting, in the C locale, without hooks of its own."""

import os
import re

from adlc import programs

_GIT = ["git", "--no-pager", "-c", "core.fsmonitor=false"]
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GCM_INTERACTIVE": "never",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
# A hook's git exports its own GIT_DIR, GIT_INDEX_FILE and so on, which must not reach another
# repository; how the user's git reaches the network must.
_KEPT = ("GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_PROXY", "GIT_SSH", "GIT_SSL", "GIT_TRACE")
# A partial clone fetches what it lacks behind the caller's back. Versions before 2.44 do not know
# the first variable; without an allowed transport they fail instead.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


class GitFailed(Exception):
    """git could not answer; str() is one line. `timed_out` tells a silent remote from a refusal."""

    def __init__(self, message: str, timed_out: bool = False, code: int | None = None):
        super().__init__(message)
        self.timed_out, self.code = timed_out, code


def run(
    cwd: str, *arguments: str, timeout: float = 5.0, stdin: bytes | None = None,
    network: bool = False, ssh: str = "", environment: dict | None = None,
) -> bytes:
    """stdout of `git ARGUMENTS` in `cwd`. Raises GitFailed on a missing git, a time-out or a non-zero exit.

    network: whether it may talk to a remote, with the repository's own `core.sshCommand` in `ssh`.
    environment: variables for this call alone.
    """
    if timeout <= 0:
        raise GitFailed(f"no time left for git {arguments[0]}", timed_out=True)
    try:
        code, out, err = programs.run(
            [*_GIT, *arguments], timeout, stdin=stdin, stderr=programs.PIPE, cwd=cwd, env=_environment(network, ssh) | (environment or {}),
        )
    except OSError as exc:
        raise GitFailed(f"git cannot be run: {exc.strerror}") from None
    except programs.TimedOut:
        raise GitFailed(f"git {arguments[0]} did not answer within {timeout:g} s", timed_out=True) from None
    if code:
        raise GitFailed(_reason(err) or f"git {arguments[0]} failed", code=code)
    return out


def records(cwd: str, *arguments: str, timeout: float = 5.0):
    """Yield what `git ARGUMENTS` writes, split at NUL (bytes), while it writes it; the caller may stop early.

    Fetches nothing that a partial clone lacks. Raises GitFailed as `run` does, when the output ends badly.
    """
    try:
        process = programs.start(
            [*_GIT, *arguments], cwd=cwd, env=_environment(False, ""), stdout=programs.PIPE, stderr=programs.DEVNULL,
        )
    except OSError as exc:
        raise GitFailed(f"git cannot be run: {exc.strerror}") from None
    with programs.limited(process, timeout) as late:
        rest = b""
        while block := os.read(process.stdout.fileno(), 1 << 16):
            *whole, rest = (rest + block).split(b"\0")
            yield from whole
        if process.wait() or late.is_set():
            raise GitFailed(f"git {arguments[0]} failed or did not end within {timeout:g} s", late.is_set(), process.returncode)
        if rest:
            yield rest


def _environment(network: bool, ssh: str) -> dict:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith(_KEPT)} | _ENVIRONMENT
    if not network:
        return environment | _OFFLINE
    if "GIT_ALLOW_PROTOCOL" in os.environ:
        environment["GIT_ALLOW_PROTOCOL"] = os.environ["GIT_ALLOW_PROTOCOL"]
    command = os.environ.get("GIT_SSH_COMMAND") or ssh or ("" if os.environ.get("GIT_SSH") else "ssh")
    if command:
        # Only OpenSSH is known to take the option.
        openssh = os.path.basename(command.split()[0].strip("'\"")) == "ssh"
        environment["GIT_SSH_COMMAND"] = f"{command} -oBatchMode=yes -oConnectTimeout=5" if openssh else command
    return environment


def _reason(err: bytes) -> str:
    """The line of git's stderr that says what went wrong, without credentials."""
    lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return ""
    fatal = next((n for n, line in enumerate(lines) if line.startswith(("fatal:", "error:"))), len(lines) - 1)
    if fatal and "Could not read from remote repository" in lines[fatal]:
        fatal -= 1  # the transport's own message stands before git's
    return re.sub(r"(?<=://)[^/@\s']*@", "", lines[fatal].removeprefix("fatal: ").removeprefix("error: "))
