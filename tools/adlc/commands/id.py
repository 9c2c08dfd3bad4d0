"""Hand out and look after the numbers of requirements, bugs and lessons."""

from adlc import output
from adlc.errors import NO, OK, AdlcError

DEGRADED = "id allocated without remote verification — verify before PR"
_KINDS = ("req", "bug", "lesson")
EXAMPLES = [
    ("adlc id next req", "take the next free number (of req, bug, lesson)"),
    ("adlc id high bug --offline", "the highest number taken, without asking remotes"),
    ("adlc id check", "find numbers that are taken twice"),
    ("adlc id renumber REQ-012 REQ-019 --yes", "give a document another number, its references included"),
]


def arguments(parser) -> None:
    verbs = parser.add_subparsers(dest="action", metavar="next|high|check|renumber", required=True, parser_class=type(parser), prog=parser.prog)

    def verb(name: str, run, text: str):
        sub = verbs.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        sub.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")
        sub.set_defaults(act=run)
        return sub

    sub = verb("next", _next, "Take the next free number.")
    sub.add_argument("kind", metavar="KIND", help="req, bug or lesson").complete = _KINDS
    choice = sub.add_mutually_exclusive_group()
    choice.add_argument("--reserve", dest="reserve", action="store_true", default=None, help="reserve it on the remote, whatever the config says")
    choice.add_argument("--no-reserve", dest="reserve", action="store_false", help="do not reserve it")
    sub.add_argument("--shell", action="store_true", help="print the bare number and 1 when degraded, else 0, for partials/id-alloc.sh")

    sub = verb("high", _high, "Show the highest number taken, and what each source says.")
    sub.add_argument("kind", metavar="KIND", help="req, bug or lesson").complete = _KINDS
    sub.add_argument("--offline", action="store_true", help="do not ask the remotes")

    sub = verb("check", _check, "Find duplicate and misplaced numbers, or tell whether somebody else has taken ID.")
    sub.add_argument("id", metavar="ID", nargs="?", help="one id, for example REQ-042; default: the whole project")
    sub.add_argument("--offline", action="store_true", help="do not ask the remotes")

    sub = verb("renumber", _renumber, "Give a document another number; shows what would change unless --yes is given.")
    sub.add_argument("old", metavar="OLD", help="the present id")
    sub.add_argument("new", metavar="NEW", help="the new id")
    sub.add_argument("--path", metavar="PATH", help="which document, when OLD is taken twice")
    sub.add_argument("--yes", action="store_true", help="do it")


def run(options) -> int:
    try:
        return options.act(options)
    except AdlcError as exc:
        output.failure(f"id-{options.action}", exc, options.json)
        return exc.exit_code


def _next(options) -> int:
    from adlc.ids import allocate, kinds, repositories, settings

    kind = kinds.kind_of(options.kind)
    place = repositories.here(options.root)
    reserving = settings.reserving(place.root) if options.reserve is None else options.reserve
    result = allocate.allocate(place, kind, reserving)
    degraded = bool(result.high.degraded)
    if options.json:
        output.document("id-next", {
            "kind": kind.name, "number": result.number, "id": kind.id(result.number),
            "reserved": result.reserved, **_told(result.high), "warnings": result.warnings,
        })
        return OK
    _talk_of_ignored(result.high)
    if degraded:
        output.talk(f"adlc: {DEGRADED} ({output.single_line('; '.join(result.high.degraded), 300)})")
    for warning in result.warnings:
        output.talk(f"adlc: {output.single_line(warning)}")
    output.text([f"{result.number} {int(degraded)}" if options.shell else kind.id(result.number)])
    return OK


def _high(options) -> int:
    from adlc.ids import counter, highwater, kinds, repositories

    kind = kinds.kind_of(options.kind)
    high = highwater.gather(repositories.here(options.root), kind, counter.read(kind.name), network=not options.offline)
    if options.json:
        output.document("id-high", {
            "kind": kind.name, "number": high.number, "id": kind.id(high.number) if high.number else None, **_told(high),
        })
        return OK
    _talk_of_ignored(high)
    _talk_of_gaps(high.degraded)
    lines = [kind.id(high.number) if high.number else f"no {kind.prefix} number is taken"]
    for row in high.sources:
        what = " ".join(filter(None, (row.get("repository"), row.get("remote"), row["source"])))
        lines.append("  " + output.single_line(f"{what}: " + (row.get("error") or str(row["high"] or "none"))))
    output.text(lines)
    return OK


