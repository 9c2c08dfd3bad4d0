"""No block calls a function that only another one defines: it is gone with that block's shell."""


def check(page, tree):
    if page.kind not in ("skill", "page", "agent"):
        return
    shells = [fence for fence in page.shells if not fence.script]
    defined: dict[str, int] = {}
    for fence in shells:
        for name, line, _ in fence.shell.functions:
            defined.setdefault(name, fence.first + line + 1)
    for fence in shells:
        own = {name for name, _, _ in fence.shell.functions}
        for command in fence.shell.commands:
            if command.name in (".", "source"):
                break  # it may come from that file
            if command.name in defined and command.name not in own:
                yield fence.first + command.line + 1, (
                    f"{command.name} is defined in another block (line {defined[command.name]}), whose shell is gone; define it here too"
                )
