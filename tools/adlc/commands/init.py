"""Give a project its .adlc directory, or bring one up to date. Edited files are kept; ours goes beside them as .new."""

import os

from adlc import output
from adlc.errors import OK, AdlcError
from adlc.scaffold import onboarding, permission, place, scaffold

EXAMPLES = [
    ("adlc init --dry-run", "what would be written"),
    ("adlc init --onboard CLAUDE.md --allow", "set up, tell agents, let Claude Code run adlc"),
    ("adlc init --refresh", "take over templates and partials of this version"),
]


def arguments(parser) -> None:
    parser.add_argument("--refresh", action="store_true", help="replace templates and partials that an older adlc wrote and nobody edited")
    parser.add_argument("--dry-run", action="store_true", help="change nothing, only say what would be done")
    parser.add_argument("--onboard", action="append", default=[], choices=onboarding.FILES, help="also tell agents about adlc in this file; repeatable")
    parser.add_argument("--allow", action="store_true", help=f"also let Claude Code run {permission.RULE} without asking ({permission.FILE})")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project; default: the nearest directory above with an .adlc or .git, else this one")


def run(options) -> int:
    root = place.root(options.root)
    try:
        actions = scaffold.plan(root, options.refresh)
    except OSError as exc:
        raise AdlcError("environment_missing", f"this installation of adlc is not complete: {exc.filename}", "reinstall adlc") from None
    actions += [onboarding.plan(root, name) for name in dict.fromkeys(options.onboard)]
    actions += [permission.plan(root)] if options.allow else []
    if not options.dry_run:
        scaffold.apply(root, actions)
    offers = _offers(root, options)
    if options.json:
        output.document("init", {
            "root": root, "dryRun": options.dry_run,
            "files": [{"path": a.path, "action": a.action, "note": a.note} for a in actions], "offers": offers,
        })
    else:
        if root != os.path.realpath(os.curdir):
            output.talk(f"adlc: in {root}")
        output.text(_lines(actions, options.dry_run))
        for offer in offers:
            output.talk(f"adlc: {offer['what']}: {offer['command']}")
    return OK


def _offers(root: str, options) -> list[dict]:
    """What init did not do because nobody asked for it."""
    offers = []
    if not options.onboard and not onboarding.present(root):
        offers.append({"what": "to tell agents about adlc", "command": f"adlc init --onboard {onboarding.suggested(root)}"})
    if not options.allow and not permission.present(root):
        offers.append({"what": "to let Claude Code run adlc without asking", "command": "adlc init --allow"})
    return offers


def _lines(actions: list, dry_run: bool) -> list[str]:
    shown = [a for a in actions if a.action != "unchanged"]
    lines = [f"{a.action:9}  {a.path}" + (f"  ({a.note})" if a.note else "") for a in shown]
    same = len(actions) - len(shown)
    if same:
        lines.append(f"unchanged  {same} file{'s'[:same != 1]}")
    return lines + (["nothing was written (--dry-run)"] if dry_run else [])
