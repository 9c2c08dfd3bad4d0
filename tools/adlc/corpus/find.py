"""Finds the one document that somebody names, by its path or its id."""

import os

from adlc import output
from adlc.corpus.model import Document
from adlc.errors import AdlcError


def one(corpus, wanted: str) -> Document:
    """The document with this path, below the root or the working directory, or with this id; with its body and chunks.

    corpus: a load.Corpus. Raises AdlcError ambiguous_id, not_found.
    """
    documents = corpus.documents()
    path = _relative(corpus.root, wanted)
    found = [d for d in documents if d.path == path] or [d for d in documents if d.id == wanted]
    if not found:
        found = [d for d in documents if d.id.casefold() == wanted.casefold()]
    if len(found) > 1:
        import shlex

        paths = [d.path for d in found]
        raise AdlcError(
            "ambiguous_id", f"{len(found)} documents have the id {output.single_line(wanted, 80)}: " + ", ".join(paths),
            f"adlc show {shlex.quote(paths[0])}", candidates=paths,
        )
    if found:
        document = corpus.read(found[0])
        if document is None:
            raise AdlcError("not_found", f"{found[0].path} disappeared while it was being read", "adlc list")
        return document
    for item in corpus.skipped():
        if item.path == path:
            raise AdlcError("not_found", f"{item.path} could not be used: {item.reason}", "repair the file")
    raise AdlcError("not_found", f"no document '{output.single_line(wanted, 80)}' here" + _nearest(wanted, documents), "adlc list")


def _relative(root: str, wanted: str) -> str:
    """The argument as a root-relative path: from the root, or from the working directory."""
    absolute = os.path.join(root, wanted)
    if not os.path.lexists(absolute):
        try:
            absolute = os.path.join(os.getcwd(), wanted)
        except OSError:
            pass  # the working directory is gone, so only the root is left
    folder = os.path.realpath(os.path.dirname(absolute))
    return os.path.relpath(os.path.join(folder, os.path.basename(absolute)), root).replace(os.sep, "/")


def _nearest(wanted: str, documents: list[Document]) -> str:
    import difflib

    near = difflib.get_close_matches(wanted[:80], sorted({d.id for d in documents}), 3)
    return f"; nearest: {', '.join(near)}" if near else ""
