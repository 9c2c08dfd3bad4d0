"""Find the documents that govern a question: lexical, deterministic, offline."""

from adlc import files, output, project
from adlc.corpus import load
from adlc.corpus.store import CORPORA
from adlc.errors import OK, AdlcError
from adlc.ranking.search import search

LIMIT = 10
MAX_QUERY_BYTES = 64 * 1024


def arguments(parser) -> None:
    parser.add_argument("query", nargs="*", help="the question; - reads it from standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--limit", type=int, default=LIMIT, metavar="N", help=f"at most N documents (default {LIMIT})")
    parser.add_argument("--corpus", action="append", choices=CORPORA, help="only this corpus; repeatable")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")
    parser.add_argument("--explain", action="store_true", help="show what each field contributed")


def run(options) -> int:
    query = question(options.query)
    if options.limit < 1:
        raise AdlcError("usage", f"--limit {options.limit}: must be 1 or more", "adlc search --limit 10 …")
    corpora = tuple(name for name in CORPORA if not options.corpus or name in options.corpus)
    root = project.root(options.root)

    def compute(corpus):
        found = search(corpus, query, options.limit, corpora)
        hint = _hint(corpus, query, corpora) if found.searched and not found.hits else None
        return found, corpus.skipped(), hint

    answer, skipped, hint = load.answer(root, compute)
    outcome = "matched" if answer.hits else "no_match" if answer.searched else "empty"
    if options.json:
        output.document("search", {
            "query": query,
            "outcome": outcome,
            "searched": answer.searched,
            "matched": answer.matched,
            "results": [_row(hit, options.explain) for hit in answer.hits],
            "terms": answer.terms,
            "hint": hint,
            "skipped": [{"path": s.path, "corpus": s.corpus, "reason": s.reason} for s in skipped],
        })
    else:
        output.text(_lines(answer, options.explain))
        if hint:
            for line in _hint_lines(hint, answer.searched):
                output.talk(f"adlc: {line}")
        elif not answer.hits:
            output.talk("adlc: no documents here yet")
        if skipped:
            output.talk(f"adlc: {len(skipped)} file(s) could not be used; adlc list --json tells which and why")
    return OK


def question(words: list[str]) -> str:
    """The query from the arguments, or from standard input for a lone `-`."""
    if words == ["-"]:
        try:
            query = files.read_stdin(MAX_QUERY_BYTES).decode("utf-8", "replace")
        except files.Unreadable as exc:
            raise AdlcError("usage", f"the query cannot be read: {exc}", 'say what you look for: adlc search "…"') from None
    else:
        query = " ".join(words)
    if not query.strip():
        raise AdlcError("usage", "the query is empty", 'say what you look for: adlc search "…"')
    return query.strip()


def _hint(corpus, query: str, corpora: tuple) -> dict:
    from adlc.ranking import nearest

    documents = [d for d in corpus.documents() if d.corpus in corpora]
    return {
        "nearest": [{"id": d.id, "title": output.single_line(d.title), "path": d.path} for d in nearest.titles(documents, query)],
        "scripts": nearest.scripts(documents),
        "all": "adlc list",
    }


def _hint_lines(hint: dict, searched: int) -> list[str]:
    lines = [f"no document matches ({searched} searched); {hint['all']} shows them all"]
    lines += [f"nearest: {output.single_line(row['id'], 80)}  {output.single_line(row['title'], 120)}" for row in hint["nearest"]]
    if hint["scripts"] != ["Latin"]:
        lines.append(f"the documents are written in: {', '.join(hint['scripts'])}")
    return lines


def _row(hit, explain: bool) -> dict:
    document = hit.document
    row = {
        "id": document.id, "title": output.single_line(document.title), "path": document.path,
        "corpus": document.corpus, "layout": document.layout, "status": document.status,
        "score": hit.score, "snippet": hit.snippet, "line": hit.line,
    }
    return row | {"fields": hit.parts} if explain else row


def _lines(answer, explain: bool) -> list[str]:
    lines = []
    for hit in answer.hits:
        document = hit.document
        id, title = output.single_line(document.id, 80), output.single_line(document.title, 120)
        lines.append(f"{output.bold(id)}  {title}" if title != id else output.bold(id))
        lines.append(f"    {output.single_line(document.path)}" + (f":{hit.line}" if hit.line else ""))
        if hit.snippet:
            lines.append(f"    {hit.snippet}")
        if explain:
            lines.append("    " + "  ".join(f"{name} {value}" for name, value in hit.parts.items()) + f"  = {hit.score}")
    return lines
