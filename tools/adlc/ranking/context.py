"""The answer to "what governs what I am about to do?": tiers of specs with reasons, health and staleness.

The quality of an answer is part of it: `semantic` (floor and meaning), `keyword` (the floor alone, because
the index is stale, or because the caller allowed it), `scope` (by the given files alone). It never falls
from one to the next without saying so.
"""

from bisect import bisect_right
from contextlib import ExitStack

from adlc.corpus.load import Corpus
from adlc.corpus.model import Document
from adlc.errors import AdlcError
from adlc.ranking import history, lexical, meaning, paths as path_signal, tags, tiers, weights
from adlc.ranking.fuse import fuse
from adlc.ranking.query import Query

MATCHES = 2
# So many documents, best first, are put in their final order.
_HEAD = 50
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
    """One document of a tier. matches: [(ref, title)], best first. scores: signal -> its z-score, of history what it
    added to the fused one. claims: what of it claims a given path. because: what the past says for it."""

    __slots__ = ("document", "z", "reason", "matches", "scores", "claims", "because", "health", "staleness", "precise")

    def __init__(self, document: Document, z: float, matches: list[tuple[str, str]], scores: dict[str, float], claims: str, because: str):
        self.document, self.z, self.matches, self.scores, self.claims, self.because = document, z, matches, scores, claims, because
        self.reason = matches[0][1] if matches else document.title
        self.health, self.staleness, self.precise = "good", "unknown", False


class Context:
    """direct, related: Rows. total: documents that took part. excluded: status -> count. unmatched: given paths that
    no document claims. others: documents of corpora that were not asked. index: {state, …} of the index, None when it
    was not asked. signals: that took part. off: signal -> why it did not."""

    __slots__ = ("quality", "note", "direct", "related", "total", "files", "excluded", "malformed", "unmatched", "others", "index", "signals", "off")

    def __init__(self, quality: str, note: str | None):
        self.quality, self.note = quality, note
        self.direct, self.related, self.unmatched, self.signals = [], [], [], []
        self.total = self.files = self.malformed = self.others = 0
        self.excluded, self.index, self.off = {}, None, {}


def answer(corpus: Corpus, request: Request, exclude: list[str]) -> Context:
    """Raises AdlcError param_error, index_missing, index_corrupted, index_mismatch, model_missing, embed_error."""
    with ExitStack() as held:
        return _answer(corpus, request, exclude, held)


class Admitted:
    """The documents that take part: path -> Document, in order of path. Each is read from the cache when asked for:
    of very many only a few are."""

    def __init__(self, store, docids: dict[str, int]):
        self.docids, self._store, self._read = docids, store, {}

    def __len__(self):
        return len(self.docids)

    def __iter__(self):
        return iter(self.docids)

    def __contains__(self, path: str):
        return path in self.docids

    def __getitem__(self, path: str) -> Document:
        if path not in self._read:
            self.read([path])
        return self._read[path]

    def keys(self):
        return self.docids.keys()

    def items(self):
        self.read(list(self.docids))
        return ((path, self._read[path]) for path in self.docids)

    def read(self, paths: list[str]) -> list[Document]:
        """The documents of `paths`, read at once."""
        missing = {self.docids[path]: path for path in paths if path not in self._read}
        self._read.update((missing[docid], document) for docid, document in self._store.documents(list(missing)).items())
        return [self._read[path] for path in paths]

    def only(self, wanted) -> "Admitted":
        """Those of them that are among the paths `wanted`."""
        return Admitted(self._store, {path: docid for path, docid in self.docids.items() if path in wanted})


