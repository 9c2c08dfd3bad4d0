"""Find the documents that govern a question: lexical, deterministic, offline."""

from adlc import files, output, project
from adlc.corpus import load
from adlc.corpus.segments import CORPORA
from adlc.errors import OK, AdlcError
from adlc.ranking import nearest
from adlc.ranking.search import search

LIMIT = 10
ALL = "adlc list"
MAX_QUERY_BYTES = 64 * 1024
EXAMPLES = [
    ('adlc search "two sessions take the same id"', "the documents that govern this, best first"),
    ('adlc search --corpus lesson --limit 3 "flaky tests"', "lessons alone, three at most"),
    ('adlc search --explain "rate limit"', "with where the score comes from"),
    ("adlc search --json -", "the question from standard input, one JSON document"),
]


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
        others = 0 if found.searched else len(corpus.documents())
        return found, corpus.skipped(), nearest.hint(corpus, query, found, corpora) if found.searched else None, others

    answer, skipped, hint, others = load.answer(root, compute)
    outcome = "matched" if answer.hits else "no_match" if answer.searched else "empty"
    if options.json:
        output.document("search", {
            "query": query,
            "outcome": outcome,
            "searched": answer.searched,
            "matched": answer.matched,
            "results": [_row(hit, options.explain) for hit in answer.hits],
            "terms": answer.terms,
            "hint": _shown(hint) if hint else None,
            "skipped": [{"path": s.path, "corpus": s.corpus, "reason": s.reason} for s in skipped],
        })
    else:
        output.text(_lines(answer, options.explain))
        if hint:
            for line in _hint_lines(hint, answer):
                output.talk(f"adlc: {line}")
        elif not answer.hits:
            output.talk("adlc: " + output.absent(corpora, others, sum(item.corpus in corpora for item in skipped)))
        if skipped:
            output.talk(f"adlc: {len(skipped)} file(s) could not be used; adlc list tells which and why")
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


def _shown(hint) -> dict:
    return {
        "nearest": [{"id": d.id, "title": output.single_line(d.title), "path": d.path} for d in hint.nearest],
        "scripts": hint.scripts,
        "all": ALL,
        "missing": [output.single_line(word, 80) for word in hint.missing],
    }


def _hint_lines(hint, answer) -> list[str]:
    lines = []
    if not answer.hits:
        lines.append(f"no document matches ({answer.searched} searched); {ALL} shows them all")
    elif hint.missing:
        lacking = ", ".join(output.single_line(word, 80) for word in hint.missing)
        lines.append(f"a weak match: the first document lacks {lacking}; {ALL} shows all {answer.searched}")
    lines += [f"nearest: {output.single_line(d.id, 80)}  {output.single_line(d.title, 120)}" for d in hint.nearest]
    if hint.foreign:
        lines.append(f"the question is written in {', '.join(hint.foreign)}, the documents are written in: {', '.join(hint.scripts)}")
    elif not answer.hits and len(hint.scripts) > 1:
        lines.append(f"the documents are written in: {', '.join(hint.scripts)}")
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
