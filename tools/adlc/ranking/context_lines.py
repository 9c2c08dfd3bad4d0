"""The exact sentences and lines in which a retrieval is shown and written into a spec."""

from adlc.output import single_line
from adlc.ranking.tags import Retrieval

HEADING = "Retrieved context for this REQ:"
COLD_START = "No prior context retrieved — no tagged documents matched this area."
SUPPRESSED = "Spec corpus suppressed by status filter — see stderr warning (BUG-194)."
UNREADABLE = "Spec corpus unreadable — see stderr warning."


def warning(retrieval: Retrieval) -> str | None:
    """The stderr line for a spec corpus of which nothing survived; None when that is not so."""
    count = retrieval.suppressed
    if count is None:
        return None
    if not count.malformed:
        statuses = ", ".join(sorted({single_line(status) for status in count.excluded}))
        return (
            f"/spec: WARNING — spec corpus has {count.files} requirement.md files but 0 passed the status filter "
            f"(statuses seen: {statuses}). Retrieval is running on lessons+bugs only. This is a filter/vocabulary "
            "mismatch, not a cold start — see BUG-194."
        )
    return (
        f"/spec: WARNING — spec corpus has {count.files} requirement.md files but none could be used "
        f"(excluded: {sum(count.excluded.values())}, malformed: {count.malformed}). "
        "Retrieval is running on lessons+bugs only."
    )


def section(retrieval: Retrieval) -> list[str]:
    """The lines under `## Retrieved Context`."""
    lines = []
    count = retrieval.suppressed
    if count is not None:
        lines.append(UNREADABLE if count.malformed else SUPPRESSED)
    lines += [
        f"- {single_line(s.document.id, 80)} ({s.document.corpus}, score {s.score}): {single_line(s.document.title)}"
        for s in retrieval.results
    ]
    return lines or [COLD_START]


def screen(retrieval: Retrieval) -> list[str]:
    """The summary for the user: the same results in columns."""
    if not retrieval.results:
        return [HEADING, *("  " + line for line in section(retrieval))]
    ids = max(len(single_line(s.document.id, 80)) for s in retrieval.results)
    corpora = max(len(s.document.corpus) for s in retrieval.results) + 1
    lines = [HEADING]
    if retrieval.suppressed is not None:
        lines.append("  " + section(retrieval)[0])
    for s in retrieval.results:
        corpus = f"{s.document.corpus},"
        lines.append(f"  {single_line(s.document.id, 80):{ids}} ({corpus:{corpora}} score {s.score}): {single_line(s.document.title)}")
    return lines