def _answer(corpus: Corpus, request: Request, exclude: list[str], held: ExitStack) -> Context:
    if not request.task and not request.paths:
        raise AdlcError("param_error", "neither --task nor --paths was given", 'adlc context --task "what you are doing" --paths FILES')
    by_path, context = _admitted(corpus, request.corpora, exclude)
    if not by_path:
        return context
    matched = {}
    if request.paths:
        matched, context.unmatched = path_signal.match(corpus.root, by_path.read(list(by_path)), request.paths)
    if request.scope_only:
        by_path = by_path.only({path for path, match in matched.items() if match.strength})
    signals: dict[str, dict[str, float]] = {}
    near, query, known, words = None, Query(request.task), 1.0, None
    if request.task:
        if not query.weights:
            raise AdlcError("param_error", "--task has no word or letter in it", 'adlc context --task "what you are doing"')
        near = _meaning(corpus, request, context, by_path.keys(), held)
        scores = lexical.score(corpus.store, query, request.corpora)
        words = _Words(corpus, scores, query, by_path)
        signals["lexical"], known = dict(words.score), words.known
        for path, value in path_signal.words(corpus, request.paths, request.corpora).items():
            if path in by_path:
                signals["lexical"][path] = signals["lexical"].get(path, 0.0) + weights.PATH_WORDS * value
        if near is not None:
            signals["meaning"] = near.score
    else:
        context.quality = "scope"
    if request.paths:
        signals["paths"] = {path: match.strength for path, match in matched.items() if path in by_path and match.strength}
    z, each = fuse(signals, weights.signals(len(query.weights), known), list(by_path))
    past = history.Part(corpus, by_path, [path_signal.clean(corpus.root, path) for path in request.paths], query.weights)
    z = past.raised(z, each)
    ranked = _ranked(by_path, z)
    context.signals, context.off = sorted([*signals, *past.name]), past.off
    chosen = _tiers(request, ranked, z, words, near, matched, past)
    by_path.read(chosen.direct + chosen.related)
    for tier, rows in ((chosen.direct, context.direct), (chosen.related, context.related)):
        for path in tier:
            parts = {name: round(values[path], 2) for name, values in each.items()}
            claims = ", ".join(matched[path].patterns[:2]) if path in matched and matched[path].strength else ""
            rows.append(Row(by_path[path], round(z[path], 2), _matches(corpus, by_path[path], near, query), parts, claims, past.because(path)))
    _judge(corpus, context.direct + context.related)
    return context


def _admitted(corpus: Corpus, corpora: tuple[str, ...], exclude: list[str]) -> tuple[Admitted, Context]:
    context = Context("semantic", None)
    admitted, out = {}, {}
    for path, docid, corpus_of, status in corpus.store.statuses():
        if corpus_of not in corpora:
            context.others += 1
            continue
        context.files += 1
        kind = (corpus_of, status)
        if kind not in out:
            folded = tags.fold(status)
            out[kind] = folded in exclude if corpus_of == "spec" else corpus_of == "bug" and folded not in tags.BUG_STATUSES
        if out[kind]:
            written = status or "(none)"
            context.excluded[written] = context.excluded.get(written, 0) + 1
        else:
            admitted[path] = docid
    context.malformed = sum(1 for item in corpus.skipped() if item.corpus in corpora)
    context.files += context.malformed
    context.total = len(admitted)
    return Admitted(corpus.store, admitted), context


class _Words:
    """What the floor says. score: path -> total, of documents that have a word of the question. known: the share of
    the question that the corpus knows. source: path of the document that the question was taken from, or ""."""

    def __init__(self, corpus: Corpus, scores: lexical.Scores, query: Query, admitted: Admitted):
        self._scores, self._terms, self._docids = scores, len(query.weights), admitted.docids
        totals = scores.totals()
        self.score = {path: totals[docid] for path, docid in admitted.docids.items() if docid in totals}
        shares = scores.shares(query)
        self.known = sum(share for term, share in shares.items() if scores.terms.get(term))
        self.source = ""
        if self.score and self._terms >= tiers.SOURCE_TERMS and self.known >= tiers.SOURCE_KNOWN:
            best = max(self.score, key=lambda path: (self.score[path], path))
            if lexical.held(corpus.store, admitted[best], self._docids[best], shares) >= tiers.SOURCE_HELD * self.known:
                self.source = best

    def of(self, path: str) -> tiers.Words:
        if path not in self.score:
            return tiers.NO_WORDS
        docid, parts = self._docids[path], self._scores.parts
        phrase = parts[lexical.PHRASE].get(docid, 0.0)
        return tiers.Words(self.score[path] / self._terms, phrase / self._terms, parts["name"].get(docid, 0.0))


