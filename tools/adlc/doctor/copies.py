"""The installations of adlc that this user has: the one that runs, the plugin's, those on PATH."""

import os
import re

from adlc import files, programs
from adlc.doctor import jsonfile
from adlc.doctor.place import Place
from adlc.installation import manifest

_VERSION = re.compile(r'^__version__ = "([^"]+)"', re.M)


def plugins(place: Place) -> list[tuple[str, tuple[str, ...], str]]:
    """(name@marketplace, directories, version) of every adlc that Claude Code has installed as a plugin.

    Two directories where the marketplace is one: newer clients run that, older ones the copy they made of it.
    """
    found = []
    try:
        installed = jsonfile.read(os.path.join(place.claude, "plugins", "installed_plugins.json")).get("plugins")
        markets = jsonfile.read(os.path.join(place.claude, "plugins", "known_marketplaces.json"))
    except jsonfile.Malformed:
        return []
    for name, entries in installed.items() if isinstance(installed, dict) else ():
        if name.split("@")[0] != "adlc" or not isinstance(entries, list):
            continue
        market = markets.get(name.partition("@")[2])
        source = market.get("source") if isinstance(market, dict) else None
        live = source.get("path") if isinstance(source, dict) and source.get("source") == "directory" else None
        for entry in entries:
            if isinstance(entry, dict) and isinstance(entry.get("installPath"), str):
                folders = (entry["installPath"], live) if isinstance(live, str) else (entry["installPath"],)
                found.append((name, folders, str(entry.get("version", "unknown"))))
    return sorted(found)


def versions(place: Place) -> set[str]:
    """The versions of all copies that can be found, with the running one's and those that open sessions may still use."""
    folders = [place.installation, installed_from(place), *(root for _, root in on_path(place))]
    for _, own, _ in plugins(place):
        # Beside the plugin's copy the client keeps that of the version before until no session needs it.
        folders += [*own, *(os.path.join(os.path.dirname(own[0]), name) for name in _names(os.path.dirname(own[0])))]
    return {version for folder in dict.fromkeys(folders) if folder and (version := _version(folder))}


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _version(folder: str) -> str:
    try:
        with open(os.path.join(folder, "tools", "adlc", "__init__.py"), encoding="utf-8") as file:
            match = _VERSION.search(file.read(4096))
    except (OSError, ValueError):
        return ""
    return match[1] if match else ""


def plugin_of(place: Place) -> str:
    """The name of the plugin whose copy is running, or ""."""
    return next((name for name, folders, _ in plugins(place) if any(files.same(folder, place.installation) for folder in folders)), "")


def on_path(place: Place, program: str = "adlc") -> list[tuple[str, str]]:
    """(file, the checkout it leads to or "") of every `program` on PATH, in order; files that lead nowhere included."""
    found = []
    for entry in dict.fromkeys(programs.absolute_path().split(os.pathsep)):
        path = os.path.join(entry, program)
        if entry and os.path.lexists(path) and not os.path.isdir(path):
            found.append((path, leads_to(place, path)))
    return found


def leads_to(place: Place, launcher: str) -> str:
    """The checkout whose bin/ really holds this file, or that install.sh wrote it for; else ""."""
    folder = os.path.dirname(os.path.dirname(os.path.realpath(launcher)))
    if os.path.isfile(os.path.join(folder, "tools", "adlc", "__main__.py")):
        return folder
    # Where a checkout has lost its executable bits install.sh writes a program of its own.
    record = manifest.read(place.claude, tolerant=True)
    return record.checkout if not os.path.islink(launcher) and record.owns(launcher) else ""


def kind(place: Place) -> str:
    """How the running copy was installed, as far as that can be seen."""
    if plugin_of(place):
        return "plugin"
    plugin_root = os.environ.get("CLAUDE_PLUGIN_ROOT", "")
    if plugin_root and files.same(plugin_root, place.installation):
        return "plugin"
    return "installed by install.sh from" if files.same(installed_from(place), place.installation) else "checkout"


def installed_from(place: Place) -> str:
    """The checkout that install.sh links to, or "" when that was not used or cannot be told."""
    return manifest.read(place.claude, tolerant=True).checkout
