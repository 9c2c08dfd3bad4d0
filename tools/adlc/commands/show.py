"""Show one document by its id or its path: text, parts, code it governs, problems, and how sound and current it is."""

from adlc import output, project
from adlc.corpus import find, load
from adlc.corpus.model import Chunk, Document
from adlc.errors import OK
from adlc.signals import health, staleness

_FIELDS = (
    "id", "title", "path", "corpus", "layout", "status", "created", "updated", "reviewed", "component", "domain",
    "stack", "concerns", "tags", "purpose", "scope", "code", "related", "frontmatter", "problems",
)
EXAMPLES = [
    ("adlc show REQ-003", "by id"),
    ("adlc show .adlc/bugs/BUG-001-slug.md --json", "by path, with its parts"),
]


def arguments(parser) -> None:
    parser.add_argument("document", metavar="ID|PATH", help="a document's id, or its path")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    root = project.root(options.root)
    document, known = load.answer(root, lambda corpus: (find.one(corpus, options.document), health.names(corpus.documents())))
    code = staleness.of(root, [document])[document.path]
    sound = health.of(document, known, code.state == "stale")
    if options.json:
        output.document("show", {
            **{name: getattr(document, name) for name in _FIELDS},
            "requirementCount": document.requirements,
            "health": sound.level,
            "findings": [{"kind": kind, "message": output.single_line(message)} for kind, message in sound.findings],
            "staleness": {"state": code.state, "commits": code.commits, "why": output.single_line(code.why)},
            "chunks": [_part(chunk) for chunk in document.chunks],
            "body": document.body,
        })
    else:
        output.text(_lines(document, sound, code))
    return OK


def _part(chunk: Chunk) -> dict:
    shown = {"ref": chunk.ref, "kind": chunk.kind, "title": chunk.title, "line": chunk.line, "text": chunk.text}
    return shown | {"path": chunk.path} if chunk.path else shown


def _lines(document: Document, sound: health.Health, code: staleness.Staleness) -> list[str]:
    name = f"{output.single_line(document.id, 80)}  {output.single_line(document.title, 200)}"
    lines = [output.bold(name), output.single_line(document.path)]
    for name in ("status", "updated", "component", "domain", "stack", "concerns", "tags", "scope", "code", "related"):
        value = getattr(document, name)
        if value:
            lines.append(f"{name}: " + output.single_line(value if isinstance(value, str) else ", ".join(value), 400))
    lines += [f"problem: {output.single_line(problem)}" for problem in document.problems]
    if document.corpus == "spec":
        lines.append(f"health: {sound.level}" + "".join(f"; {output.single_line(message)}" for _, message in sound.findings))
        lines.append(f"staleness: {code.state} ({output.single_line(code.why)})")
    return [*lines, *_elsewhere(document), "", *(output.plain_lines(document.body))]


def _elsewhere(document: Document) -> list[str]:
    """One line for each further file that the document is made of: its path, and the parts that stand there."""
    found: dict[str, list[str]] = {}
    for chunk in document.chunks:
        if chunk.path:
            found.setdefault(chunk.path, []).append(f"{output.single_line(chunk.ref, 80)} (line {chunk.line})")
    return [f"from {output.single_line(path)}: " + output.single_line(", ".join(parts)) for path, parts in found.items()]
