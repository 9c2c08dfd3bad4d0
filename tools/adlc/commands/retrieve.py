"""Score lessons, bugs and specs by tags: the prior art that /spec reads before it writes."""

import os

from adlc import files, lifecycle, output, project, vendored
from adlc.corpus import load
from adlc.errors import OK, AdlcError
from adlc.ranking import context_lines, tags

MAX_QUERY_BYTES = 64 * 1024
EXAMPLES = [
    ("adlc retrieve --component auth --concerns security,abuse --tags login", "the lines for ## Retrieved Context"),
    ("adlc retrieve --query query.yml --json", "the query from a file"),
]


def arguments(parser) -> None:
    for name in tags.SCALARS:
        parser.add_argument(f"--{name}", default="", metavar="VALUE", help=f"the query's {name}")
    for name in tags.LISTS:
        parser.add_argument(f"--{name}", action="append", default=[], metavar="A,B", help=f"the query's {name}; repeatable")
    parser.add_argument("--query", metavar="FILE", help="read the query (YAML or JSON with these keys) from FILE, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above")


def run(options) -> int:
    exclude = lifecycle.spec_exclusions()
    query = _query(options)
    root = _root(options.root)
    retrieval, others = load.answer(root, lambda corpus: _compute(corpus, query, exclude))
    warning = context_lines.warning(retrieval)
    if warning:
        output.talk(warning)
    partials = vendored.state(root, os.path.curdir)
    if options.json:
        output.document("retrieve", _document(retrieval, exclude, partials))
    else:
        output.text(context_lines.screen(retrieval))
        for line in retrieval.warnings:
            output.talk("adlc: " + output.single_line(line))
        if retrieval.outcome == "empty":
            output.talk("adlc: " + _absent(others))
        elif not any(query.values()):
            output.talk("adlc: no tag was asked for, so nothing was compared — adlc retrieve --component … --tags …")
        else:
            for row in retrieval.unmatched:
                output.talk("adlc: " + _unmatched_line(row))
        if partials == "modified":
            output.talk(f"adlc: {vendored.PARTIALS} differs from the installed partials: source none of them")
    return OK


def _compute(corpus, query, exclude):
    documents = [d for d in corpus.documents() if d.layout == "adlc"]
    skipped = [s for s in corpus.skipped() if ".adlc" in s.path.split("/")]
    return tags.retrieve(query, documents, skipped, exclude), len(corpus.documents()) - len(documents)


def _absent(others: int) -> str:
    if not others:
        return output.absent((), 0, 0)
    return f"no documents in .adlc yet; {others} of other layouts have no tags to compare — adlc search \"…\""


def _root(option: str | None) -> str:
    """Without any `.adlc` retrieval is a cold start, not a failure."""
    try:
        return project.root(option)
    except AdlcError as exc:
        if exc.kind != "no_root" or option is not None and not os.path.isdir(option):
            raise
        return os.path.realpath(option or project.working_directory())


def _query(options) -> dict:
    query = {name: getattr(options, name) for name in tags.DIMENSIONS}
    for name in tags.LISTS:
        query[name] = [part.strip() for value in query[name] for part in value.split(",") if part.strip()]
    if options.query is None:
        return query
    if any(query.values()):
        raise AdlcError("usage", "--query and the tag options exclude each other", "adlc retrieve --query FILE")
    from adlc.corpus import frontmatter

    fields = frontmatter.mapping(_text(options.query), "query")
    unknown = sorted(set(fields.fields) - set(tags.DIMENSIONS))
    if fields.state != "ok" or fields.problems or unknown:
        what = fields.problems[0] if fields.problems else f"unknown key '{output.single_line(unknown[0], 60)}'"
        raise AdlcError("usage", f"--query {options.query}: {what}", "write the keys " + ", ".join(tags.DIMENSIONS))
    return {n: fields.scalar(n) if n in tags.SCALARS else fields.list(n) for n in tags.DIMENSIONS}


def _text(source: str) -> str:
    try:
        if source == "-":
            return files.decode(files.read_stdin(MAX_QUERY_BYTES))
        return files.read_document(os.path.realpath(source))[0]
    except files.Vanished:
        raise AdlcError("usage", f"--query {source}: no such file", "pass a YAML or JSON file, or - for standard input") from None
    except files.Unreadable as exc:
        raise AdlcError("usage", f"--query {source}: {exc}", "pass a YAML or JSON file, or - for standard input") from None


def _document(retrieval, exclude: list[str], partials: str) -> dict:
    gone = retrieval.suppressed
    return {
        "query": retrieval.query,
        "outcome": retrieval.outcome,
        "suppressed": gone and {"files": gone.files, "excluded": _sorted(gone.excluded), "malformed": gone.malformed},
        "counts": {
            corpus: {"files": c.files, "admitted": c.admitted, "excluded": _sorted(c.excluded), "malformed": c.malformed}
            for corpus, c in retrieval.counts.items()
        },
        "excludedStatuses": exclude,
        "results": [_row(scored) for scored in retrieval.results],
        "retrievedContext": context_lines.section(retrieval),
        "unmatched": retrieval.unmatched,
        "warnings": [output.single_line(line) for line in retrieval.warnings],
        "partials": partials,
    }


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    shown: dict[str, int] = {}
    for status in sorted(counts):
        name = output.single_line(status, 60)
        shown[name] = shown.get(name, 0) + counts[status]
    return shown


def _row(scored) -> dict:
    document = scored.document
    return {
        "id": document.id, "title": output.single_line(document.title), "path": document.path,
        "corpus": document.corpus, "status": document.status, "score": scored.score, "parts": scored.parts,
        "effectiveDate": scored.date.isoformat(), "dateSource": scored.date_source,
    }


def _unmatched_line(row: dict) -> str:
    line = f"no document has {row['dimension']} '{row['value']}'"
    if row["nearest"]:
        line += "; nearest: " + ", ".join(row["nearest"])
    if row["elsewhere"]:
        line += f"; known as {', '.join(row['elsewhere'])}"
    return output.single_line(line)
