"""Decides, path by path, what an installation does; reads only."""

import os
import shlex

from adlc import files
from adlc.installation import delegation, manifest, shells, source, states
from adlc.installation.steps import Step


class Options:
    """home, claude: absolute directories. root: the checkout. prefix: "" or absolute. delegation, repair: bool."""

    def __init__(self, home: str, claude: str, root: str, prefix: str = "", delegation: bool = False, repair: bool = False):
        self.home, self.claude, self.root, self.prefix = home, claude, root, prefix
        self.delegation, self.repair = delegation, repair


class Plan:
    """steps, in order. refused: (path, what is there, what to do). notes: lines for people. start: the PATH line on offer."""

    def __init__(self, record: manifest.Manifest):
        self.record, self.steps, self.refused, self.notes = record, [], [], []
        self.start: shells.StartFile | None = None
        self.owned: dict[str, dict] = {}
        self.after: manifest.Manifest | None = None

    def make(self, path: str, before: dict | None, after: dict, says: str) -> None:
        self.steps.append(Step(path, before, after, says))
        self.owned[path] = manifest.record(path, after)

    def refuse(self, path: str, what: str, fix: str) -> None:
        self.refused.append((path, what, fix))


def install(options: Options, record: manifest.Manifest) -> Plan:
    """The plan for what `options` ask, given the record of the installation there is."""
    plan = Plan(record)
    folder = bin_folder(options, record)
    reader = states.observe(os.path.join(folder, "adlc-read"))
    with_reader = options.delegation or record.delegation or options.repair and reader == {"link": os.path.join(options.root, "bin/adlc-read")}
    skills = os.path.join(options.claude, "skills")
    if _usable(plan, skills) and _outside(plan, skills, options.root):
        _folders(plan, skills)
        for name in source.skills(options.root):
            _link(plan, options, os.path.join(skills, name), f"skills/{name}")
        linked = {os.path.basename(step.path) for step in plan.steps if "link" in (step.after or {}) and step.before is None}
        plan.notes += filter(None, [source.covers(linked)])
        for name in ("partials", "tools"):
            _link(plan, options, os.path.join(skills, name), name)
    if _usable(plan, folder):
        _folders(plan, folder)
        _program(plan, options, os.path.join(folder, "adlc"), "bin/adlc")
        if with_reader:
            _program(plan, options, os.path.join(folder, "adlc-read"), "bin/adlc-read")
    home_bin = os.path.join(options.home, "bin")
    if with_reader and not os.path.realpath(folder) == os.path.realpath(home_bin) and _usable(plan, home_bin):
        # Where the gate looks when a session was started without the user's PATH.
        _folders(plan, home_bin)
        _program(plan, options, os.path.join(home_bin, "adlc-read"), "bin/adlc-read")
    if with_reader:
        _configuration(plan, options, delegation.config_path())
    _start_file(plan, options, folder)
    _no_longer_wanted(plan)
    _record(plan, options, folder, with_reader)
    return plan


def bin_folder(options: Options, record: manifest.Manifest) -> str:
    """Where `adlc` is linked: as asked, as before, on the PATH, there, or ~/.local/bin."""
    if options.prefix:
        return os.path.join(options.prefix, "bin")
    if record.bin:
        return record.bin
    usual = [os.path.join(options.home, name) for name in (".local/bin", "bin")]
    for fits in (lambda folder: shells.on_path(folder) and os.path.isdir(folder), os.path.isdir):
        for folder in usual:
            if fits(folder):
                return folder
    return usual[0]


def _usable(plan: Plan, folder: str) -> bool:
    """Whether a directory is one or can become one."""
    at = next(up for up in files.upwards(folder) if os.path.lexists(up))
    if os.path.isdir(at):
        return True
    what = "a link that leads nowhere" if os.path.islink(at) else "not a directory"
    plan.refuse(at, what, f"move it away: mv {shlex.quote(at)} {shlex.quote(_free(at))}")
    return False


def _outside(plan: Plan, skills: str, root: str) -> bool:
    """A skills directory that is a link into the checkout itself must not be filled."""
    real = os.path.realpath(skills)
    if real != root and not real.startswith(root + os.sep):
        return True
    plan.refuse(skills, "a link into the checkout itself", f"remove the link: rm {shlex.quote(skills)}")
    return False


def _folders(plan: Plan, folder: str) -> None:
    for path in files.missing_folders(folder):
        if path not in plan.owned:
            plan.make(path, None, {"folder": True}, "made")
    _keep_folders(plan, folder)


def _keep_folders(plan: Plan, folder: str) -> None:
    for up in files.upwards(folder):
        entry = plan.record.owned.get(up)
        if entry and "folder" in entry and up not in plan.owned:
            plan.owned[up] = entry


def _program(plan: Plan, options: Options, path: str, name: str) -> None:
    target = os.path.join(options.root, name)
    if os.access(target, os.X_OK):
        _link(plan, options, path, name)
        return
    # Some ways of copying lose the executable bits: then a file of ours has them instead.
    quoted = "'" + target.replace("'", "'\\''") + "'"
    _place(plan, options, path, {"file": f'#!/bin/sh\nexec /bin/sh {quoted} "$@"\n', "mode": 0o755}, name, f"wrapper for {target} (not executable)")


def _link(plan: Plan, options: Options, path: str, name: str) -> None:
    target = os.path.join(options.root, name)
    _place(plan, options, path, {"link": target}, name, f"link to {target}")


