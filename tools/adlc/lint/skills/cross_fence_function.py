"""No block calls a function that only another one defines: it is gone with that block's shell."""


def check(page, tree):
    if page.kind not in ("skill", "page", "agent"):
        return
    shells = [fence for fence in page.shells if not fence.script]
    for fence in shells:
        own = {name for name, _, _ in fence.shell.functions}
        for command in fence.shell.commands:
            if command.name in (".", "source"):
                break  # it may come from that file
            definition = next((
                (other, line) for other in shells if other is not fence for name, line, _ in other.shell.functions if name == command.name
            ), None)
            if definition and command.name not in own:
                other, line = definition
                yield fence.first + command.line + 1, (
                    f"{command.name} is defined in another block (line {other.first + line + 1}), whose shell is gone; define it here too"
                )
