"""Starts the command line from a checkout. bin/adlc runs this file by path, under -I -S."""

import gc
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

site = os.environ.pop("ADLC_SITE", "")
if site:
    # The interpreter at the recorded path can have been replaced by another minor version.
    if os.path.basename(site).startswith(f"{sys.implementation.cache_tag}-"):
        sys.path.append(site)
    elif sys.argv[1:2] == ["hook"]:
        sys.exit(0)  # a hook never builds
    else:
        from adlc import env

        code = env.main(["build", "core"])
        if code:
            sys.exit(code)
        sys.path.append(env.site_dir("core"))

# A call lives for a moment: walking 100,000 fresh tuples for cycles takes longer than answering from them.
gc.set_threshold(1_000_000)

from adlc.cli import main

sys.exit(main())
