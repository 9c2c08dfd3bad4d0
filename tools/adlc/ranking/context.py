"""The answer to "what governs what I am about to do?": tiers of specs with reasons, health and staleness.

The quality of an answer is part of it: `semantic` (floor and meaning), `keyword` (the floor alone, because
the index is stale, or because the caller allowed it), `scope` (by the given files alone). It never falls
from one to the next without saying so.
"""

from contextlib import ExitStack

from adlc.corpus.load import Corpus
from adlc.corpus.model import Document
from adlc.errors import AdlcError
from adlc.ranking import lexical, meaning, paths as path_signal, tags, tiers, weights
from adlc.ranking.fuse import fuse
from adlc.ranking.query import Query

MATCHES = 3
_PARTS = ("requirement", "rule", "story", "criterion", "scenario", "section")


class Request:
    """task: "" without. paths: as given. corpora: which take part. top: at most so many rows, None for the default.

    scope_only: only documents that claim a given path. allow_keyword: a keyword answer is welcome where
    meaning cannot be had.
    """

    __slots__ = ("task", "paths", "corpora", "top", "scope_only", "allow_keyword")

    def __init__(self, task: str, paths: list[str], corpora: tuple[str, ...], top: int | None, scope_only: bool, allow_keyword: bool):
        self.task, self.paths, self.corpora, self.top = task, paths, corpora, top
        self.scope_only, self.allow_keyword = scope_only, allow_keyword


class Row:
    """One document of a tier. matches: [(ref, title)], best first. scores: signal -> its z-score."""

    __slots__ = ("document", "z", "reason", "matches", "scores", "because", "health", "staleness", "precise")

    def __init__(self, document: Document, z: float, matches: list[tuple[str, str]], scores: dict[str, float], because: str):
        self.document, self.z, self.matches, self.scores, self.because = document, z, matches, scores, because
        self.reason = matches[0][1] if matches else document.title
        self.health, self.staleness, self.precise = "good", "unknown", False


class Context:
    """direct, related: Rows. total: documents that took part. excluded: status -> count. unmatched: given paths that
    no document claims. index: {state, …} of the index, None when it was not asked."""

    __slots__ = ("quality", "note", "direct", "related", "total", "files", "excluded", "malformed", "unmatched", "index", "signals")

    def __init__(self, quality: str, note: str | None):
        self.quality, self.note = quality, note
        self.direct, self.related, self.unmatched, self.signals = [], [], [], []
        self.total = self.files = self.malformed = 0
        self.excluded, self.index = {}, None


def answer(corpus: Corpus, request: Request, exclude: list[str]) -> Context:
    """Raises AdlcError param_error, index_missing, index_corrupted, index_mismatch, model_missing, embed_error."""
    with ExitStack() as held:
        return _answer(corpus, request, exclude, held)


def _answer(corpus: Corpus, request: Request, exclude: list[str], held: ExitStack) -> Context:
    if not request.task and not request.paths:
        raise AdlcError("param_error", "neither --task nor --paths was given", 'adlc context --task "what you are doing" --paths FILES')
    documents, context = _admitted(corpus, request.corpora, exclude)
    if not documents:
        return context
    matched, context.unmatched = path_signal.match(corpus.root, documents, request.paths) if request.paths else ({}, [])
    if request.scope_only:
        documents = [d for d in documents if d.path in matched and matched[d.path].strength]
    by_path = {document.path: document for document in documents}
    signals: dict[str, dict[str, float]] = {}
    near, query = None, Query(request.task)
    if request.task:
        if not query.weights:
            raise AdlcError("param_error", "--task has no word or letter in it", 'adlc context --task "what you are doing"')
        near = _meaning(corpus, request, context, set(by_path), held)
        scores = lexical.score(corpus.store, query, request.corpora)
        found = {path: docid for docid, path in corpus.store.paths(scores.docids).items() if path in by_path}
        signals["lexical"] = {path: scores.total(docid) for path, docid in found.items()}
        words = {path: _words(scores, docid, len(query.weights)) for path, docid in found.items()}
        if near is not None:
            signals["meaning"] = near.score
    else:
        words = {}
        context.quality = "scope"
    if request.paths:
        signals["paths"] = {path: match.strength for path, match in matched.items() if path in by_path and match.strength}
    every = sorted(by_path)
    z, each = fuse(signals, weights.signals(len(query.weights)), every)
    ranked = _ranked(by_path, z)
    context.signals = sorted(signals)
    chosen = _tiers(request, ranked, z, words, near, matched)
    for tier, rows in ((chosen.direct, context.direct), (chosen.related, context.related)):
        for path in tier:
            parts = {name: round(values[path], 2) for name, values in each.items()}
            because = ", ".join(matched[path].patterns[:2]) if path in matched and matched[path].strength else ""
            rows.append(Row(by_path[path], round(z[path], 2), _matches(corpus, by_path[path], near, query), parts, because))
    _judge(corpus, context.direct + context.related)
    return context