def _check(options) -> int:
    from adlc.ids import check, kinds, repositories

    place = repositories.here(options.root)
    if options.id is not None:
        kind, number = kinds.parse(options.id)
        findings, high = check.one(place, kind, number, network=not options.offline)
        told = _told(high)
    else:
        findings, reasons = check.project(place, network=not options.offline)
        told = {"degraded": bool(reasons), "reasons": reasons}
    bad = any(row["level"] == check.ERROR for row in findings)
    if options.json:
        output.document("id-check", {"id": options.id, "outcome": "collision" if bad else "clear", "findings": findings, **told})
        return NO if bad else OK
    _talk_of_gaps(told["reasons"])
    lines = []
    for row in findings:
        at = f"{row['path']}: " if row["path"] else ""
        lines.append(output.single_line(f"{'note: ' if row['level'] == check.NOTE else ''}{at}{row['message']}"))
        if row["fix"]:
            lines.append("    " + _line(row["fix"]))
    if not options.id and not lines and not check.any_artifact(place):
        output.talk("adlc: nothing was checked: there is no requirement, bug or lesson with a number here")
        return OK
    output.text(lines or [f"{options.id} is not taken by anybody else" if options.id else "no id is taken twice, misplaced or missing"])
    return NO if bad else OK


def _renumber(options) -> int:
    from adlc.ids import journal, plan, renumber, repositories

    place = repositories.here(options.root)
    if not options.yes:
        left = journal.pending(place.root)
        if left:
            raise AdlcError(
                "renumber_pending", f"renumbering {left.old} to {left.new} was interrupted; nothing else can be planned before it is finished",
                f"adlc id renumber {left.old} {left.new} --yes",
            )
        return _planned(options, plan.make(place, options.old, options.new, options.path))
    with renumber.lock(place.root):
        earlier = renumber.finish(place.root)
        if earlier and earlier.journal.asked == [options.old, options.new]:
            return _done(earlier, None, options.json)
        made = plan.make(place, options.old, options.new, options.path)
        if earlier:
            made.warnings.append(f"finished the interrupted renumbering of {earlier.journal.old} to {earlier.journal.new} first")
            made.unhandled += earlier.problems
        done = renumber.apply(made)
    return _done(done, made, options.json)


def _planned(options, made) -> int:
    if options.json:
        output.document("id-renumber", {"outcome": "planned", **_plan(made)})
        return OK
    lines = [_line(f"rename {old} -> {new}") for old, new in made.renames]
    lines += [_line(f"rewrite {path} ({count})") for path, count in made.edits]
    lines += made.branches and ["then, for the branches:"] + [f"    {command}" for command in made.branches]
    output.text(lines)
    _remaining(made)
    output.talk("adlc: nothing has been changed; add --yes to do it")
    return OK


def _done(done, made, as_json: bool) -> int:
    steps = done.journal
    problems = [*done.problems, *(made.unhandled if made else ())]
    if as_json:
        output.document("id-renumber", {
            "outcome": "finished" if done.finished else "done", **(_plan(made) if made else {"old": steps.old, "new": steps.new}),
            "unhandled": [{"path": path, "reason": reason} for path, reason in problems],
        })
        return NO if problems else OK
    verb = "finished the interrupted renumbering of" if done.finished else "renumbered"
    output.text([f"{verb} {steps.old} to {steps.new}: {len(steps.renames)} renamed, {len(steps.edits)} rewritten"])
    if made:
        _remaining(made)
        if made.branches:
            output.text(["then, for the branches:", *(f"    {command}" for command in made.branches)])
    for path, reason in done.problems:
        _not_handled(path, reason)
    return NO if problems else OK


def _plan(made) -> dict:
    return {
        "old": made.old, "new": made.new, "path": made.artifact,
        "renames": [{"from": old, "to": new} for old, new in made.renames],
        "edits": [{"path": path, "count": count} for path, count in made.edits],
        "left": [{"path": path, "count": count} for path, count in made.left],
        "unhandled": [{"path": path, "reason": reason} for path, reason in made.unhandled],
        "branches": made.branches, "warnings": made.warnings,
    }


def _remaining(made) -> None:
    for warning in made.warnings:
        output.talk(f"adlc: {output.single_line(warning)}")
    for path, count in made.left:
        path = _line(path)
        output.talk(f"adlc: left as it is: {path} ({count}): means, or may mean, the other document with the number {made.old}")
    for path, reason in made.unhandled:
        _not_handled(path, reason)


def _line(text: str) -> str:
    """Text with names of files in it, blanks as they are, on one line: a name may hold line ends."""
    return " ".join(output.plain_lines(text))


def _not_handled(path: str, reason: str) -> None:
    output.talk("adlc: not handled: " + _line(f"{path}: {reason}"))


def _told(high) -> dict:
    return {"degraded": bool(high.degraded), "reasons": high.degraded, "sources": high.sources, "ignored": high.ignored}


def _talk_of_ignored(high) -> None:
    for row in high.ignored:
        output.talk(f"adlc: ignored {output.single_line(row['name'], 80)} in {output.single_line(row['where'], 80)}: {row['reason']}")


def _talk_of_gaps(reasons: list[str]) -> None:
    if reasons:
        output.talk(f"adlc: not everything could be asked ({output.single_line('; '.join(reasons), 300)})")
