"""How sound a document is, from what its cached record says: nothing is read again.

broken: it cannot tell what it governs. thin: it can, with the faults named. stale: sound, but the code it
claims has moved on. good: none of these. A broad scope such as `src/` is no fault; one over everything is.
"""

from adlc.corpus.model import Document

MAX_SCOPE = 60
_BROKEN = ("no_requirement", "frontmatter")
_EVERYTHING = ("", ".", "*", "**", "**/*", "*/**", "**/**")


class Health:
    """level: good | thin | broken | stale. findings: [(kind, message)]."""

    __slots__ = ("level", "findings")

    def __init__(self, level: str, findings: list[tuple[str, str]]):
        self.level, self.findings = level, findings


def of(document: Document, known: set[str] | None = None, stale: bool = False) -> Health:
    """known: casefolded ids and paths of all documents, to find dangling `related`; None does not look.

    stale: what signals.staleness says of it.
    """
    findings = [(kind, message) for kind, message in document.findings]
    if document.frontmatter == "malformed":
        findings.append(("frontmatter", "its frontmatter cannot be read in full"))
    wide = [entry for entry in document.scope if entry.strip().strip("/") in _EVERYTHING]
    if wide or len(document.scope) > MAX_SCOPE:
        findings.append(("wide_scope", "its scope covers everything" if wide else f"its scope has {len(document.scope)} entries"))
    if known is not None:
        lost = [entry for entry in document.related if not _known(entry, known)]
        if lost:
            findings.append(("dangling_related", "related, but not here: " + ", ".join(" ".join(e.split())[:60] for e in lost[:3])))
    if any(kind in _BROKEN for kind, _ in findings):
        return Health("broken", findings)
    if findings:
        return Health("thin", findings)
    return Health("stale" if stale else "good", findings)


def names(documents: list[Document]) -> set[str]:
    """What `related` may name, of all documents."""
    return {document.id.casefold() for document in documents} | {document.path.casefold() for document in documents}


def _known(entry: str, known: set[str]) -> bool:
    """Whether an entry is one of the names; what is written like a file or an address is not looked for."""
    name = entry.strip().removeprefix("[[").removesuffix("]]").split("|", 1)[0].split("#", 1)[0].strip().casefold()
    if not name or name in known:
        return True
    if "/" in name or "." in name or "://" in name:
        return not entry.strip().startswith("[[") and name.rpartition("/")[2] != "spec.md"
    return any(other.endswith(f"_{name}") for other in known)
