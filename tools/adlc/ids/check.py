"""What is wrong with the ids of one project: taken twice, misplaced, cited and missing, lost."""

import os
import re

from adlc import files
from adlc.corpus import frontmatter, markdown
from adlc.ids import collisions, counter, highwater, journal, ledger
from adlc.ids.kinds import KINDS, MAX_NUMBER, Kind, kind_of

ERROR, NOTE = "error", "note"
# The whole run of digits, so that a longer number never counts as a shorter one.
_CITED = re.compile(r"(?<![A-Za-z0-9])(REQ|BUG|LESSON)-([0-9]+)(?![0-9A-Za-z])")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


class Artifact:
    """One spec, bug or lesson on disk. path: below the root; document: the file to read."""

    __slots__ = ("kind", "number", "path", "document")

    def __init__(self, kind: Kind, number: int, path: str, document: str):
        self.kind, self.number, self.path, self.document = kind, number, path, document


def one(place, kind: Kind, number: int, network: bool):
    """-> (findings about one number, the HighWater they follow from): has somebody else taken it?"""
    high = highwater.gather(place, kind, counter.read(kind.name), network)
    taken, notes = collisions.of(place, high, kind, number)
    own = collisions.own_artifacts(place, kind, number)
    id, free = kind.id(number), high.number + 1
    fix = ""
    if free <= MAX_NUMBER:
        fix = f"adlc id renumber {id} {kind.id(free)}" + (f" --path {_word(own[-1])}" if len(own) > 1 else "")
    rows = [_row("taken", ERROR, id, "", f"{id} is taken: {r['name']} ({r['source']}: {r['where']})", fix) for r in taken]
    rows += [_row("taken", NOTE, id, "", f"{id} is also {r['name']} in {r['where']}", "") for r in notes]
    return rows, high


def project(place, network: bool) -> tuple[list[dict], list[str]]:
    """-> (findings, why suggested numbers may be too low). A finding: {check, level, id, path, message, fix}."""
    artifacts = list(_artifacts(place.root))
    findings: list[dict] = []
    degraded: list[str] = []
    pending = journal.pending(place.root)
    if pending:
        findings.append(_row("interrupted", ERROR, pending.old, pending.journal_path, f"renumbering to {pending.new} was interrupted", f"adlc id renumber {pending.old} {pending.new} --yes"))
    for kind in KINDS.values():
        own = [a for a in artifacts if a.kind is kind]
        findings += _duplicates(place, kind, own, network, degraded)
    texts = {a.path: _read(place.root, a) for a in artifacts}
    for artifact in artifacts:
        findings += _mismatch(artifact, texts[artifact.path])
    findings += _references(place, artifacts, texts)
    findings += _lost(place, artifacts)
    return sorted(findings, key=lambda row: (row["level"], row["check"], row["id"], row["path"])), degraded


def any_artifact(place) -> bool:
    """Whether there is anything that `project` looks at."""
    return next(_artifacts(place.root), None) is not None


def _artifacts(root: str):
    for kind in KINDS.values():
        folder = f".adlc/{kind.folder}"
        try:
            names = sorted(os.listdir(os.path.join(root, folder)))
        except OSError:
            continue
        for name in names:
            number = kind.of_artifact(name)
            if number is not None:
                path = f"{folder}/{name}"
                yield Artifact(kind, number, path, f"{path}/requirement.md" if kind.name == "req" else path)


def _duplicates(place, kind: Kind, own: list, network: bool, degraded: list) -> list[dict]:
    by_number: dict[int, list] = {}
    for artifact in own:
        by_number.setdefault(artifact.number, []).append(artifact)
    rows = [
        _row("too_large", ERROR, a.path.rsplit("/", 1)[1], a.path, "has more than six digits, so it cannot be cited", f"rename it to the next free number: adlc id next {kind.name}")
        for a in by_number.pop(MAX_NUMBER + 1, ())
    ]
    twice = {number: found for number, found in by_number.items() if len(found) > 1}
    if not twice:
        return rows
    high = highwater.gather(place, kind, counter.read(kind.name), network)
    degraded += high.degraded
    free = high.number + 1
    for number, found in sorted(twice.items()):
        keeper, *others = sorted(found, key=lambda a: (_created(place.root, a), a.path))
        for artifact in others:
            rows.append(_row(
                "duplicate", ERROR, kind.id(number), artifact.path, f"{kind.id(number)} is also {keeper.path}",
                f"adlc id renumber {kind.id(number)} {kind.id(free)} --path {_word(artifact.path)}" if free <= MAX_NUMBER else "",
            ))
            free += 1
    return rows


