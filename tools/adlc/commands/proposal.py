"""Frame and check what a delegate sent back. The text comes from standard input or --file."""


from adlc import files, output, project
from adlc.delegate import proposal
from adlc.errors import OK, AdlcError

MAX_BYTES = 8 * 1024 * 1024
EXAMPLES = [
    ("adlc proposal check --expected REQ-001 BUG-002 --file answer.txt", "what is covered, which citations hold"),
    ("adlc proposal frame --file answer.txt", "between its two marker lines"),
]


def arguments(parser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    frame = verbs.add_parser("frame", help="put the text between its two marker lines", allow_abbrev=False)
    check = verbs.add_parser("check", help="tell which ids are covered and which citations hold", allow_abbrev=False)
    check.add_argument("--expected", required=True, nargs="+", metavar="ID", help="ids that were asked about")
    check.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")
    for verb in (frame, check):
        verb.add_argument("--file", metavar="FILE", help="read the text from here")
        verb.add_argument("--json", action="store_true", help="print one JSON document")


def run(options) -> int:
    if options.verb == "frame":
        framed = proposal.frame(_text(options.file))
        if options.json:
            output.document("proposal", {"verb": "frame", "proposal": framed})
        else:
            output.text([framed])
        return OK
    root = project.root(options.root)
    found = proposal.assess(_text(options.file), options.expected, root)
    if options.json:
        output.document("proposal", {"verb": "check", **found})
    else:
        output.text([f"covered: {output.single_line(', '.join(found['covered']), 2000) or 'none'}", *proposal.assessment_lines(found)])
    return OK


def _text(file: str | None) -> str:
    try:
        if file is None:
            return files.read_stdin(MAX_BYTES).decode("utf-8", "replace")
        with open(files.opened(file, follow=True), "rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except files.Unreadable as exc:
        raise AdlcError("usage", f"the text cannot be read: {exc}", "pass it on standard input, or --file FILE") from None
    except OSError as exc:
        raise AdlcError("not_found", f"--file: {(exc.strerror or 'cannot be read').lower()}", "pass an existing file") from None
    if len(data) > MAX_BYTES:
        raise AdlcError("usage", f"the text is larger than {MAX_BYTES // 1048576} MiB")
    return data.decode("utf-8", "replace")
