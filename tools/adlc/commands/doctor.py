"""Tell whether adlc works here: one line a check, and below it the command that puts it right.

Nothing is built or written, and no endpoint is called; the git remotes are asked for their branches, for a few seconds
at most. --fix runs those of the printed commands that change only what is derived or adlc's own. Exit code 1 when a
check failed; a warning does not count.
"""

from adlc import output
from adlc.errors import NO, OK

EXAMPLES = [
    ("adlc doctor", "everything"),
    ("adlc doctor --checks path,index", "only these"),
    ("adlc doctor --fix", "put right what needs no decision, then look again"),
]
_SHOWN = {"ok": "ok", "warn": "warn", "fail": "FAIL", "not_run": "not run"}


def arguments(parser) -> None:
    from adlc.doctor.run import CHECKS

    parser.add_argument("--checks", metavar="A,B", help=f"only these; there are: {', '.join(CHECKS)}").complete = CHECKS
    parser.add_argument("--fix", action="store_true", help="run the safe ones of the commands that would be printed")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    from adlc.doctor import run as doctor
    from adlc.doctor.place import Place

    names = doctor.chosen(options.checks)
    place = Place(options.root)
    outcomes = doctor.examine(place, names)
    repairs = doctor.repair(place, outcomes) if options.fix else []
    if repairs:
        outcomes = doctor.examine(Place(options.root), names)
    failed = any(outcome.status == "fail" for outcome in outcomes)
    if options.json:
        output.document("doctor", _document(place, outcomes, repairs, failed))
    else:
        output.text([*_repaired(repairs), *_lines(outcomes)])
        output.talk(f"adlc: {_sum(outcomes)}")
    return NO if failed else OK


def _document(place, outcomes: list, repairs: list, failed: bool) -> dict:
    return {
        "outcome": "failed" if failed else "warnings" if any(o.status == "warn" for o in outcomes) else "sound",
        "installation": place.installation, "root": place.root,
        "checks": [
            {"check": o.check, "status": o.status, "results": [
                {"status": r.status, "message": output.single_line(r.message), "fix": r.fix, "safe": bool(r.argv)} for r in o.results
            ]} for o in outcomes
        ],
        "repairs": [{"check": r.check, "command": r.command, "exitCode": r.code, "said": output.single_line(r.said)} for r in repairs],
    }


def _lines(outcomes: list) -> list[str]:
    width = max(len(outcome.check) for outcome in outcomes)
    lines = []
    for outcome in outcomes:
        for result in outcome.results:
            lines.append(f"{_SHOWN[result.status]:7}  {outcome.check:{width}}  {output.single_line(result.message)}")
            if result.fix:
                # Whole, however long: it is there to be pasted.
                lines += [f"{'':9}{'':{width}}  {line}" for line in output.plain_lines(result.fix)]
    return lines


def _repaired(repairs: list) -> list[str]:
    lines = []
    for r in repairs:
        how = "done" if r.code == 0 else f"exit {r.code}" if r.code is not None else "not done"
        lines.append(f"{how}: {r.command}" + (f" ({output.single_line(r.said)})" if r.code != 0 and r.said else ""))
    return lines


def _sum(outcomes: list) -> str:
    counts = {status: sum(outcome.status == status for outcome in outcomes) for status in _SHOWN}
    words = {"ok": "ok", "warn": f"warning{'s'[:counts['warn'] != 1]}", "fail": "failed", "not_run": "not run"}
    return f"{len(outcomes)} check{'s'[:len(outcomes) != 1]}: " + ", ".join(
        f"{count} {words[status]}" for status, count in counts.items() if count
    )
