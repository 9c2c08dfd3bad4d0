"""A skill and an agent begin with frontmatter that is strict YAML: what a client cannot read it drops without a word.

Claude Code forgives an unquoted colon; others do not.
"""

import posixpath

from adlc.lint.skills.page import strict


def check(page, tree):
    if page.kind not in ("skill", "agent"):
        return
    if page.kind == "skill" and posixpath.basename(page.path) != "SKILL.md":
        yield 1, "a skill's file is called SKILL.md; where case counts, this one is not found"
    if page.marked:
        yield 1, "the file begins with a byte order mark, behind which clients see no frontmatter"
    if page.unclosed:
        yield 1, "the frontmatter has no closing ---"
    elif page.raw is None:
        first = next((n for n, line in enumerate(page.lines) if line.strip() == "---"), None)
        if first is not None and not any(line.strip() and not line.lstrip().startswith("<!--") for line in page.lines[:first]):
            yield 1, f"the frontmatter begins at line {first + 1}; clients look for it in line 1 only"
        else:
            yield 1, f"there is no frontmatter; {'an agent needs name and' if page.kind == 'agent' else 'a skill needs a'} description"
    else:
        fields, faults = strict(page.raw)
        yield from ((line + 2, message) for line, message in faults)
        for number, line in enumerate(page.raw.split("\n")):
            if "---" in line:  # Claude Code takes the first --- for the end, wherever it stands.
                yield number + 2, "--- within a value ends the frontmatter, and what stands behind it is lost; write — or --"
                break
        for key in ("name", "description"):
            if key in fields and not (isinstance(fields[key], str) and fields[key].strip()):
                yield page.key_line(key), f"{key} is {'empty' if not fields[key] else 'no text'}"
