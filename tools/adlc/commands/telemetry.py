"""What delegated steps turned out to be: one local line an event. Nothing leaves this machine."""

import os

from adlc import checkout, output
from adlc.errors import OK, AdlcError
from adlc.telemetry import record, report

_EVENT = {
    "skill": "the skill that ran", "step": "its step", "req": "the document it worked on, or unknown", "gate": "pass or fail",
    "mode": "delegated, fallback or ghost-skip", "reason": "ok, or why not", "duration_ms": "milliseconds, or -",
}
EXAMPLES = [
    ("adlc telemetry report --window 7d", "counts for each skill"),
    ("adlc telemetry show --limit 5", "the latest events"),
    ("adlc telemetry prune --older-than 30d", "drop old ones"),
    ("adlc telemetry off", "record nothing from now on"),
]


def arguments(parser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(name: str, act, help: str):
        added = verbs.add_parser(name, help=help, allow_abbrev=False)
        added.set_defaults(act=act)
        return added

    step = verb("step", _step, "record what the marks on a flag say about a step, and clear the flag")
    step.add_argument("skill", metavar="SKILL", help="the skill that ran, for example spec")
    step.add_argument("step", metavar="STEP", help="its step, for example Step-1.6")
    step.add_argument("--flag", metavar="F", help="default: the current one of this project and session")
    step.add_argument("--req", default="", metavar="ID", help="the document the step worked on")

    emit = verb("emit", _emit, "record one event as stated")
    for name, help in _EVENT.items():
        emit.add_argument(name, metavar=name.upper(), help=help)

    counts = verb("report", _report, "count the events of each skill")
    counts.add_argument("--window", default=report.DEFAULT_WINDOW, metavar="SPAN", help="12h, 7d, 2w (default 7d)")
    form = counts.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--tsv", action="store_true", help="print tab-separated lines")

    show = verb("show", _show, "print the latest events")
    show.add_argument("--limit", type=int, default=20, metavar="N", help="at most N events (default 20)")
    show.add_argument("--json", action="store_true", help="print one JSON document")

    prune = verb("prune", _prune, "drop old events")
    prune.add_argument("--older-than", metavar="SPAN", help="keep the events of this span: 30d")
    prune.add_argument("--all", action="store_true", help="drop every event")
    prune.add_argument("--json", action="store_true", help="print one JSON document")

    verb("off", _off, "record nothing from now on")
    verb("on", _on, "record again")


def run(options) -> int:
    return options.act(options)


def _step(options) -> int:
    try:
        _record_step(options)
    except AdlcError:
        pass  # a record is never worth a failed skill: the step goes on
    return OK


def _record_step(options) -> None:
    from adlc.telemetry import flag

    path = options.flag or flag.current()
    marks = flag.marks(path) if path and flag.exists(path) else None
    gate, mode, reason = record.classify(marks)
    req = options.req or os.environ.get("REQ_NUM") or os.environ.get("REQ_ID") or "unknown"
    duration = flag.duration_ms(marks) if marks else None
    record.write(record.event(options.skill, options.step, req, gate, mode, reason, duration, "flag", checkout.repository_name()))
    if marks is not None:
        flag.clear(path)
    if mode == "ghost-skip":
        output.talk(f"adlc: {output.single_line(options.step, 40)} was recorded as a ghost-skip ({output.single_line(reason, 80)})")


def _emit(options) -> int:
    gate, mode, reason, disguised = record.checked(options.gate, options.mode, options.reason)
    duration = _milliseconds(options.duration_ms)
    record.write(record.event(options.skill, options.step, options.req, gate, mode, reason, duration, "args", checkout.repository_name()))
    if disguised:
        output.talk("adlc: the gate passed and nothing was called: recorded as a ghost-skip")
    return OK


def _milliseconds(text: str) -> int | None:
    if text in ("", "-"):
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise AdlcError("usage", f"duration '{output.single_line(text, 40)}': must be milliseconds or -")
    return int(text)


def _report(options) -> int:
    answer = report.report(record.log_path(), report.window_seconds(options.window))
    rows = [*answer.rows, answer.total()]
    if options.json:
        output.document("telemetry", {
            "verb": "report",
            "window": options.window,
            "rows": [_counts(row) for row in answer.rows],
            "total": _counts(rows[-1]),
            "reasons": dict(sorted(answer.reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
            "malformed": answer.malformed,
        })
        return OK
    header = ["skill", *report.COLUMNS, "total", "median_ms"]
    table = [header] + [
        [output.single_line(row.skill, 60) or "-", *(str(row.counts[c]) for c in report.COLUMNS), str(row.total), str(row.median_ms or "-")]
        for row in rows
    ]
    if options.tsv:
        output.text(["\t".join(line) for line in table])
    else:
        widths = [max(len(line[i]) for line in table) for i in range(len(header))]
        output.text([
            "  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))]) for line in table
        ])
    if answer.malformed:
        output.talk(f"adlc: {answer.malformed} line(s) of the log are no events; adlc telemetry prune --older-than 30d drops them")
    return OK


def _counts(row) -> dict:
    return {"skill": row.skill, **row.counts, "total": row.total, "median_ms": row.median_ms}


def _show(options) -> int:
    from collections import deque

    if options.limit < 1:
        raise AdlcError("usage", f"--limit {options.limit}: must be 1 or more", "adlc telemetry show --limit 20")
    path = record.log_path()
    latest = list(deque((item for item in report.events(path) if item is not None), options.limit))
    if options.json:
        output.document("telemetry", {"verb": "show", "log": path, "recording": not record.is_off(), "events": latest})
        return OK
    keys = ("timestamp", "repo", "skill", "step", "req", "gate", "mode", "reason", "duration_ms", "source")
    output.text(["  ".join(output.single_line(str(item.get(key, "-")), 60) for key in keys) for item in latest])
    output.talk(f"adlc: {len(latest)} event(s) of {path}" + (" (telemetry is off)" if record.is_off() else ""))
    return OK


def _prune(options) -> int:
    if bool(options.older_than) == options.all:
        raise AdlcError("usage", "say what to drop: --older-than SPAN or --all", "adlc telemetry prune --older-than 30d")
    seconds = None if options.all else report.window_seconds(options.older_than)
    kept, dropped = report.prune(record.log_path(), seconds)
    if options.json:
        output.document("telemetry", {"verb": "prune", "kept": kept, "dropped": dropped})
    else:
        output.text([f"{dropped} event(s) dropped, {kept} kept"])
    return OK


def _off(_) -> int:
    record.turn_off()
    output.text(["telemetry is off; adlc telemetry on records again"])
    return OK


def _on(_) -> int:
    record.turn_on()
    output.text([f"telemetry is on: {record.log_path()}"])
    return OK
