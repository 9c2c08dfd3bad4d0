"""Have the delegate read documents, when the user allowed it, and judge what it sends back."""

from adlc import checkout, output
from adlc.delegate import protocol
from adlc.errors import OK, AdlcError
from adlc.intake import kinds

EXAMPLES = [
    ('adlc delegate read --flag FLAG --paths .adlc/bugs/BUG-001-x.md --question "What was the cause?"', "one delegated read, judged"),
]


def arguments(parser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    read = verbs.add_parser("read", help="one delegated read of /spec", allow_abbrev=False)
    read.add_argument("--flag", required=True, metavar="F", help="the step's flag, from adlc flag create")
    read.add_argument("--paths", required=True, nargs="+", metavar="PATH", help="documents to read")
    read.add_argument("--question", metavar="TEXT", help="default: the question of the step")
    read.add_argument("--expected", nargs="+", metavar="ID", help="ids that must be covered (default: those of --paths, or of --segments)")
    read.add_argument("--step", choices=protocol.STEPS, default="Step-1.6", help="which step asks (default Step-1.6)")
    read.add_argument("--segments", type=int, metavar="N", help="Step-1.4: how many segments the source has")
    read.add_argument("--kind", default="prose", choices=kinds.KINDS, help="Step-1.4: the kind of source")
    read.add_argument("--max-tokens", type=int, metavar="N", help="longest answer")
    read.add_argument("--json", action="store_true", help="print one JSON document")
    # What bin/adlc-read calls.
    reader = verbs.add_parser("reader", allow_abbrev=False)
    reader.add_argument("words", nargs="...")


def run(options) -> int:
    if options.verb == "reader":
        from adlc.delegate import reader

        return reader.main(options.words[1:] if options.words[:1] == ["--"] else options.words)
    return _read(options)


def _read(options) -> int:
    from adlc.delegate import call, documents, proposal
    from adlc.intake.segment import MAX_SEGMENTS

    if options.max_tokens is not None and options.max_tokens < 1:
        raise AdlcError("usage", f"--max-tokens {options.max_tokens}: must be 1 or more")
    if options.segments is not None and not 1 <= options.segments <= MAX_SEGMENTS:
        raise AdlcError("usage", f"--segments {options.segments}: must be from 1 to {MAX_SEGMENTS}")
    root = checkout.here()
    segments = (options.segments or 0) if options.step == "Step-1.4" else 0
    question = options.question or protocol.question(options.step)
    if options.expected:
        expected = options.expected
    elif segments:
        expected = protocol.expected_segments(segments)
    else:
        try:
            expected = [item.id for item in documents.load(options.paths, root)[0]]
        except AdlcError:
            expected = []  # the reader refuses the same documents, and that is a call to be recorded
    count = segments or len(options.paths)
    try:
        text = call.read(options.flag, options.paths, question, options.step, count, options.kind, options.max_tokens, output.talk)
    except call.Refused as exc:
        # The protocol's own line, without a prefix.
        if options.json:
            raise
        output.talk(exc.message)
        return exc.exit_code
    except AdlcError as exc:
        if options.json or exc.kind == "usage":
            raise
        return exc.exit_code
    found = proposal.assess(text, expected, root)
    if options.json:
        output.document("delegate", {"proposal": proposal.frame(text), **found})
    else:
        output.text([proposal.frame(text), *proposal.assessment_lines(found)])
    return OK
