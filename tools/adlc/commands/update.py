"""Bring everything that is derived from the documents up to date: the index of adlc context."""

from adlc import output, project
from adlc.commands import index
from adlc.errors import OK


def arguments(parser) -> None:
    parser.add_argument("--quiet", action="store_true", help="say nothing unless it fails")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    root = project.root(options.root)
    built = index.rebuild(root, options, options.json or options.quiet)
    if options.json:
        output.document("update", {"index": built.as_json([])})
    elif not options.quiet:
        output.text([built.line()])
        built.tell_skipped()
    return OK