def _admitted(corpus: Corpus, corpora: tuple[str, ...], exclude: list[str]) -> tuple[list[Document], Context]:
    context = Context("semantic", None)
    admitted = []
    for document in corpus.documents():
        if document.corpus not in corpora:
            continue
        context.files += 1
        status = tags.fold(document.status)
        if status in exclude if document.corpus == "spec" else document.corpus == "bug" and status not in tags.BUG_STATUSES:
            written = document.status or "(none)"
            context.excluded[written] = context.excluded.get(written, 0) + 1
        else:
            admitted.append(document)
    context.malformed = sum(1 for item in corpus.skipped() if item.corpus in corpora)
    context.files += context.malformed
    context.total = len(admitted)
    return admitted, context


def _meaning(corpus: Corpus, request: Request, context: Context, wanted: set[str], held: ExitStack):
    """The nearness of the documents, or None with a keyword quality that says why."""
    from adlc.index import choose, freshness, store

    try:
        index = held.enter_context(store.load(corpus.root))
        found = freshness.state(corpus.root, corpus, index.metadata, request.corpora)
        context.index = {"state": found.state, "built": index.metadata.build_timestamp, "model": index.metadata.model}
        if not found.fresh:
            context.quality, context.note = "keyword", f"Index stale, run adlc update ({found.why})"
            return None
        return meaning.nearness(index, choose.for_query(corpus.root, index.metadata), request.task, wanted)
    except AdlcError as exc:
        if not request.allow_keyword:
            raise
        context.quality, context.note = "keyword", f"{exc.message}; {exc.fix}" if exc.fix else exc.message
        context.index = context.index or {"state": exc.kind.removeprefix("index_")}
        return None


def _ranked(by_path: dict[str, Document], z: dict[str, float]) -> list[str]:
    return sorted(by_path, key=lambda path: (-round(z[path], 4), by_path[path].id, path))


def _words(scores: lexical.Scores, docid: int, terms: int) -> tiers.Words:
    return tiers.Words(scores.total(docid) / terms, scores.parts[lexical.PHRASE].get(docid, 0.0) / terms, scores.parts["name"].get(docid, 0.0))


def _tiers(request: Request, ranked, z, words, near, matched) -> tiers.Tiers:
    if not request.task:
        # By scope alone: a precise claim is what must be read, a broad one may matter, nothing else does.
        direct = [p for p in ranked if p in matched and matched[p].strength >= path_signal.PRECISE]
        related = [p for p in ranked if p in matched and 0 < matched[p].strength < path_signal.PRECISE]
        room = tiers.DIRECT_CAP + tiers.RELATED_CAP if request.top is None else request.top
        return tiers.Tiers(direct[:room], related[:min(tiers.RELATED_CAP, max(room - len(direct), 0))])
    if near is None:
        sure = {path: tiers.by_words(words.get(path, tiers.NO_WORDS)) for path in ranked}
    else:
        sure = {
            path: tiers.by_meaning(words.get(path, tiers.NO_WORDS), near.cosine.get(path, 0.0), near.digest.get(path, 0.0), near.best)
            for path in ranked
        }
    lifted = {path for path, match in matched.items() if match.strength >= path_signal.PRECISE and path in z}
    barred = {path for path, match in matched.items() if match.precise and not match.strength}
    return tiers.tiers(ranked, z, sure, barred, lifted, request.top)


def _matches(corpus: Corpus, document: Document, near, query: Query) -> list[tuple[str, str]]:
    """The requirements that fit best: by meaning, or by shared words where there is no meaning."""
    if near is not None:
        from adlc.index.store import KINDS

        for kinds in (_PARTS[:3], _PARTS):
            found = near.parts(document.path, tuple(KINDS.index(kind) for kind in kinds), MATCHES)
            if found:
                least = 0.8 * found[0][0]
                return [(ref, title) for cosine, ref, title in found if cosine >= least]
        return []
    read = corpus.read(document) if query.weights else None
    if read is None:
        return []
    from adlc.ranking.tokens import tokens

    scored = []
    for place, chunk in enumerate(read.chunks):
        value = sum(query.weights.get(term, 0.0) for term in set(tokens(f"{chunk.title} {chunk.text}")))
        if value:
            scored.append((-value, place, chunk.ref, chunk.title))
    scored.sort()
    return [(ref, title) for value, _, ref, title in scored[:MATCHES] if value <= 0.8 * scored[0][0]]


def _judge(corpus: Corpus, rows: list[Row]) -> None:
    """Health and staleness of the few documents that are returned."""
    if not rows:
        return
    from adlc.signals import health, staleness

    # All documents are read for their names only when a name is to be looked for.
    known = health.names(corpus.documents()) if any(row.document.related for row in rows) else None
    found = staleness.of(corpus.root, [row.document for row in rows])
    for row in rows:
        stale = found[row.document.path]
        row.staleness, row.precise = stale.state, stale.precise
        row.health = health.of(row.document, known, stale.state == "stale").level
