"""Bring everything that is derived up to date: the index of adlc context, and agents rendered before."""

from adlc import output, project
from adlc.commands import index
from adlc.commands.materialize import lines
from adlc.errors import OK
from adlc.harness import materialize, plan

EXAMPLES = [
    ("adlc update", "build the index, refresh rendered agents"),
    ("adlc update --quiet", "say nothing unless it fails"),
]


def arguments(parser) -> None:
    parser.add_argument("--quiet", action="store_true", help="say nothing unless it fails")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    root = project.root(options.root)
    built = index.rebuild(root, options.json or options.quiet)
    outcomes = [materialize.refresh(root), materialize.refresh(None)]
    if options.json:
        output.document("update", {"index": built.as_json([]), "agents": [row for outcome in outcomes for row in outcome.rows()]})
    elif not options.quiet:
        output.text([built.line()])
        built.tell_skipped()
        for outcome in outcomes:
            outcome.steps = [step for step in outcome.steps if step.action in plan.DRIFT]
            output.text(lines(outcome))
    return OK
