"""A rebuild as commands ask for it: with the model that the user names now, which is kept, or else with the one in use."""

import os

from adlc.index import build, choose, endpoint
from adlc.index.endpoint import Endpoint

KEPT = "kept"
_KEY_VARIABLE = "ADLC_KEY_FROM_COMMAND_LINE"


def rebuild(root: str, named: Endpoint | str | None = KEPT, key: str | None = None, progress=None, waiting=None) -> build.Outcome:
    """Bring the index of `root` up to date.

    named: an endpoint, None for the embedded model, or KEPT. key: that of the named endpoint itself, for this call only.
    progress, waiting: as in build.rebuild. Raises AdlcError as that does, config_malformed, and what choose.for_build raises.
    """
    wanted = used = endpoint.chosen(root) if named is KEPT else named
    if key is not None:
        # The client takes every key from a variable; what is noted and kept does not name this one.
        os.environ[_KEY_VARIABLE] = key
        used = Endpoint(wanted.api_url, wanted.model, _KEY_VARIABLE, wanted.allow_http)
    noted = (wanted.shown()[:500], wanted.api_key_env[:200]) if wanted else ("", "")
    outcome = build.rebuild(root, lambda existing: choose.for_build(used, existing), progress, waiting, noted)
    if named is not KEPT:
        endpoint.remember(root, wanted)
    return outcome
