"""Find what is wrong in documents and skills, as file:line: check: message. Exit 1 when there is something, or nothing to look at."""

from adlc import output
from adlc.errors import NO, OK

EXAMPLES = [
    ("adlc lint specs", "all documents"),
    ("adlc lint specs .adlc/bugs", "those below one directory"),
    ("adlc lint skills", "every skill and agent of the repository"),
]


def arguments(parser) -> None:
    verbs = parser.add_subparsers(dest="target", required=True, metavar="TARGET", parser_class=type(parser), prog=parser.prog)
    text = "Check requirements, bugs and lessons."
    specs = verbs.add_parser("specs", help=text, description=text, allow_abbrev=False)
    specs.add_argument("path", metavar="PATH", nargs="?", help="one document or directory; default: all")
    specs.add_argument("--json", action="store_true", help="print one JSON document")
    specs.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")
    specs.set_defaults(act=_specs)
    text = "Check skills, agents and the shell blocks in them: of a plugin, of a project's .claude, of any directory."
    skills = verbs.add_parser("skills", help=text, description=text, allow_abbrev=False)
    skills.add_argument("path", metavar="PATH", nargs="?", help="one file or directory; default: the whole repository")
    skills.add_argument("--json", action="store_true", help="print one JSON document")
    skills.set_defaults(act=_skills)


def run(options) -> int:
    return options.act(options)


def _specs(options) -> int:
    from adlc.lint.specs import place
    from adlc.lint.specs.run import run as specs

    root, below = place.find(options.path, options.root)
    examined, findings = specs(root, below) if root else (0, [])
    code = _answer("specs", "document", examined, findings, options.json)
    if not examined and not options.json:
        output.talk(f"adlc: nothing was checked: there is no requirement, bug or lesson of .adlc in {options.path or root}")
    return code


def _skills(options) -> int:
    from adlc.lint.skills import place
    from adlc.lint.skills.run import run as skills

    where = place.find(options.path)
    examined, findings = skills(where)
    code = _answer("skills", "file", examined, findings, options.json)
    if not examined and not options.json:
        output.talk(f"adlc: nothing was checked: there is no SKILL.md and no agent in {options.path or where.root}")
    return code


def _answer(target: str, noun: str, examined: int, findings: list, as_json: bool) -> int:
    outcome = "nothing" if not examined else "findings" if findings else "clean"
    if as_json:
        output.document("lint", {
            "target": target, "outcome": outcome, "examined": examined, "findings": [_shown(finding) for finding in findings],
        })
    else:
        output.text([output.single_line(str(finding)) for finding in findings])
        output.talk(f"adlc: {examined} {noun}{'s'[:examined != 1]} examined, {len(findings)} finding{'s'[:len(findings) != 1]}")
    return OK if outcome == "clean" else NO


def _shown(finding) -> dict:
    return finding.as_json() | {"message": output.single_line(finding.message)}
