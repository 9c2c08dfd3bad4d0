"""Every git call of the project: bounded, never prompting, in the C locale, without hooks of its own."""

import os
import subprocess

_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GCM_INTERACTIVE": "never",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}


class GitFailed(Exception):
    """git could not answer; str() is one line. `timed_out` tells a silent remote from a refusal."""

    def __init__(self, message: str, timed_out: bool = False, code: int | None = None):
        super().__init__(message)
        self.timed_out, self.code = timed_out, code


def run(cwd: str, *arguments: str, timeout: float = 5.0, stdin: bytes | None = None) -> bytes:
    """stdout of `git ARGUMENTS` in `cwd`. Raises GitFailed on a missing git, a time-out or a non-zero exit."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | _ENVIRONMENT
    command = ["git", "--no-pager", "-c", "core.fsmonitor=false", *arguments]
    try:
        process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL, start_new_session=True,
        )
    except OSError as exc:
        raise GitFailed(f"git cannot be run: {exc.strerror}") from None
    try:
        out, err = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        _kill_group(process)
        raise GitFailed(f"git {arguments[0]} did not answer within {timeout:g} s", timed_out=True) from None
    except BaseException:
        _kill_group(process)
        raise
    if process.returncode:
        text = err.decode("utf-8", "replace").strip().splitlines()
        raise GitFailed(text[-1] if text else f"git {arguments[0]} failed", code=process.returncode)
    return out


def _kill_group(process: subprocess.Popen) -> None:
    # A transport helper (ssh, git-remote-https) outlives its parent and keeps the pipes open.
    try:
        os.killpg(process.pid, 9)
    except (ProcessLookupError, PermissionError):
        pass
    process.communicate()