def _created(root: str, artifact: Artifact) -> str:
    head = frontmatter.parse(_read(root, artifact).split("\n"))
    return head.scalar("created") or "9999"


def _read(root: str, artifact: Artifact) -> str:
    try:
        return files.read_document(os.path.join(root, artifact.document))[0]
    except files.Unreadable:
        return ""


def _mismatch(artifact: Artifact, text: str) -> list[dict]:
    head = frontmatter.parse(text.split("\n"))
    written = head.scalar("id")
    match = _CITED.fullmatch(written)
    if not match or artifact.number > MAX_NUMBER:
        return []
    kind, number = kind_of(match[1]), int(match[2][:9])
    if (kind, number) == (artifact.kind, artifact.number):
        return []
    expected = artifact.kind.id(artifact.number)
    return [_row("mismatch", ERROR, written, artifact.document, f"says id: {written} and lies under {expected}", f"write id: {expected} into {artifact.document}, or rename {artifact.path}")]


def _references(place, artifacts: list, texts: dict) -> list[dict]:
    cited: dict[tuple, list] = {}
    for artifact in artifacts:
        for kind, number, line in _citations(texts[artifact.path]):
            cited.setdefault((kind.name, number), []).append((artifact.document, line))
    here = {(a.kind.name, a.number) for a in artifacts}
    unknown = sorted(set(cited) - here)
    rows = []
    for name in sorted({name for name, _ in unknown}):
        elsewhere = _known_elsewhere(place, KINDS[name])
        for _, number in (pair for pair in unknown if pair[0] == name and pair[1] not in elsewhere):
            id = KINDS[name].id(number)
            seen: dict[str, int] = {}
            for document, line in cited[name, number]:
                seen.setdefault(document, line)
            rows += [
                _row("missing_reference", ERROR, id, document, f"line {line} cites {id}, which no document here has", "correct the citation, or put it in backquotes when it is no citation", line=line)
                for document, line in sorted(seen.items())
            ]
    return rows


def _citations(text: str):
    """(kind, number, 1-based line) of every id in the text that is not code."""
    for n, line in enumerate(markdown.visible(text.split("\n")), 1):
        if line.startswith("id:"):
            continue
        for prefix, digits in _CITED.findall(_CODE.sub("", line)):
            if 3 <= len(digits) <= 6 and int(digits):
                yield kind_of(prefix), int(digits), n


def _known_elsewhere(place, kind: Kind) -> set[int]:
    """The numbers of artifacts on other branches, in other worktrees and in sibling repositories."""
    known = set()
    for found in highwater.gather(place, kind, None, network=False).surveys:
        names = [path.rsplit("/", 1)[1] for _, path in found.disk]
        names += [name for tree in found.trees.values() for name in tree]
        known |= {kind.of_artifact(name) for name in names}
    return known


def _lost(place, artifacts: list) -> list[dict]:
    here = {(a.kind.name, a.number) for a in artifacts}
    taken = {(e.kind, e.number): e for e in ledger.entries() if e.root == place.own.top and e.kind in KINDS and (e.kind, e.number) not in here}
    rows = []
    for name in sorted({name for name, _ in taken}):
        elsewhere = _known_elsewhere(place, KINDS[name])
        for (_, number), entry in sorted(taken.items()):
            if entry.kind == name and number not in elsewhere:
                kind = KINDS[name]
                fix = f"git push {_word(entry.remote)} :refs/adlc/ids/{name}/{number}" if entry.remote else ""
                rows.append(_row("lost", NOTE, kind.id(number), "", f"{kind.id(number)} was handed out on {entry.taken[:10]} and no document has it", fix))
    return rows


def _word(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _row(check: str, level: str, id: str, path: str, message: str, fix: str, **more) -> dict:
    return {"check": check, "level": level, "id": id, "path": path, "message": message, "fix": fix, **more}
