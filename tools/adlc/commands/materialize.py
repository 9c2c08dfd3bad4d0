"""Render spec-scout, the agent that finds the governing spec, for the coding harnesses in use.

A harness without sub-agents gets the skill consult instead, under .agents/skills.
Nothing that somebody else wrote or edited is overwritten: ours goes beside it as .new. What is rendered is
ignored by git in this clone. --check changes nothing and exits 1 when something is not as it should be.
"""

from adlc import output, project
from adlc.errors import NO, OK, AdlcError
from adlc.harness import adapters, materialize

EXAMPLES = [
    ("adlc materialize", "for the harnesses in use here"),
    ("adlc materialize --harness codex,qwen", "for these"),
    ("adlc materialize --user", "for you, in every project"),
    ("adlc materialize --check", "exit code 1 when something differs; for CI"),
    ("adlc materialize --remove", "take all of it away"),
]


def arguments(parser) -> None:
    parser.add_argument("--harness", metavar="A,B|all", help="these; default: those that the project or its configuration shows in use").complete = (*adapters.ALL, "all")
    parser.add_argument("--user", action="store_true", help="for this user, in every project, instead of for the project")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something differs")
    parser.add_argument("--remove", action="store_true", help="take away what was rendered")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, only say what would be done")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    if options.user and options.root:
        raise AdlcError("usage", "--user and --root exclude each other", "see: adlc materialize --help")
    if options.check and options.remove:
        raise AdlcError("usage", "--check and --remove exclude each other", "see: adlc materialize --help")
    root = None if options.user else project.root(options.root)
    chosen = None if options.harness is None else materialize.names(options.harness)
    write = not options.check and not options.dry_run
    outcome = (materialize.remove if options.remove else materialize.render)(root, chosen, write)
    if options.json:
        output.document("materialize", {
            "level": "user" if root is None else "project", "root": root, "dryRun": not write,
            "agents": outcome.rows(), "exclude": outcome.exclude, "drift": outcome.drifted,
        })
    else:
        output.text(lines(outcome) or [_nothing(options)])
        if not write and not options.check:
            output.talk("adlc: nothing was written (--dry-run)")
    return NO if options.check and outcome.drifted else OK


def lines(outcome: materialize.Outcome) -> list[str]:
    """One line a step, for people."""
    found = []
    for step in outcome.steps:
        title = adapters.get(step.harness).NAME
        what = output.single_line(step.path or title)
        note = f"{title}: {step.note}" if step.path and step.note else step.note or title
        found.append(f"{step.action:9}  {what}  ({output.single_line(note)})")
    if outcome.exclude == "refused":
        found.append("refused    .git/info/exclude  (a symbolic link, or in its way: nothing is ignored through it)")
    return found


def _nothing(options) -> str:
    if options.remove:
        return "nothing was rendered here"
    return "no harness is in use here: name one with --harness, or all"
