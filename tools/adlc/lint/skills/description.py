"""The description decides when a skill is used, so it is there and short enough to be shown whole."""

# Claude Code 2.1 shows this much of it in /skills. The Agent Skills format allows the other.
SHOWN, ALLOWED = 250, 1024


def check(page, tree):
    if page.kind != "skill" or not page.fields:
        return
    text = page.fields.get("description")
    if "description" not in page.fields:
        yield 1, "there is no description"
    elif isinstance(text, str) and len(text) > ALLOWED:
        yield page.key_line("description"), f"the description has {len(text)} characters; the format allows {ALLOWED}"
    elif isinstance(text, str) and len(text) > SHOWN:
        yield page.key_line("description"), f"the description has {len(text)} characters; /skills shows {SHOWN}"
