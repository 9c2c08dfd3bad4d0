"""Which copy of adlc runs, and whether there are others."""

import os

from adlc import __version__, checkout, files
from adlc.doctor import copies
from adlc.doctor.place import Place
from adlc.doctor.result import command, ok, warn
from adlc.harness import detect


def check(place: Place):
    commit = checkout.head(place.installation) if os.path.lexists(os.path.join(place.installation, ".git")) else None
    version = f"version {__version__}" + (f", commit {commit[0][:7]}" if commit else "")
    yield ok(f"{copies.kind(place)} {place.shown(place.installation)}, {version}")
    enabled = detect.plugin_enabled(place.root)
    for name, folders, version in copies.plugins(place):
        if enabled and not any(files.same(folder, place.installation) for folder in folders):
            yield warn(
                f"another copy is the plugin {name}, version {version}: sessions of Claude Code use that one",
                command("claude", "plugin", "uninstall", name),
            )
    linked = copies.installed_from(place)
    if linked and os.path.isdir(linked) and not files.same(linked, place.installation):
        yield warn(
            f"another copy, {place.shown(linked)}, was installed by its install.sh",
            command("sh", os.path.join(linked, "install.sh"), "--uninstall", "--yes"),
        )
    elif linked and enabled and copies.plugin_of(place):
        yield warn(
            "installed as a plugin and by install.sh: sessions have every skill twice",
            command("sh", os.path.join(linked, "install.sh"), "--uninstall", "--yes"),
        )
    for path, root in copies.on_path(place):
        if root and not files.same(root, place.installation) and not files.same(root, linked):
            fix = command("rm", "--", path) if os.path.islink(path) else ""
            yield warn(f"another copy, {place.shown(root)}, is on the PATH as {place.shown(path)}", fix)
