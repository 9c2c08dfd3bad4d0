"""spec-of-file, after an edit: the documents that precisely claim the file, once a file and session.

Where none does, those that usually changed with it, if the past has been read already for this commit.
"""

import os

from adlc import output, project
from adlc.corpus import load
from adlc.hooks import remark, session
from adlc.ranking import paths

NAME, EVENT = "spec-of-file", "PostToolUse"


def text(call: dict, root: str) -> str | None:
    path = _path(call)
    if path is None or session.said(call["session_id"], path):
        return None
    claimed, usual = load.answer(root, lambda corpus: _found(corpus, path))
    relative = output.single_line(paths.clean(root, path), 100)
    return remark.compose(
        EVENT, f"{relative} is governed by: ", [remark.named(document) for document, _ in claimed],
        "; {} more: adlc of-file",
    ) or remark.compose(
        EVENT, f"No document claims {relative}; it usually changes with: ",
        [f"{remark.named(document)} ({bond.both} of {bond.every} changes)" for document, bond in usual], "; {} more: adlc of-file",
    )


def _found(corpus, path: str) -> tuple:
    claimed = paths.claiming(corpus.root, corpus.documents(), path)
    if claimed:
        return claimed, []
    from adlc.ranking import history

    return [], history.companions(corpus, path, build=False)[0]


def mark(call: dict) -> str:
    return _path(call)


def root_of(call: dict) -> str | None:
    path = _path(call)
    return path and project.find_root(paths.nearest_folder(path))


def _path(call: dict) -> str | None:
    given = call.get("tool_input")
    path = given.get("file_path") if isinstance(given, dict) else None
    if not isinstance(path, str) or not path or "\0" in path:
        return None
    return os.path.normpath(os.path.join(call["cwd"], path))
