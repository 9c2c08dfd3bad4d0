"""No block reads a variable that another one set: each is run by a shell of its own, and exports end with it."""

# What a shell has without anybody's doing.
INHERITED = frozenset((
    "HOME", "PATH", "PWD", "OLDPWD", "TMPDIR", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TERM", "EDITOR", "PAGER", "IFS", "OPTARG", "OPTIND",
    "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "HOSTNAME", "COLUMNS", "LINES",
))


def check(page, tree):
    if page.kind not in ("skill", "page", "agent"):
        return
    set_in: dict[str, object] = {}
    for fence in page.shells:
        if fence.script:
            continue
        shell, said = fence.shell, set()
        ends: dict[str, int] = {}
        for name, _, at in shell.assigned:
            ends[name] = min(at, ends.get(name, at))
        unknown = min((command.at for command in shell.commands if _sets_unseen(command)), default=len(fence.code))
        for read in sorted(shell.reads, key=lambda read: read.at):
            name = read.name
            if read.at >= unknown:
                break
            if name in INHERITED or name in said or name not in set_in or ends.get(name, len(fence.code) + 1) <= read.at:
                continue
            if read.operator and _same_default(name, read, fence, set_in[name]):
                continue
            said.add(name)
            yield fence.first + read.line + 1, (
                f"${name} was set in the block of line {set_in[name].start + 1}, whose shell is gone; print it there and write its value here"
            )
        for name in ends:
            set_in[name] = fence


def _sets_unseen(command) -> bool:
    """Whether the command may set any variable: what it evaluates, or reads from a file, is not known here."""
    if command.name == "eval":
        return True
    return command.name in (".", "source") and not any("partials" in word.text for word in command.words[1:2])


def _same_default(name: str, read, fence, earlier) -> bool:
    """Whether both blocks give the variable the same default, so that nothing is lost between them."""
    return any(name == other.name and other.operator == read.operator for other in earlier.shell.reads)
