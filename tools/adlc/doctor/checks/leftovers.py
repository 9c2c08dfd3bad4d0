"""Whether environments, models and caches lie about that no copy of adlc uses any more: those of earlier versions."""

import os

from adlc import __version__, env
from adlc.corpus import store
from adlc.corpus.load import cache_folder
from adlc.doctor import copies
from adlc.doctor.place import Place
from adlc.doctor.result import command, ok, warn
from adlc.index import choose
from adlc.index.embed_local import FINGERPRINT
from adlc.installation import traces


def check(place: Place):
    versions = copies.versions(place)
    current = {env.key(stage) for stage in env.STAGES}
    old = [path for path, version in traces.environments() if os.path.basename(path) not in current and version not in versions - {__version__}]
    # Which form another version keeps is not known here: where there is one, nothing is taken for nobody's.
    alone = versions == {__version__}
    models = _below(choose.models_dir(), lambda name: name != FINGERPRINT) if alone else []
    if old or models:
        names = ", ".join(os.path.basename(path) for path in [*old, *models])
        # Not safe to run unasked: what is still at work there would fail, and another copy would need the network again.
        yield warn(
            f"{_mebibytes([*old, *models])} of earlier versions in {place.shown(os.path.dirname([*old, *models][0]))}, which no copy of adlc "
            f"that can be found uses: {names}", command("rm", "-rf", "--", *old, *models))
    folder = cache_folder()
    caches = store.others(folder) if alone else []
    if caches:
        # There is one for each project: too many to name.
        yield warn(
            f"{_mebibytes(caches)} in {len(caches)} cache{'s'[:len(caches) != 1]} of earlier versions in {place.shown(folder)}",
            argv=("find", folder, "-type", "f", "-name", store.ANY_FORM, "!", "-name", f"*{store.SUFFIX}", "-exec", "rm", "-f", "--", "{}", "+"))
    lost = traces.lost_bytecode()
    if lost:
        yield warn(f"{_mebibytes(lost)} of byte-code whose code is gone", argv=("rm", "-rf", "--", *lost))
    if not (old or models or caches or lost):
        yield ok("nothing of earlier versions" if alone else f"nothing that is nobody's; there are copies of the versions {', '.join(sorted(versions))}")


def _below(folder: str, wanted) -> list[str]:
    try:
        return sorted(entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False) and wanted(entry.name))
    except OSError:
        return []


def _mebibytes(paths: list[str]) -> str:
    size = 0
    for path in paths:
        size += os.lstat(path).st_size if os.path.isfile(path) else 0
        for folder, _, names in os.walk(path):
            size += sum(_size(os.path.join(folder, name)) for name in names)
    return f"{size / 2**20:.1f} MiB"


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
