"""spec-pointer, when a session starts: where the specs are, how many, and the command to ask."""

import re

from adlc import output, project
from adlc.corpus import load
from adlc.hooks import remark, session

NAME, EVENT = "spec-pointer", "SessionStart"
_PLACES = 4
# The directory that holds a layout's documents; of the other layouts it is that of the file.
_BASE = re.compile(r"(?:^|.*?/)(?:\.adlc/specs|\.spec|openspec/specs|llmanspec/specs|\.kiro/specs|\.specify/specs|specs)(?=/)")


def text(call: dict, root: str) -> str | None:
    if session.said(call["session_id"], NAME):
        return None
    counts = load.answer(root, _count)
    if not counts:
        return None
    places = sorted(counts, key=lambda place: (-counts[place], place))
    shown = ", ".join(f"{counts[place]} in {output.single_line(place, 60)}/" for place in places[:_PLACES])
    total = sum(counts.values())
    return remark.sentence(EVENT, (
        f"This repository has {total} spec{'s' if total != 1 else ''} ({shown}{', …' if len(places) > _PLACES else ''}). "
        'They say what it must do: ask them before the code with: adlc search "QUESTION"'
    ))


def _count(corpus) -> dict[str, int]:
    unusable = {item.path for item in corpus.skipped()}
    counts: dict[str, int] = {}
    for path, layout, kind, *_ in corpus.listed():
        if kind == "spec" and path not in unusable:
            place = _place(path, layout)
            counts[place] = counts.get(place, 0) + 1
    return counts


def _place(path: str, layout: str) -> str:
    found = _BASE.match(path) if layout not in ("plain", "adr") else None
    return found[0] if found else path.rpartition("/")[0] or "."


def root_of(call: dict) -> str | None:
    return project.find_root(call["cwd"])