def _meaning(corpus: Corpus, request: Request, context: Context, wanted, held: ExitStack):
    """The nearness of the documents, or None with a keyword quality that says why."""
    from adlc.index import choose, freshness, store

    try:
        index = held.enter_context(store.load(corpus.root))
        found = freshness.state(corpus.root, corpus, index.metadata, request.corpora)
        context.index = {"state": found.state, "built": index.metadata.build_timestamp}
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


def _ranked(by_path: Admitted, z: dict[str, float]) -> list[str]:
    """All paths, best first; equal ones by id, then path; by path alone where the tiers do not reach: far down, and
    among many of the lowest score."""
    rounded = {path: round(value, 4) for path, value in z.items()}
    ranked = sorted(rounded, key=lambda path: (-rounded[path], path))
    head = ranked
    if len(ranked) > _HEAD:
        last, lowest = rounded[ranked[_HEAD - 1]], rounded[ranked[-1]]
        head = [path for path in ranked if rounded[path] >= last and rounded[path] > lowest]
    by_path.read(head)
    return sorted(head, key=lambda path: (-rounded[path], by_path[path].id, path)) + ranked[len(head):]


def _tiers(request: Request, ranked, z, words, near, matched, past: history.Part) -> tiers.Tiers:
    if not request.task:
        # By scope alone: a precise claim is what must be read, a broad one may matter, nothing else does.
        direct = [p for p in ranked if p in matched and matched[p].strength >= path_signal.PRECISE]
        related = [p for p in ranked if p in matched and 0 < matched[p].strength < path_signal.PRECISE]
        room = tiers.DIRECT_CAP + tiers.RELATED_CAP if request.top is None else request.top
        chosen = tiers.Tiers(direct[:room], related[:min(tiers.RELATED_CAP, max(room - len(direct), 0))])
        past.fill(chosen, ranked, request.top, lambda path: True)
        return chosen
    if near is None or near.about is None:
        def sure(path: str) -> float:
            return tiers.by_words(words.of(path))
    else:
        orders = [(values, sorted(values.values())) for values in (words.score, near.score)]

        def sure(path: str) -> float:
            ranks = tuple(len(order) - bisect_right(order, values.get(path, 0.0)) for values, order in orders)
            return tiers.by_meaning(words.of(path), near.about, ranks)
    lifted = {path for path, match in matched.items() if match.strength >= path_signal.PRECISE and path in z}
    barred = {path for path, match in matched.items() if match.precise and not match.strength}

    def speaks(path: str) -> bool:
        return path in words.score or near is not None and near.score.get(path, 0.0) > 0 or path in matched and matched[path].strength > 0


    def told(path: str) -> bool:
        return path in matched and matched[path].strength > 0 or bool(request.paths) and past.speaks(path)

    chosen = tiers.tiers([path for path in ranked if speaks(path)], z, sure, barred, lifted, told, words.source, request.top)
    past.fill(chosen, ranked, request.top, lambda path: told(path) or sure(path) >= tiers.LEAD)
    return chosen


def _matches(corpus: Corpus, document: Document, near, query: Query) -> list[tuple[str, str]]:
    """[(ref, title)] of the requirements that fit best, else of other parts: by meaning, or by shared words where there
    is no meaning. A heading that every document has gives way: of a requirement to the document's title, others go."""
    from adlc.ranking import parts

    if near is not None:
        from adlc.index.store import KINDS

        def best(kinds):
            return near.parts(document.path, tuple(KINDS.index(kind) for kind in kinds), 4 * MATCHES)
    else:
        read = corpus.read(document) if query.weights else None
        if read is None:
            return []

        def best(kinds):
            return parts.by_words(corpus.store, read, query, kinds, 4 * MATCHES)

    for kinds in (_PARTS[:3], _PARTS):
        found = best(kinds)
        if kinds is _PARTS:
            found = [part for part in found if parts.own(part[2])]
        if found:
            least = 0.8 * found[0][0]
            return [(ref, title if parts.own(title) else document.title) for value, ref, title in found[:MATCHES] if value >= least]
    return []


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
