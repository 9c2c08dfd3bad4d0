"""The sections of a requirement that a source must answer: the template's, without those that intake fills itself."""

import os

from adlc import files
from adlc.corpus import markdown
from adlc.errors import AdlcError
from adlc.lifecycle import HOME
from adlc.places import home

NOT_ASKED = ("Description", "Assumptions", "Open Questions", "Retrieved Context", "Provenance")
_NAME = "requirement-template.md"


def sections(root: str) -> list[str]:
    """Titles of the level-2 headings, in order, from the first template there is: the project's, ours, the installed one.

    Raises AdlcError not_found without any.
    """
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home(), ".claude")
    for place in (os.path.join(root, ".adlc/templates"), os.path.join(HOME, "templates"), os.path.join(config, "skills/templates")):
        try:
            text, _ = files.read_document(os.path.join(place, _NAME))
        except files.Unreadable:
            continue
        return _asked(text)
    raise AdlcError("not_found", f"there is no {_NAME}", "adlc init gives the project one")


def _asked(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[:1] == ["---"] and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1:]
    titles = [section.title for section in markdown.sections(markdown.visible(lines)) if section.level == 2]
    return [title for title in dict.fromkeys(titles) if title not in NOT_ASKED]
