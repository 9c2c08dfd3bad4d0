"""Whether the index of adlc context is there, whole, and up to date."""

from adlc.doctor.place import Place
from adlc.doctor.result import command, fail, not_run, ok, warn
from adlc.errors import AdlcError
from adlc.index import endpoint, freshness


def check(place: Place):
    if place.root is None:
        return not_run(place.without)
    found, metadata, _ = freshness.look(place.root)
    if found.fresh:
        return ok(f"fresh, {metadata.spec_count} specs, {metadata.chunk_count} parts, model {metadata.model}")
    rebuild = place.adlc("index", "rebuild", "--root", place.root)
    # With an endpoint the documents would be sent there: that is for a person to start.
    safe = {"argv": rebuild} if _local(place) else {"fix": command(*rebuild)}
    if found.state == "missing":
        return warn("not built: adlc context says so instead of answering", **safe)
    if found.state == "stale":
        return warn(f"stale ({found.why}): adlc context answers by words alone", **safe)
    return fail(f"{found.state}: {found.why}", **safe)


def _local(place: Place) -> bool:
    try:
        return endpoint.chosen(place.root) is None
    except AdlcError:
        return False
