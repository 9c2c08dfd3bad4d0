"""Every code block is closed, by the line that is meant to, and so is what shell code opens."""


def check(page, tree):
    if page.kind != "partial":
        for fence in page.fences:
            if fence.nested and "`" in fence.mark:
                yield fence.nested[0] + 1, f"this opens nothing: the block of line {fence.start + 1} is still open, and its next fence ends it; give the outer one more backticks"
                return  # from here on inside and outside are exchanged
            if not fence.closed:
                yield fence.start + 1, "this block is not closed"
    for fence in page.shells:
        for line, opened in dict.fromkeys(fence.shell.unclosed):
            yield fence.first + line + 1, f"{opened} is not closed in this block"
