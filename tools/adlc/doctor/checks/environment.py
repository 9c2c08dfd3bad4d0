"""Whether the private environment has what its stages should have; nothing is installed to find out."""

import os
import sys

from adlc import env
from adlc.doctor.place import Place
from adlc.doctor.result import fail, ok

MADE_BY = {"core": "the next call", "meaning": "adlc update", "delegate": "the first delegated call"}


def check(place: Place):
    made, later = [], []
    for stage, (_, modules, _) in env.STAGES.items():
        site = env.site_dir(stage)
        if not os.path.isdir(site):
            later.append(f"{stage} (made by {MADE_BY[stage]})")
        elif env.works(stage, site):
            made.append(stage)
        else:
            yield fail(
                f"the stage {stage} in {place.shown(site)} is damaged: {', '.join(modules)} cannot be loaded",
                argv=(sys.executable, "-I", "-S", "-X", "utf8", os.path.realpath(env.__file__), "build", stage),
            )
    parts = [", ".join(made) + " in order" if made else "", "not made yet: " + ", ".join(later) if later else ""]
    if any(parts):
        yield ok("; ".join(part for part in parts if part))
