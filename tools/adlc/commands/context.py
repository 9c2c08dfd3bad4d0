"""One call, one JSON document: the specs that govern a task, why, how sound they are, and what may be ignored."""

from adlc import lifecycle, output, project
from adlc.corpus import load
from adlc.corpus.segments import CORPORA
from adlc.errors import OK, AdlcError

# An answer is to be read at little cost: texts are cut to so many characters, and `related` has more than LEAST rows
# only as far as the whole stays within SIZE bytes.
PURPOSE, REASON, REQUIREMENT, RELATED_REASON = 100, 80, 60, 50
SCOPES, REQUIREMENTS = 5, 2
SIZE, LEAST = 2048, 4
_SCHEMA_BYTES = len('"schema":"adlc.context/1",')
EXAMPLES = [
    ('adlc context --task "let sessions expire" --paths src/session.py', "what must be read before this change, as JSON"),
    ('adlc context --text --task "let sessions expire"', "for people"),
    ("adlc context --paths src/session.py --scope-only", "what claims the file, without a task"),
]


def arguments(parser) -> None:
    parser.add_argument("--task", default="", metavar="TEXT", help="what you are about to do")
    parser.add_argument("--paths", action="append", default=[], metavar="A,B", help="the files you will touch; repeatable")
    parser.add_argument("--top", type=int, metavar="N", help="at most N documents")
    parser.add_argument("--budget", type=int, metavar="BYTES", help="leave out the least useful until the answer fits")
    parser.add_argument("--scope-only", action="store_true", help="only documents that claim one of the paths")
    parser.add_argument("--corpus", choices=("specs", "all"), default="specs", help="all: lessons and bugs too")
    parser.add_argument("--allow-keyword", action="store_true", help="answer by words where the index or the model is missing")
    parser.add_argument("--text", action="store_true", help="print lines for people")
    parser.add_argument("--json", action="store_true", help="print one JSON document (the default)")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    from adlc.ranking import context

    try:
        for name in ("top", "budget"):
            value = getattr(options, name)
            if value is not None and value < 1:
                raise AdlcError("param_error", f"--{name} {value}: must be 1 or more", "adlc context --help")
        paths = [part.strip() for value in options.paths for part in value.split(",") if part.strip()]
        corpora = CORPORA if options.corpus == "all" else ("spec",)
        request = context.Request(options.task.strip(), paths, corpora, options.top, options.scope_only, options.allow_keyword)
        exclude = lifecycle.spec_exclusions()
        root = project.root(options.root)
        found = load.answer(root, lambda corpus: context.answer(corpus, request, exclude))
    except AdlcError as exc:
        if options.text:
            raise
        output.document("context", unavailable(exc))
        return exc.exit_code
    if options.text:
        output.text(_lines(found))
        if not found.files:
            output.talk("adlc: " + output.absent(corpora, found.others, 0))
        return OK
    if options.top is None and not options.budget:
        shorten(found)
    document = _document(found)
    if options.budget:
        _fit(document, options.budget)
    output.document("context", document)
    return OK


def unavailable(exc: AdlcError) -> dict:
    """The document of a failure: the same shape for every cause, so that a reader can go by `status` alone."""
    note = output.single_line(f"{exc.message}; {exc.fix}" if exc.fix else exc.message, 160)
    return {
        "status": {"ok": False, "quality": "unavailable", "qualityNote": note, "errorKind": exc.kind},
        "error": exc.as_json() | {"message": output.single_line(exc.message, 160)},
    }


def shorten(found) -> None:
    """Leave out the last related documents of a context.Context, as many as SIZE asks for and LEAST allows."""
    over = output.size(_document(found)) + _SCHEMA_BYTES - SIZE
    while over > 0 and len(found.related) > LEAST:
        over -= output.size(_related(found.related.pop())) + 1


def _document(found) -> dict:
    rows = found.direct + found.related
    outcome = "matched" if rows else "no_match" if found.total else "empty"
    return {
        "status": {"ok": True, "quality": found.quality, "qualityNote": found.note},
        "outcome": outcome,
        "direct": [_direct(row) for row in found.direct],
        "related": [_related(row) for row in found.related],
        "summary": {
            "totalSpecs": found.total,
            "tierDirect": len(found.direct),
            "tierRelated": len(found.related),
            "unrelatedCount": found.total - len(rows),
            "staleWarnings": [row.document.id for row in rows if row.staleness == "stale" and row.precise],
            "readRecommended": [row.document.id for row in found.direct],
            "pathsUnmatched": [output.single_line(path, 200) for path in found.unmatched],
            "suppressed": _suppressed(found),
            "signals": found.signals,
            "signalsOff": {name: output.single_line(why, 160) for name, why in found.off.items()},
            "index": found.index,
        },
    }


