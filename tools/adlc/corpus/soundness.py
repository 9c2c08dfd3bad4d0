"""What in a document's own text makes it less of a spec: found when it is read, kept with its record.

A finding is [kind, message]. The kinds that need other documents or git are found in signals.health.
"""

import re

from adlc.corpus import page
from adlc.corpus.model import Document

MAX_CHARS = 60_000
MAX_NAMED = 3

# Layouts that tell requirements from other text. Decision records and plain pages state what they state.
_STATING = ("adlc", "openspec", "llmanspec", "speckit", "kiro")
# Of these, the ones that check each requirement for itself; the others keep criteria for the whole document.
_EACH = ("openspec", "llmanspec", "kiro")
_SCENARIO = re.compile(r"^\W*(?:scenario|场景|情景|シナリオ|시나리오|given|when|then)\b|^\W*(?:场景|情景|シナリオ|시나리오)", re.I | re.M)
_OPEN = re.compile(r"\[NEEDS CLARIFICATION|\[TODO|\bTODO:|\bTBD\b|待定|待补充|未定")
_SPAN = re.compile(r"`[^`\n]*`")


def findings(document: Document) -> list[list[str]]:
    """Of a document that was read with its chunks and body; [] for a lesson or a bug."""
    if document.corpus != "spec":
        return []
    found = []
    stated = [chunk for chunk in document.chunks if chunk.kind in ("requirement", "rule", "story")]
    if document.layout in _STATING:
        if not stated:
            found.append(["no_requirement", "it states no requirement"])
        else:
            found += _unchecked(document, stated)
        if not document.purpose.strip():
            found.append(["placeholder", "it has no purpose, or only a placeholder for one"])
    elif not document.body.strip():
        found.append(["no_requirement", "it has no text"])
    found += _open_points(document)
    found += _twice(stated)
    if len(document.body) > MAX_CHARS:
        found.append(["over_long", f"it is {len(document.body)} characters long"])
    return found


def _unchecked(document: Document, stated: list) -> list[list[str]]:
    checks = [chunk.ref for chunk in document.chunks if chunk.kind in ("criterion", "scenario")]
    if document.layout not in _EACH:
        if checks or any(_SCENARIO.search(chunk.text) for chunk in stated):
            return []
        return [["unchecked", "it has requirements and no criterion or scenario to check them by"]]
    bare = [
        chunk for chunk in stated
        if not _SCENARIO.search(chunk.text) and not any(ref.startswith((f"{chunk.ref}.", f"{chunk.ref}/")) for ref in checks)
        and not (document.layout == "llmanspec" and "\n" in chunk.text)
    ]
    if not bare:
        return []
    return [["unchecked", f"{len(bare)} of {len(stated)} requirements have no scenario or criterion: {_named(bare)}"]]


def _open_points(document: Document) -> list[list[str]]:
    empty = [chunk for chunk in document.chunks if chunk.text.strip() and page.placeholder(chunk.text)]
    if empty:
        return [["placeholder", f"placeholder text in {_named(empty)}"]]
    # In backticks it is spoken about, not left open.
    count = len(_OPEN.findall(_SPAN.sub("", document.body)))
    return [["placeholder", f"{count} open point{'s' if count > 1 else ''} (TODO, TBD, NEEDS CLARIFICATION)"]] if count else []


def _twice(stated: list) -> list[list[str]]:
    seen, again = set(), []
    for chunk in stated:
        title = " ".join(chunk.title.casefold().split())
        if title and title in seen:
            again.append(chunk)
        seen.add(title)
    return [["duplicate_title", f"requirements share a title: {_named(again)}"]] if again else []


def _named(chunks: list) -> str:
    names = [" ".join(chunk.ref.split())[:60] for chunk in chunks[:MAX_NAMED]]
    return ", ".join(names) + (f" and {len(chunks) - MAX_NAMED} more" if len(chunks) > MAX_NAMED else "")
