"""Runs the checks in order; one that crashes has failed, and the others run all the same."""

import importlib

from adlc import env, programs
from adlc.doctor.place import Place
from adlc.doctor.result import FAIL, NOT_RUN, OK, WARN, Result, fail, not_run
from adlc.errors import AdlcError

# Each is the module doctor.checks.<name> (with - as _): `check(place) -> Result or several`.
CHECKS = (
    "copy", "contents", "installation", "modes", "line-endings", "environment", "python", "path", "places", "leftovers",
    "claude-code", "settings", "git", "remotes", "counters", "locks", "project", "partials", "corpus", "index", "agents", "delegate", "telemetry",
)
_WORST = (FAIL, WARN, NOT_RUN, OK)
# A rebuild of the index may have to fetch and unpack its model first.
FIX_SECONDS = 900


class Outcome:
    """check: its name. results: at least one. status: the worst of them."""

    __slots__ = ("check", "results")

    def __init__(self, check: str, results: list[Result]):
        self.check, self.results = check, results

    @property
    def status(self) -> str:
        return min((result.status for result in self.results), key=_WORST.index)


class Repair:
    """A command that was run: for which check, the line, its exit code (None: it did not end), the last thing it said."""

    __slots__ = ("check", "command", "code", "said")

    def __init__(self, check: str, command: str, code: int | None, said: str):
        self.check, self.command, self.code, self.said = check, command, code, said


def chosen(option: str | None) -> list[str]:
    """The checks of `--checks`, in the order of CHECKS. Raises AdlcError usage."""
    if option is None:
        return list(CHECKS)
    given = {name.strip() for name in option.split(",") if name.strip()}
    unknown = sorted(given - set(CHECKS))
    if unknown or not given:
        what = f"there is no check '{unknown[0]}'" if unknown else "--checks: no name"
        raise AdlcError("usage", what, f"there are: {', '.join(CHECKS)}")
    return [name for name in CHECKS if name in given]


def examine(place: Place, names: list[str]) -> list[Outcome]:
    """Run the checks of these names, in this order. Never raises for what a check raises."""
    return [Outcome(name, _results(name, place)) for name in names]


def repair(place: Place, outcomes: list[Outcome]) -> list[Repair]:
    """Run what may be run without asking, each command once."""
    done: dict[tuple, Repair] = {}
    for outcome in outcomes:
        for result in outcome.results:
            if result.argv and result.status in (WARN, FAIL) and result.argv not in done:
                done[result.argv] = Repair(outcome.check, result.fix, *_run(result.argv, place.cwd))
    return list(done.values())


def _results(name: str, place: Place) -> list[Result]:
    try:
        module = importlib.import_module(f"adlc.doctor.checks.{name.replace('-', '_')}")
        found = module.check(place)
        found = [found] if isinstance(found, Result) else list(found)
        return found or [fail("the check said nothing: please report this")]
    except AdlcError as exc:
        # Its fix is a sentence as often as a command.
        return [fail(f"{exc.message} — {exc.fix}" if exc.fix else exc.message)]
    except ModuleNotFoundError as exc:
        if any(exc.name in modules for _, modules, _ in env.STAGES.values()):
            return [not_run(f"{exc.name} cannot be loaded: see environment")]
        return [_crashed(exc)]
    except Exception as exc:
        return [_crashed(exc)]


def _crashed(exc: Exception) -> Result:
    return fail(f"the check itself failed: {type(exc).__name__}: {exc}; please report this")


def _run(argv: tuple, cwd: str) -> tuple[int | None, str]:
    try:
        code, out, _ = programs.run(list(argv), FIX_SECONDS, cwd=cwd, stderr=programs.STDOUT)
    except OSError as exc:
        return None, f"{argv[0]}: {exc.strerror}"
    except programs.TimedOut:
        return None, f"no answer within {FIX_SECONDS} s"
    lines = [line for line in out.decode("utf-8", "replace").splitlines() if line.strip()]
    return code, lines[-1] if lines else ""
