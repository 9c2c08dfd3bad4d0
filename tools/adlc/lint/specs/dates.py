"""The dates are there, can be read, and are in order: an undated document has a different age in every clone."""

from adlc.ranking import tags


def check(page, corpus):
    if page.head.state != "ok":
        return
    days = {}
    for key in ("created", "updated"):
        written = page.head.scalar(key)
        if not written:
            continue
        days[key] = tags.parse_date(written)
        if days[key] is None:
            yield page.key_line(key), f"{key}: '{written}' is not a date such as 2026-05-03"
    missing = [key for key in ("created", "updated") if not page.head.scalar(key)]
    if len(missing) == 2:
        yield 1, "undated: neither created nor updated; retrieval falls back on the file's time, which differs in every clone"
    elif missing and page.corpus == "spec":
        yield page.key_line(missing[0]), f"{missing[0]} is missing"
    if days.get("created") and days.get("updated") and days["updated"] < days["created"]:
        yield page.key_line("updated"), f"updated {days['updated']} is before created {days['created']}"
