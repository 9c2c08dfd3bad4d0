"""Find what is wrong in the documents, as file:line: check: message. Exit 1 when there is something, or nothing to look at."""

import os

from adlc import output, project
from adlc.errors import NO, OK, AdlcError


def arguments(parser) -> None:
    verbs = parser.add_subparsers(dest="target", required=True, metavar="TARGET", parser_class=type(parser), prog=parser.prog)
    text = "Check requirements, bugs and lessons."
    specs = verbs.add_parser("specs", help=text, description=text, allow_abbrev=False)
    specs.add_argument("path", metavar="PATH", nargs="?", help="one document or directory; default: all")
    specs.add_argument("--json", action="store_true", help="print one JSON document")
    specs.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")
    specs.set_defaults(act=_specs)


def run(options) -> int:
    return options.act(options)


def _specs(options) -> int:
    from adlc.lint.specs import run as specs

    root, below = _place(options)
    examined, findings = specs.run(root, below) if root else (0, [])
    outcome = "nothing" if not examined else "findings" if findings else "clean"
    if options.json:
        output.document("lint", {
            "target": "specs", "outcome": outcome, "examined": examined,
            "findings": [_shown(finding) for finding in findings],
        })
    else:
        output.text([output.single_line(str(finding)) for finding in findings])
        output.talk(f"adlc: {examined} document{'s'[:examined != 1]} examined, {len(findings)} finding{'s'[:len(findings) != 1]}")
    return OK if outcome == "clean" else NO


def _shown(finding) -> dict:
    return finding.as_json() | {"message": output.single_line(finding.message)}


def _place(options) -> tuple[str | None, str]:
    """-> (root, root-relative path below it or ""); no root when PATH lies in none. Raises AdlcError."""
    if options.path is None:
        return project.root(options.root), ""
    if not os.path.lexists(options.path):
        raise AdlcError("not_found", f"{options.path}: no such file or directory", "pass a document or a directory")
    path = os.path.realpath(options.path)
    if options.root is None:
        root = project.find_root(path if os.path.isdir(path) else os.path.dirname(path))
        if root is None:
            return None, ""
    else:
        root = project.root(options.root)
    below = os.path.relpath(path, root)
    if below.split(os.sep)[0] == os.pardir:
        raise AdlcError("usage", f"{options.path} is not below {root}", "pass a path inside the root")
    return root, "" if below == os.curdir else below.replace(os.sep, "/")
