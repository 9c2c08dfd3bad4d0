"""Retrieval by tags for /spec: integers, a strict total order, nothing learned and nothing guessed.

+3 same component, +2 same domain, +2 for each shared concern, +1 for each shared stack entry, +1 for
each shared tag; +1 for a lesson that has none of the five. Documents of score 0 are dropped; the rest
are ordered by score (desc), effective date (desc), corpus (lesson, bug, spec), id and path (asc).
"""

from datetime import date, datetime, timezone

from adlc.corpus.model import Document, Skipped

TOP = 15
SCALARS = ("component", "domain")
LISTS = ("stack", "concerns", "tags")
DIMENSIONS = SCALARS + LISTS
WEIGHTS = {"component": 3, "domain": 2, "concerns": 2, "stack": 1, "tags": 1}
FOUNDATIONAL = 1
BUG_STATUSES = ("resolved", "closed")
PRIORITY = {"lesson": 0, "bug": 1, "spec": 2}
_OLDEST = date.min


class Scored:
    """document, parts: dimension -> points (with `foundational`), score, date, date_source."""

    __slots__ = ("document", "parts", "score", "date", "date_source")

    def __init__(self, document: Document, parts: dict[str, int], warnings: list[str]):
        self.document, self.parts, self.score = document, parts, sum(parts.values())
        self.date, self.date_source = effective_date(document, warnings)

    def key(self) -> tuple:
        d = self.document
        return (-self.score, -self.date.toordinal(), PRIORITY[d.corpus], d.id, d.path)


class Count:
    """Of one corpus: files on disk, admitted, excluded (status as written -> files), malformed."""

    __slots__ = ("files", "admitted", "excluded", "malformed")

    def __init__(self):
        self.files = self.admitted = self.malformed = 0
        self.excluded: dict[str, int] = {}


class Retrieval:
    """results: the top Scored. counts: corpus -> Count. unmatched: query tags that no admitted document has."""

    __slots__ = ("query", "results", "counts", "unmatched", "warnings")

    def __init__(self, query, results, counts, unmatched, warnings):
        self.query, self.results, self.counts, self.unmatched, self.warnings = query, results, counts, unmatched, warnings

    @property
    def outcome(self) -> str:
        if self.results:
            return "matched"
        return "no_match" if any(c.files for c in self.counts.values()) else "empty"

    @property
    def suppressed(self) -> Count | None:
        """The count of the spec corpus when it has files and none could be used."""
        specs = self.counts["spec"]
        return specs if specs.files and not specs.admitted else None


def retrieve(query: dict, documents: list[Document], skipped: list[Skipped], exclude: list[str]) -> Retrieval:
    """Score `documents` against `query` (component, domain: str; stack, concerns, tags: list of str).

    exclude: folded statuses of specs that are no prior art. Documents without readable frontmatter are
    counted as malformed, like the skipped files.
    """
    wanted = {name: fold_all([query.get(name) or ""] if name in SCALARS else query.get(name) or []) for name in DIMENSIONS}
    counts = {corpus: Count() for corpus in PRIORITY}
    warnings: list[str] = []
    for item in skipped:
        counts[item.corpus].files += 1
        counts[item.corpus].malformed += 1
        warnings.append(f"{item.path}: left out: {item.reason}")
    admitted = []
    for document in documents:
        count = counts[document.corpus]
        count.files += 1
        status = fold(document.status)
        if document.corpus == "spec" and status in exclude or document.corpus == "bug" and status not in BUG_STATUSES and document.frontmatter == "ok":
            written = document.status or "(none)"
            count.excluded[written] = count.excluded.get(written, 0) + 1
        elif document.frontmatter != "ok":
            count.malformed += 1
            warnings.append(f"{document.path}: left out: " + (document.problems[0] if document.problems else "no frontmatter"))
        else:
            count.admitted += 1
            admitted.append(document)
    tags = [(document, tags_of(document)) for document in admitted]
    scored = [
        Scored(document, parts, warnings)
        for document, has in tags
        if (parts := points(wanted, has, document.corpus))
    ]
    scored.sort(key=Scored.key)
    warnings += [f"{id}: {len(paths)} documents have this id: {', '.join(paths)}" for id, paths in _repeated(admitted)]
    return Retrieval(query, scored[:TOP], counts, _unmatched(wanted, [has for _, has in tags]), warnings)


def tags_of(document: Document) -> dict[str, set[str]]:
    """dimension -> folded values, empty ones left out."""
    return {
        name: fold_all([getattr(document, name)] if name in SCALARS else getattr(document, name)) for name in DIMENSIONS
    }


def points(wanted: dict[str, set], has: dict[str, set], corpus: str) -> dict[str, int]:
    """dimension -> points above zero; {} for no score. Empty never equals empty."""
    parts = {name: WEIGHTS[name] * len(wanted[name] & has[name]) for name in DIMENSIONS if wanted[name] & has[name]}
    if not parts and corpus == "lesson" and not any(has.values()):
        parts = {"foundational": FOUNDATIONAL}
    return parts


def fold(value: str) -> str:
    return " ".join(value.split()).casefold()


def fold_all(values: list[str]) -> set[str]:
    return {fold(value) for value in values} - {""}


def effective_date(document: Document, warnings: list[str]) -> tuple[date, str]:
    """-> (UTC date, updated | created | mtime | none). A date that cannot be read counts as absent."""
    for source in ("updated", "created"):
        written = getattr(document, source)
        if written:
            day = parse_date(written)
            if day:
                return day, source
            warnings.append(f"{document.path}: {source}: '{written}' is not a date; it counts as absent")
    if document.mtime > 0:
        try:
            return datetime.fromtimestamp(document.mtime, timezone.utc).date(), "mtime"
        except (OverflowError, ValueError, OSError):
            pass
    return _OLDEST, "none"


def parse_date(written: str) -> date | None:
    """An ISO date or date and time (`2026-5-3`, `2026-05-03T23:30:00+02:00`) as a UTC date."""
    text = written.strip()
    parts = text.split("-")
    try:
        if len(parts) == 3 and all(p.isascii() and p.isdigit() for p in parts) and len(parts[0]) == 4:
            return date(*map(int, parts))
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    try:
        return (moment.astimezone(timezone.utc) if moment.tzinfo else moment).date()
    except (OverflowError, ValueError):
        return moment.date()


def _repeated(documents: list[Document]) -> list[tuple[str, list[str]]]:
    seen: dict[str, list[str]] = {}
    for document in documents:
        seen.setdefault(document.id, []).append(document.path)
    return sorted((id, sorted(paths)) for id, paths in seen.items() if len(paths) > 1)


def _unmatched(wanted: dict[str, set], tags: list[dict[str, set]]) -> list[dict]:
    """Query values that no admitted document has in that dimension, with the nearest and where else they occur."""
    known = {name: set().union(*(has[name] for has in tags)) for name in DIMENSIONS}
    out = []
    for name in DIMENSIONS:
        for value in sorted(wanted[name] - known[name]):
            import difflib

            out.append({
                "dimension": name, "value": value,
                "nearest": difflib.get_close_matches(value, sorted(known[name]), 3, 0.6),
                "elsewhere": [other for other in DIMENSIONS if other != name and value in known[other]],
            })
    return out
