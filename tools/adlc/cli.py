"""The command line: finds the verb, runs its command, turns errors into exit codes."""

import os
import sys

from adlc.errors import INTERNAL, INTERRUPTED, OK, USAGE, AdlcError
from adlc.verbs import VERBS, parser_for


def main(argv: list[str] | None = None) -> int:
    """Run one command line; returns the exit code. Never raises and never prints a traceback."""
    argv = list(sys.argv[1:] if argv is None else argv)
    # A umask that takes the owner's own bits would make files which the next call cannot read.
    os.umask(os.umask(0o077) & 0o077)
    if argv[:1] == ["hook"] and not {"-h", "--help"} & set(argv):
        # Not even a wrong call may fail: exit code 2 of a hook blocks what the user typed.
        from adlc.commands import hook

        return hook.silently(argv[1:])
    as_json = "--json" in argv[: argv.index("--")] if "--" in argv else "--json" in argv
    name = argv[0] if argv and argv[0] in VERBS else "error"
    as_json = as_json or name == "context" and "--text" not in argv
    try:
        return _run(argv)
    except AdlcError as exc:
        _report(name, exc, as_json)
        return exc.exit_code
    except SystemExit as exc:
        # How argparse ends --help.
        return exc.code or OK
    except KeyboardInterrupt:
        _say("adlc: interrupted")
        return INTERRUPTED
    except Exception as exc:
        _report(name, AdlcError("internal", f"internal error: {type(exc).__name__}", _log(exc)), as_json)
        return INTERNAL


def _run(argv: list[str]) -> int:
    if not argv:
        for line in _help():
            _say(line)
        return USAGE
    if argv[0] == "help" and len(argv) > 1:
        argv = [argv[1], "--help"]
    if argv[0] in ("-h", "--help", "help"):
        from adlc import output

        output.text(_help())
        return OK
    if argv[0] in ("-V", "--version"):
        from adlc import __version__, output

        output.text([f"adlc {__version__}"])
        return OK
    if argv[0] not in VERBS:
        raise AdlcError("usage", f"there is no command '{_plain(argv[0])}'{_nearest(argv[0])}", "see: adlc --help")
    options = parser_for(argv[0]).parse_args(argv[1:])
    return options.run(options)


def _help() -> list[str]:
    width = max(map(len, VERBS))
    return [
        "usage: adlc COMMAND …", "", "commands:", *(f"  {verb:{width}}  {line}" for verb, line in VERBS.items()), "",
        "adlc COMMAND --help tells about one of them; adlc where tools|partials|root prints where adlc lives.",
    ]


def _plain(value: str) -> str:
    from adlc import output

    return output.single_line(value, 60)


def _nearest(word: str) -> str:
    import difflib

    near = difflib.get_close_matches(word, VERBS, 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def _report(name: str, error: AdlcError, as_json: bool) -> None:
    from adlc import output

    try:
        if name == "context" and as_json:
            from adlc.commands.context import unavailable

            output.document(name, unavailable(error))
        else:
            output.failure(name, error, as_json)
        told = not (as_json and output.reader_left)
    except (OSError, AdlcError):
        told = False
    if not told:
        # There is no stdout to put the document on.
        output.failure(name, error, False)


def _say(line: str) -> None:
    from adlc import output

    output.talk(line)


def _log(exc: Exception) -> str:
    """Write the traceback to a log file; returns the sentence that names it."""
    import tempfile
    import traceback

    from adlc import __version__
    from adlc.places import make_private, state_dir

    text = f"adlc {__version__}, Python {sys.version.split()[0]}\n" + "".join(traceback.format_exception(exc))
    try:
        folder = make_private(os.path.join(state_dir(), "errors"))
        fd, path = tempfile.mkstemp(prefix="error-", suffix=".log", dir=folder)
    except (OSError, AdlcError):
        try:
            fd, path = tempfile.mkstemp(prefix="adlc-error-", suffix=".log")
        except OSError:
            return text.strip().splitlines()[-1]
    with os.fdopen(fd, "w", encoding="utf-8", errors="replace") as handle:
        handle.write(text)
    return f"the details are in {path}"