def _suppressed(found) -> dict | None:
    if not found.excluded and not found.malformed:
        return None
    return {
        "files": found.files, "malformed": found.malformed,
        "excluded": {output.single_line(status, 60): found.excluded[status] for status in sorted(found.excluded)},
    }


def _direct(row) -> dict:
    document = row.document
    shown = {
        "id": document.id, "path": document.path, "title": output.single_line(document.title, 200), "zScore": row.z,
        "reason": output.single_line(row.reason, REASON), "purpose": output.single_line(document.purpose, PURPOSE),
        "reqCount": document.requirements, "health": row.health, "staleness": row.staleness,
        "scope": [output.single_line(entry, 100) for entry in document.scope[:SCOPES]],
        "matchReqs": [{"id": output.single_line(ref, 100), "title": output.single_line(title, REQUIREMENT)} for ref, title in row.matches[:REQUIREMENTS]],
        "scores": row.scores,
    }
    return shown | _why(row)


def _related(row) -> dict:
    document = row.document
    shown = {
        "id": document.id, "path": document.path, "title": output.single_line(document.title, 120), "zScore": row.z,
        "reason": output.single_line(row.reason, RELATED_REASON), "health": row.health, "staleness": row.staleness,
    }
    return shown | _why(row)


def _why(row) -> dict:
    """What claims a given path, and what the past says, where there is any."""
    shown = {"claims": row.claims} if row.claims else {}
    return shown | {"because": output.single_line(row.because, 200)} if row.because else shown


def _fit(document: dict, limit: int) -> None:
    """Leave out the least useful until the document has at most `limit` bytes, and say what went."""
    cut = document["summary"]["cut"] = []
    for name, take_out in _cuts(document):
        if output.size(document) + _SCHEMA_BYTES <= limit:
            return
        take_out()
        cut.append(name)


def _cuts(document: dict) -> list[tuple]:
    """[(name, function that takes it out)], least useful first. The rows of `direct` stay."""
    cuts = [(f"related: {row['id']}", document["related"].pop) for row in reversed(document["related"])]
    for key in ("scores", "scope", "matchReqs", "purpose"):
        cuts.append((f"direct: {key}", lambda key=key: [row.pop(key) for row in document["direct"]]))
    return cuts


def _lines(found) -> list[str]:
    if not found.total:
        return _left_out(found)
    lines = [f"quality: {found.quality}" + (f" — {output.single_line(found.note)}" if found.note else "")]
    for name, rows in (("read in full", found.direct), ("may matter", found.related)):
        lines.append(f"{name}:" if rows else f"{name}: none")
        for row in rows:
            lines += _row_lines(row)
    lines.append(f"of {found.total} document{'s'[:found.total != 1]}; {found.total - len(found.direct) - len(found.related)} need not be looked at")
    lines += _left_out(found)
    lines += [f"no document claims {output.single_line(path, 200)}" for path in found.unmatched]
    lines += [f"not used: {name} ({output.single_line(why, 160)})" for name, why in found.off.items()]
    return lines


def _row_lines(row) -> list[str]:
    document = row.document
    id, title, reason = (output.single_line(value, limit) for value, limit in ((document.id, 80), (document.title, 120), (row.reason, 120)))
    lines = [
        f"  {output.bold(id)}" + (f"  {title}" if title != id else ""),
        f"      {output.single_line(document.path)}  z {row.z:g}  {row.health}" + (", stale" if row.staleness == "stale" != row.health else ""),
    ]
    if reason not in (title, id):
        lines.append(f"      fits best: {reason}")
    if row.claims:
        lines.append(f"      claims {output.single_line(row.claims, 160)}")
    if row.because:
        lines.append(f"      {output.single_line(row.because, 160)}")
    return lines


def _left_out(found) -> list[str]:
    """What took no part, which is not the same as what does not fit."""
    gone = _suppressed(found)
    if gone is None:
        return []
    parts = [f"{count} {status}" for status, count in gone["excluded"].items()]
    parts += [f"{found.malformed} that cannot be used (adlc list tells why)"] if found.malformed else []
    return [f"left out: {', '.join(parts)}"]
