"""Turn a transcript, ticket or note into the source of a requirement, for /spec.

A source is a path or standard input, never an argument: its text reaches no shell.
"""

import os

from adlc import output
from adlc.errors import NO, OK, AdlcError
from adlc.files import Unreadable

EXAMPLES = [
    ("adlc intake detect standup.txt", "whether this is a source: exit code 0 yes, 1 no"),
    ("adlc intake segment standup.txt", "cut it into segments without credentials"),
]


def arguments(parser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(name: str, act, help: str):
        added = verbs.add_parser(name, help=help, allow_abbrev=False)
        added.set_defaults(act=act)
        added.add_argument("--json", action="store_true", help="print one JSON document")
        return added

    detect = verb("detect", _detect, "tell whether a request is a source for intake: exit 0 yes, 1 no")
    detect.add_argument("request", nargs="?", metavar="FILE", help="the whole request, - for standard input; without one: print a path to write it to")
    detect.add_argument("--shell", action="store_true", help="print `REASON KIND INLINE PATH.` for partials/intake.sh")
    segment = verb("segment", _segment, "cut a source into segments of 200 lines, at most 40, without credentials")
    segment.add_argument("source", metavar="PATH", help="the source, or the request that detect accepted")
    segment.add_argument("--shell", action="store_true", help="print `SEGMENTS LINES CORPUS` for partials/intake.sh")
    lines = verb("range", _range, "print the first and last line of one segment")
    lines.add_argument("number", metavar="N", help="which segment, from 1")
    lines.add_argument("total", metavar="TOTAL", help="how many lines the source has")
    redact = verb("redact", _redact, "take credentials out of a file that intake made")
    redact.add_argument("file", metavar="FILE", help="the file, or - to filter standard input")
    verb("sections", _sections, "print the sections that a source must answer").add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")
    verb("announce", _announce, "say on stderr how many blocking gaps a non-interactive intake left open").add_argument("count", metavar="N", help="how many gaps")
    verb("clean", _clean, "remove what intake made, and nothing else").add_argument("files", nargs="+", metavar="FILE", help="a request or a corpus")


def run(options) -> int:
    return options.act(options)


def _detect(options) -> int:
    from adlc.intake import detect, workspace

    if options.request is None:
        names = [workspace.REQUEST, workspace.INLINE]
        return _new_request(options, os.path.join(workspace.create(names), workspace.REQUEST))
    request = None if options.request == "-" else os.path.abspath(options.request)
    found = detect.detect(_argument(request), os.getcwd())
    ours = request is not None and workspace.is_ours(request)
    if not isinstance(found, detect.Source):
        if ours:
            workspace.clean(request)
        missing = found.name if found else None
        if options.json:
            output.document("intake", {"verb": "detect", "activated": False, "missing": missing if missing is None else output.single_line(missing, 400)})
        elif missing is not None:
            output.talk(f"adlc: --intake names no file that can be read: {output.single_line(missing, 200) or '(nothing)'}")
        return NO
    path, inline = found.path, found.path is None
    if inline:
        place = os.path.dirname(request) if ours else workspace.create([workspace.INLINE])
        path = workspace.write(place, workspace.INLINE, (found.body + "\n").encode("utf-8", "surrogateescape"))
    if ours:
        workspace.remember(request, path)
    return _say_source(options, found, path, inline, detect.kind_of(found))


def _new_request(options, path: str) -> int:
    if options.json:
        output.document("intake", {"verb": "detect", "request": path})
    else:
        output.text([path])
    return OK


def _say_source(options, found, path: str, inline: bool, kind: str) -> int:
    if options.json:
        output.document("intake", {
            "verb": "detect", "activated": True, "reason": found.reason, "kind": kind, "inline": inline, "path": path,
            "name": _name(path), "rest": found.rest,
        })
    elif options.shell:
        # The stop keeps a line end that belongs to the path.
        output.text([f"{found.reason} {kind} {int(inline)} {path}."])
    else:
        output.text([f"intake {found.reason}", f"kind {kind}", f"source {_name(path)}", *([f"rest {output.single_line(found.rest, 2000)}"] if found.rest else [])])
    return OK


def _argument(request: str | None) -> str:
    from adlc import files
    from adlc.intake import detect, workspace

    try:
        if request is None:
            data = files.read_stdin(detect.MAX_ARGUMENT_BYTES)
        else:
            data = workspace.read(request, detect.MAX_ARGUMENT_BYTES)
    except Unreadable as exc:
        raise AdlcError("not_found", f"the request: {exc}", "adlc intake detect prints a path to write it to") from None
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _segment(options) -> int:
    from adlc.intake import segment, workspace

    given = os.path.abspath(options.source)
    parts = segment.split(workspace.source_of(given) or given)
    names = [workspace.CORPUS, *(f"{part.id}.txt" for part in parts.segments)]
    place = workspace.create(names)
    try:
        corpus = workspace.write(place, workspace.CORPUS, segment.corpus(parts).encode())
        rows = [
            {"id": part.id, "start": part.start, "end": part.end, "file": workspace.write(place, f"{part.id}.txt", segment.reading(part).encode())}
            for part in parts.segments
        ]
    except AdlcError:
        workspace.clean(os.path.join(place, workspace.CORPUS))
        raise
    if options.json:
        output.document("intake", {
            "verb": "segment", "name": parts.name, "kind": parts.kind, "lines": parts.lines, "segments": len(rows), "redacted": parts.redacted,
            "corpus": corpus, "ranges": rows,
        })
    elif options.shell:
        output.text([f"{len(rows)} {parts.lines} {corpus}"])
    else:
        output.text([
            f"source {parts.name}", f"kind {parts.kind}", f"lines {parts.lines}", f"segments {len(rows)}", f"redacted {parts.redacted}",
            f"corpus {corpus}", *(f"{row['id']} {row['start']}-{row['end']} {row['file']}" for row in rows),
        ])
    return OK


def _range(options) -> int:
    from adlc.intake import segment

    start, end = segment.range_of(options.number, options.total)
    if options.json:
        output.document("intake", {"verb": "range", "start": start, "end": end})
    else:
        output.text([f"{start} {end}"])
    return OK


def _redact(options) -> int:
    from adlc import files
    from adlc.intake import segment, workspace
    from adlc.telemetry.redact import redact

    name = None if options.file == "-" else os.path.abspath(options.file)
    if name is not None and not workspace.is_ours(name):
        raise AdlcError("usage", f"'{output.single_line(options.file, 120)}' is no file that intake made: it stays as it is", "adlc intake redact - filters standard input")
    try:
        data = files.read_stdin(segment.MAX_BYTES * 6) if name is None else workspace.read(name, segment.MAX_BYTES * 6)
        text, count = redact(data.decode("utf-8", "replace"), keep_lines=True)
        if name is not None and count:
            if not os.access(name, os.W_OK):
                raise Unreadable("not writable")
            files.atomic_write(name, text.encode(), 0o600)
    except (Unreadable, OSError) as exc:
        raise AdlcError("usage", f"cannot redact: {exc if isinstance(exc, Unreadable) else exc.strerror}") from None
    if options.json:
        output.document("intake", {"verb": "redact", "redacted": count, **({"text": text} if name is None else {})})
    elif name is None:
        output.text([text.removesuffix("\n")])
    return OK


def _sections(options) -> int:
    from adlc import project
    from adlc.intake import sections

    titles = sections.sections(project.root(options.root))
    if options.json:
        output.document("intake", {"verb": "sections", "sections": titles})
    else:
        output.text([output.single_line(title) for title in titles])
    return OK


def _announce(options) -> int:
    from adlc.delegate import protocol

    if not (options.count.isascii() and options.count.isdigit() and len(options.count) <= 4):
        raise AdlcError("usage", f"'{output.single_line(options.count, 40)}' is no number of gaps", "adlc intake announce 2")
    count = int(options.count)
    if count:
        output.talk(protocol.open_gaps_line(count))
    if options.json:
        output.document("intake", {"verb": "announce", "open": count})
    return OK


def _clean(options) -> int:
    from adlc.intake import workspace

    paths = [os.path.abspath(name) for name in options.files]
    removed = [path for path in paths if workspace.is_ours(path)]
    for path in removed:
        workspace.clean(path)
    if options.json:
        output.document("intake", {"verb": "clean", "removed": removed, "kept": [path for path in paths if path not in removed]})
    return OK


def _name(path: str) -> str:
    from adlc.intake import segment

    return segment.shown_name(path)
