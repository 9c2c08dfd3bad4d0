"""Reads refs and the artifact folders of commits out of a repository, in as few git calls as that takes."""

from adlc import git

# Reading every tree outright is one git call; past this many tips it is cheaper to ask first which
# of them are the same.
_READ_OUTRIGHT = 64


def list_refs(cwd: str, deadline, *patterns: str, environment: dict | None = None) -> dict[str, str]:
    """ref -> object id. Raises GitFailed."""
    out = git.run(cwd, "for-each-ref", "--format=%(objectname) %(refname)", *patterns, timeout=deadline(), environment=environment)
    return {ref: oid for oid, _, ref in (line.partition(" ") for line in out.decode("utf-8", "surrogateescape").splitlines())}


def artifact_names(cwd: str, tips: list[str], folders: list[str], deadline, environment: dict | None = None) -> dict[str, list[str]]:
    """tip -> names in its artifact folders; a tip without one is left out. Raises GitFailed."""
    wanted = [(tip, folder) for tip in tips for folder in folders if "\n" not in folder]
    names: dict[str, list[str]] = {}
    if len(tips) <= _READ_OUTRIGHT:
        for (tip, _), tree in zip(wanted, _cat(cwd, wanted, deadline, environment)):
            names.setdefault(tip, []).extend(tree)
    else:
        asked = "".join(f"{tip}:{folder}\n" for tip, folder in wanted).encode("utf-8", "surrogateescape")
        out = git.run(cwd, "cat-file", "--batch-check=%(objectname)", timeout=deadline(), stdin=asked, environment=environment)
        objects = [None if line.endswith(b" missing") else line.decode() for line in out.splitlines()]
        unique = sorted({oid for oid in objects if oid})
        content = dict(zip(unique, _cat(cwd, [(oid, None) for oid in unique], deadline, environment)))
        for (tip, _), oid in zip(wanted, objects):
            if oid:
                names.setdefault(tip, []).extend(content[oid])
    return {tip: found for tip, found in names.items() if found}


def _cat(cwd: str, objects: list, deadline, environment: dict | None) -> list[list[str]]:
    """The entry names of each tree; [] for one that does not exist."""
    if not objects:
        return []
    asked = "".join(f"{tip}\n" if folder is None else f"{tip}:{folder}\n" for tip, folder in objects).encode("utf-8", "surrogateescape")
    out = git.run(cwd, "cat-file", "--batch", timeout=deadline(), stdin=asked, environment=environment)
    trees, at = [], 0
    for _ in objects:
        end = out.index(b"\n", at)
        header, at = out[at:end], end + 1
        if header.endswith((b" missing", b" ambiguous")):
            trees.append([])
            continue
        oid, kind, size = header.split()
        trees.append(_entries(out[at:at + int(size)], len(oid) // 2) if kind == b"tree" else [])
        at += int(size) + 1
    return trees


def _entries(tree: bytes, oid_bytes: int) -> list[str]:
    """The names in a raw tree object: `mode SP name NUL oid`, repeated."""
    names, at = [], 0
    while at < len(tree):
        start = tree.index(b" ", at) + 1
        end = tree.index(b"\0", start)
        names.append(tree[start:end].decode("utf-8", "surrogateescape"))
        at = end + 1 + oid_bytes
    return names