def _place(plan: Plan, options: Options, path: str, after: dict, name: str, says: str) -> None:
    here = states.observe(path)
    if states.same(here, after):
        # Recorded: ours. Else the user's own, which does what is needed and stays theirs; unless the
        # record was lost.
        if path in plan.record.owned or options.repair:
            plan.owned[path] = manifest.record(path, after)
    elif here is None:
        plan.make(path, None, after, says)
    elif plan.record.owns(path):
        plan.make(path, here, after, f"{says}, instead of {_what(here)},")
    elif os.path.exists(path) and os.path.realpath(path) == os.path.realpath(os.path.join(options.root, name)):
        plan.notes.append(f"{path}: leads here already, by a link of yours")
    elif "link" in here and source.is_checkout_of(os.path.join(os.path.dirname(path), here["link"]), name):
        if options.repair:
            plan.make(path, here, after, f"{says}, instead of {_what(here)},")
        else:
            plan.refuse(path, f"{_what(here)}, another adlc or one that is gone", "to point it here: ./install.sh --repair")
    else:
        plan.refuse(path, f"{_what(here)} that is not adlc's", f"{_away(path)}; or use the plugin, whose skills are /adlc:NAME")


def _configuration(plan: Plan, options: Options, path: str) -> None:
    after = {"file": delegation.CONFIG, "mode": 0o600}
    if plan.record.owns(path) or options.repair and states.is_at(path, after):
        plan.owned[path] = manifest.record(path, states.observe(path))
        _keep_folders(plan, os.path.dirname(path))
    elif os.path.lexists(path):
        plan.notes.append(f"{path}: there already, left as it is")
    elif _usable(plan, os.path.dirname(path)):
        _folders(plan, os.path.dirname(path))
        plan.make(path, None, after, "written, with `enabled: false`,")


def _start_file(plan: Plan, options: Options, folder: str) -> None:
    for path, entry in plan.record.owned.items():
        if "block" in entry and plan.record.owns(path):
            _keep_folders(plan, os.path.dirname(path))
            plan.owned[path] = entry
            block = shells.block(path, folder, after=entry["block"])
            if block != entry["block"]:
                plan.make(path, block_state(entry), {**block_state(entry), "block": block}, "PATH line changed in")
            return
    shell = shells.login_shell()
    start = shells.start_file(options.home, folder, shell)
    if options.repair and start and states.has_block(start.path, start.text):
        plan.owned[start.path] = {"path": start.path, "block": start.text}
        return
    if shells.on_path(folder):
        return
    plan.start = start
    if ":" in folder:
        plan.notes.append(f"{folder} cannot be on a PATH, because of its colon; choose another with --prefix")
        plan.start = None
    elif plan.start is None:
        plan.notes.append(f"{folder} is not on your PATH, and the start file of '{shell}' is not known here; add it there")
    elif plan.start.why:
        plan.notes.append(f"{folder} is not on your PATH; {plan.start.path} is left alone ({plan.start.why}); add to it: {plan.start.line}")
        plan.start = None


def add_to_path(plan: Plan) -> None:
    """The user consents to the PATH line; the plan's last step writes the record and stays the last."""
    start, last = plan.start, plan.steps.pop()
    _folders(plan, os.path.dirname(start.path))
    created = not os.path.lexists(os.path.realpath(start.path))
    after = {"block": start.text, **({"created": True} if created else {})}
    plan.make(start.path, None, after, "PATH line added to")
    plan.start = None
    plan.notes.append(f"in effect in new shells; in this one: {start.line}")
    plan.steps.append(last)


def _no_longer_wanted(plan: Plan) -> None:
    for path, entry in plan.record.owned.items():
        if path in plan.owned or "folder" in entry or any(path == refused for refused, _, _ in plan.refused):
            continue
        if plan.record.owns(path):
            before = block_state(entry) if "block" in entry else states.observe(path)
            plan.steps.append(Step(path, before, None, "no longer wanted, removed"))
    for path, entry in plan.record.owned.items():
        if "folder" in entry and path not in plan.owned:
            plan.owned[path] = entry


def _record(plan: Plan, options: Options, folder: str, delegated: bool) -> None:
    """The step that writes the record. It is rendered when it is taken, after the user has been asked."""
    path = plan.record.path
    if not _usable(plan, os.path.dirname(path)):
        return
    _folders(plan, os.path.dirname(path))
    plan.after = manifest.Manifest(path, {
        "checkout": options.root, "bin": folder, "delegation": delegated, "owned": [],
    })
    plan.steps.append(Step(path, states.observe(path), None, "record of all this"))


def finish(plan: Plan, later: list[str]) -> None:
    """Complete the record: what is owned now, and the missing directories that adlc will make while it works."""
    last = plan.steps[-1]
    plan.after.owned = dict(sorted(plan.owned.items(), key=lambda item: (item[0].count(os.sep), item[0])))
    plan.after.later = sorted({*plan.record.later, *later} - plan.owned.keys())
    last.after = {"file": plan.after.render(), "mode": 0o644}
    if states.same(last.before, last.after):
        plan.steps.pop()


def block_state(entry: dict) -> dict:
    """The state that the record of a block stands for."""
    return {key: entry[key] for key in ("block", "created") if key in entry}


def _away(path: str) -> str:
    """How to move something out of the way: one directory up, where Claude Code does not take it for a skill."""
    folder, name = os.path.split(path)
    return f"move it away: mv {shlex.quote(path)} {shlex.quote(_free(os.path.join(os.path.dirname(folder), name)))}"


def _free(path: str) -> str:
    """A name beside `path` that nothing has."""
    path += ".yours"
    while os.path.lexists(path):
        path += ".yours"
    return path


def _what(state: dict) -> str:
    if "link" in state:
        return f"a link to {state['link']}"
    return state.get("other") or ("a directory" if "folder" in state else "a file")
