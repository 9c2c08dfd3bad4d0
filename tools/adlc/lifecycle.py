"""The status words that skills declare in marker blocks: the one source of what retrieval leaves out.

A block opens with `<!-- KIND: NAME -->` and closes with `<!-- /KIND -->`, both at the start of a line
and outside code fences; its bullets name a status in backticks. Blocks of one kind in a file are united.
"""

import os
import re

from adlc.corpus.markdown import FENCE
from adlc.errors import AdlcError

_BULLET = re.compile(r"[-*•][ \t]+`?([\w-]+)`?")
HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPEC_SKILL = os.path.join(HOME, "skills", "spec", "SKILL.md")


def block(text: str, kind: str, name: str) -> list[str] | None:
    """The statuses of the blocks `kind: name`, in order.

    None when there is no such block, or one that does not close (not the same as []): what is in it is unknown.
    """
    found, inside, fence = None, False, ""
    for line in text.split("\n"):
        match = FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif fence:
            if match and match[1].startswith(fence) and not line[match.end():].strip():
                fence = ""
        elif line.rstrip() == f"<!-- {kind}: {name} -->":
            found, inside = found or [], True
        elif line.rstrip() == f"<!-- /{kind} -->":
            inside = False
        elif inside and (bullet := _BULLET.match(line)):
            found.append(bullet[1].casefold())
    return None if inside else found


def spec_exclusions(skill: str = SPEC_SKILL) -> list[str]:
    """Statuses of specs that are not prior art. Raises AdlcError skill_block_missing."""
    fix = "reinstall adlc, or restore skills/spec/SKILL.md from its repository"
    try:
        with open(skill, encoding="utf-8") as handle:
            statuses = block(handle.read(), "retrieval-status", "spec-exclude")
    except (OSError, UnicodeDecodeError):
        raise AdlcError("skill_block_missing", f"{skill} cannot be read, so which specs to leave out is unknown", fix) from None
    if not statuses:
        what = "has no complete" if statuses is None else "has an empty"
        raise AdlcError("skill_block_missing", f"{skill} {what} block 'retrieval-status: spec-exclude'", fix)
    return statuses
