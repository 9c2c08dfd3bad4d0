"""List the documents: what is there, and what could not be used."""

from adlc import output, project
from adlc.corpus import load
from adlc.corpus.segments import CORPORA
from adlc.errors import OK, AdlcError
from adlc.ranking.tags import fold

_META = ("component", "domain", "stack", "concerns", "tags", "created", "updated", "reviewed", "code", "related", "frontmatter", "problems")
EXAMPLES = [
    ("adlc list", "everything"),
    ("adlc list --specs --meta", "specs with purpose and scope"),
]


def arguments(parser) -> None:
    parser.add_argument("--specs", action="store_true", help="specs only, the same as --corpus spec")
    parser.add_argument("--corpus", action="append", choices=CORPORA, help="only this corpus; repeatable")
    parser.add_argument("--status", metavar="A,B", help="only documents with one of these statuses, compared without case")
    parser.add_argument("--meta", action="store_true", help="purpose and scope too; with --json also tags, dates and problems")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    corpora = {*(options.corpus or ()), *(("spec",) if options.specs else ())} or set(CORPORA)
    statuses = _statuses(options.status)
    root = project.root(options.root)
    every, skipped = load.answer(root, lambda corpus: (corpus.documents(), corpus.skipped()))
    documents = [d for d in every if d.corpus in corpora]
    skipped = [s for s in skipped if s.corpus in corpora]
    outcome = "matched" if documents else "empty"
    if statuses:
        documents = [d for d in documents if fold(d.status) in statuses]
        outcome = outcome if documents or outcome == "empty" else "no_match"
    if options.json:
        output.document("list", {
            "outcome": outcome,
            "documents": [_row(d, options.meta) for d in documents],
            "skipped": [{"path": s.path, "corpus": s.corpus, "reason": s.reason} for s in skipped],
        })
        return OK
    output.text(_lines(documents, options.meta))
    if outcome == "empty":
        output.talk("adlc: " + output.absent([name for name in CORPORA if name in corpora], len(every), len(skipped)))
    elif outcome == "no_match":
        output.talk(f"adlc: no document has status {', '.join(statuses)}")
    # A directory that several corpora would be read from is one thing to put right.
    for path, reason in dict.fromkeys((item.path, item.reason) for item in skipped):
        output.talk(f"adlc: not used: {output.single_line(path)}: {output.single_line(reason)}")
    return OK


def _statuses(option: str | None) -> list[str]:
    """The folded statuses of `--status`; [] without it. Raises AdlcError usage."""
    if option is None:
        return []
    statuses = [status for part in option.split(",") if (status := fold(part))]
    if not statuses:
        raise AdlcError("usage", "--status: no status", "see: adlc list --help")
    return statuses


def _row(document, meta: bool) -> dict:
    row = {
        "id": document.id, "title": output.single_line(document.title), "path": document.path,
        "corpus": document.corpus, "layout": document.layout, "status": document.status,
        "purpose": output.single_line(document.purpose, 400), "validScope": document.scope,
        "requirementCount": document.requirements,
    }
    return row | {name: getattr(document, name) for name in _META} if meta else row


def _lines(documents: list, meta: bool) -> list[str]:
    ids = [output.single_line(d.id, 80) for d in documents]
    width = max(map(len, ids), default=0)
    lines = []
    for id, d in zip(ids, documents, strict=True):
        title, status = output.single_line(d.title, 100), f"  [{output.single_line(d.status, 20)}]" if d.status else ""
        lines.append(f"{id:{width}}  {title if title != id else ''}{status}".rstrip())
        if meta:
            lines.append(f"{'':{width}}  {output.single_line(d.path)}")
            if d.purpose:
                lines.append(f"{'':{width}}  {output.single_line(d.purpose, 200)}")
            if d.scope:
                lines.append(f"{'':{width}}  scope: {output.single_line(', '.join(d.scope), 200)}")
    return lines
