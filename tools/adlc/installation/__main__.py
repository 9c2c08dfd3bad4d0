"""The other half of install.sh: arguments, questions, messages. Run by path, under -I -S, by any Python >= 3.11."""

import argparse
import contextlib
import os
import shlex
import signal
import sys
import traceback

if __name__ == "__main__":
    sys.path[0:0] = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))]

from adlc import output, programs
from adlc.errors import INTERNAL, INTERRUPTED, OK, AdlcError
from adlc.installation import delegation, manifest, plan, removal, source, steps, traces
from adlc.places import home, state_dir

SECONDS = 900
EPILOG = """\
It links each skill, partials and tools into ~/.claude/skills (CLAUDE_CONFIG_DIR is honoured), and adlc into
~/.local/bin or ~/bin. It owns what it made and nothing else: a path that is somebody else's stops it before
anything is changed. Run again it does nothing, after a git pull it adds what is new, after a move it points to
the new place. --uninstall leaves what you made or changed."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise AdlcError("usage", message, "see: ./install.sh --help")

    def print_help(self, file=None):
        output.text(self.format_help().rstrip("\n").split("\n"))


def main(argv: list[str]) -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        return _run(_parser().parse_args(argv))
    except AdlcError as exc:
        output.failure("error", exc, False)
        return exc.exit_code
    except KeyboardInterrupt:
        output.talk("adlc: interrupted; everything is as it was")
        return INTERRUPTED
    except BrokenPipeError:
        return OK
    except Exception as exc:
        at = traceback.extract_tb(exc.__traceback__)[-1]
        output.failure("error", AdlcError("internal", f"internal error: {type(exc).__name__}: {exc} ({os.path.basename(at.filename)}:{at.lineno})"), False)
        return INTERNAL


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="install.sh", description="Install adlc for this user, for /spec without the plugin's prefix.", epilog=EPILOG,
        allow_abbrev=False, formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=100),
    )
    parser.add_argument("--with-delegation", action="store_true", help="also adlc-read and a configuration that still says no")
    parser.add_argument("--dry-run", action="store_true", help="change nothing, only say what would be done")
    parser.add_argument("--uninstall", action="store_true", help="take away what was installed, environments and caches too")
    parser.add_argument("--repair", action="store_true", help="like install, and also replace links to other checkouts of adlc or to none, and a damaged record")
    parser.add_argument("--prefix", metavar="DIR", help="link the programs into DIR/bin")
    parser.add_argument("--yes", action="store_true", help="agree to the PATH line in the shell's start file")
    return parser


def _run(given) -> int:
    if given.uninstall and (given.with_delegation or given.repair or given.prefix):
        raise AdlcError("usage", "--uninstall takes no other option than --dry-run and --yes", "see: ./install.sh --help")
    at, claude = _directory(home(), "HOME"), _claude()
    _check_owner(at)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
    with steps.alone(at, lambda: output.talk("adlc: waiting for another install.sh")):
        left = steps.interrupted(claude)
        if left is not None and given.dry_run:
            output.talk("adlc: an earlier run was killed half-way; the next one first undoes what that had done")
        elif left is not None:
            steps.recover(claude)
            output.talk("adlc: an earlier run was killed half-way; undone")
        if given.uninstall:
            return _uninstall(root, manifest.read(claude), given.dry_run)
        return _install(root, at, claude, given)


def _install(root: str, at: str, claude: str, given) -> int:
    main = source.main_checkout(root)
    source.check(main)
    if main != root:
        output.talk(f"adlc: {root} is a linked worktree; installing from the repository's main checkout, {main}")
    record = manifest.read(claude, tolerant=given.repair)
    options = plan.Options(at, claude, main, _prefix(given.prefix), given.with_delegation, given.repair)
    if given.with_delegation:
        output.text([*delegation.NOTICE.split("\n"), ""])
    made = plan.install(options, record)
    if made.refused:
        for path, what, fix in made.refused:
            output.talk(f"adlc: {output.single_line(path)}: {what} — {fix}")
        raise AdlcError("write_failed", f"nothing was installed: {len(made.refused)} path{'s'[:len(made.refused) != 1]} of yours in the way", "do what the lines above say, then run install.sh again")
    if made.start and (given.yes or _asked(f"Add this line to {made.start.path}?\n    {made.start.line}\n", given.dry_run)):
        plan.add_to_path(made)
    elif made.start:
        made.notes.append(f"not on your PATH yet; add to {made.start.path} (or run again with --yes): {made.start.line}")
    missing = traces.folders()
    plan.finish(made, missing)
    if not given.dry_run:
        before = set(traces.present())
        try:
            _prepare(options)
            steps.take(made.steps, claude)
        except BaseException:
            traces.remove([path for path in traces.present() if path not in before], missing)
            raise
    _tell(made, given.dry_run, "already installed; nothing to do")
    if given.dry_run:
        return OK
    if given.with_delegation:
        output.text(["", *delegation.how_to_enable(delegation.config_path())])
    _doctor(main)
    return OK


def _uninstall(root: str, record: manifest.Manifest, dry_run: bool) -> int:
    made = removal.uninstall(record)
    folders = record.folders()
    paths = traces.present()
    if not dry_run:
        _unrender(root)
        steps.take(made.steps, os.path.dirname(os.path.dirname(record.path)))
        for path in traces.remove(paths, folders):
            output.talk(f"adlc: {output.single_line(path)}: cannot be removed")
    made.notes += [f"kept, it is yours: {path}" for path in traces.kept()]
    made.steps += [steps.Step(path, {"folder": True}, None, "removed") for path in paths]
    _tell(made, dry_run, "nothing is installed; nothing to do")
    return OK


def _prepare(options: plan.Options) -> None:
    """Make the environments before anything points to them. Raises AdlcError environment_missing."""
    launcher = ["/bin/sh", os.path.join(options.root, "bin/adlc")]
    _call([*launcher, "search", "--help"])
    if options.delegation:
        python = _call([*launcher, "where", "python"]).decode("utf-8", "surrogateescape").strip()
        _call([python, "-I", "-S", "-X", "utf8", os.path.join(options.root, "tools/adlc/env.py"), "build", "delegate"])


def _call(command: list[str]) -> bytes:
    """Run to the end; asked to end, it takes away what it has begun. Raises AdlcError environment_missing."""
    try:
        code, out, _ = programs.run(command, SECONDS, ending=signal.SIGTERM, stderr=None)
    except programs.TimedOut:
        raise AdlcError("environment_missing", f"no answer within {SECONDS} seconds", "run install.sh again") from None
    if code:
        # The line before this one, of the program itself, says why.
        raise AdlcError("environment_missing", "nothing was installed: adlc does not run here yet", "do what the line above says, then run install.sh again")
    return out


def _doctor(root: str) -> None:
    """What adlc itself says about this installation. Its findings do not undo it."""
    if os.path.exists(os.path.join(root, "tools/adlc/commands/doctor.py")):
        _let_run(root, "doctor")


def _unrender(root: str) -> None:
    """Take away the agents that `adlc materialize --user` wrote, by its own record."""
    if os.path.exists(os.path.join(state_dir(), "adlc-materialized.json")):
        _let_run(root, "materialize", "--user", "--remove", stdout=programs.DEVNULL)


def _let_run(root: str, *arguments: str, **streams) -> None:
    command = ["/bin/sh", os.path.join(root, "bin/adlc"), *arguments]
    with contextlib.suppress(programs.TimedOut):
        programs.run(command, SECONDS, **{"stdout": None, "stderr": None} | streams)


def _tell(made: plan.Plan, dry_run: bool, nothing: str) -> None:
    shown = [f"{'would be: ' if dry_run else ''}{output.single_line(step.path)}: {step.says}" for step in made.steps]
    output.text([line.rstrip(",") for line in shown] or [f"adlc: {nothing}"])
    for note in made.notes:
        output.talk(f"adlc: {output.single_line(note, 1000)}")
    if dry_run:
        output.text(["nothing was changed (--dry-run)"])


def _asked(question: str, dry_run: bool) -> bool:
    if dry_run or not (sys.stdin and sys.stdin.isatty()):
        return False
    output.talk(f"{question}[y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _check_owner(at: str) -> None:
    """Under sudo HOME can still be the user's: files of root's in there would be in their way."""
    if os.environ.get("SUDO_UID") and os.geteuid() == 0 and os.path.isdir(at) and os.stat(at).st_uid != 0:
        raise AdlcError("environment_missing", f"{at} is not root's", "run install.sh without sudo")


def _claude() -> str:
    given = os.environ.get("CLAUDE_CONFIG_DIR", "")
    return _directory(given, "CLAUDE_CONFIG_DIR") if given else os.path.join(_directory(home(), "HOME"), ".claude")


def _prefix(given: str | None) -> str:
    if given is None:
        return ""
    path = os.path.abspath(os.path.expanduser(given))
    if not given or ":" in path or not path.isprintable():
        raise AdlcError("usage", f"--prefix {shlex.quote(output.single_line(given))} cannot be on a PATH", "give a directory without colons and line ends")
    return path


def _directory(path: str, name: str) -> str:
    """An absolute directory without anything that would break a line or a shell's start file."""
    if not os.path.isabs(path) or any(c in path for c in "\n\r\0"):
        raise AdlcError("usage", f"{name} is not an absolute path: {output.single_line(path)}", f"set {name} to one")
    return os.path.normpath(path)


def _interrupt(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
