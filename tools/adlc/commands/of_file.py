"""Name the documents that precisely claim a file: in their scope or code, by its name or by a narrow pattern.

For a file that no document claims, name those that usually changed with it in the past: that is no claim.
"""

import os

from adlc import output, project
from adlc.corpus import load
from adlc.corpus.segments import CORPORA
from adlc.errors import OK
from adlc.ranking import history, paths

EXAMPLES = [
    ("adlc of-file src/session.py", "the documents that claim it"),
]


def arguments(parser) -> None:
    parser.add_argument("path", metavar="PATH", help="a file; it need not exist")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--root", metavar="DIR", help="the project's root; default: the nearest one above the file")


def run(options) -> int:
    path = os.path.join(project.working_directory(), options.path)
    root = project.root(options.root) if options.root is not None else project.find_root(paths.nearest_folder(path)) or project.root(None)
    claimed, usual, off, absent = load.answer(root, lambda corpus: _found(corpus, path))
    if options.json:
        output.document("of-file", {
            "path": paths.clean(root, path),
            "documents": [
                {
                    "id": document.id, "title": output.single_line(document.title), "path": document.path, "corpus": document.corpus,
                    "layout": document.layout, "status": document.status,
                    "match": "file" if match.strength == paths.EXACT else "pattern", "claims": match.patterns,
                }
                for document, match in claimed
            ],
            "usual": [
                {
                    "id": document.id, "title": output.single_line(document.title), "path": document.path, "corpus": document.corpus,
                    "layout": document.layout, "status": document.status, "together": bond.both, "changes": bond.every,
                }
                for document, bond in usual
            ],
            "usualOff": output.single_line(off, 160) or None,
        })
    else:
        output.text([
            f"{output.bold(output.single_line(document.path))}  {output.single_line(document.title, 120)}".rstrip() for document, _ in claimed
        ] + [
            f"usually changes with (no claim): {output.single_line(document.path)}  {output.single_line(document.title, 120)}"
            f" ({bond.both} of {bond.every} changes)"
            for document, bond in usual
        ])
        if not claimed:
            output.talk("adlc: " + output.single_line(absent))
            if off and not usual:
                output.talk(f"adlc: what usually changes with it is not known: {output.single_line(off, 160)}")
    return OK


def _found(corpus, path: str) -> tuple:
    """-> (documents that claim the file, those that usually change with it, why these are not asked for, why none claims it)."""
    documents = corpus.documents()
    claimed = paths.claiming(corpus.root, documents, path)
    if claimed:
        return claimed, [], "a document claims it", ""
    return [], *history.companions(corpus, path), _absent(corpus, documents, path)


def _absent(corpus, documents: list, path: str) -> str:
    if not documents:
        return output.absent(CORPORA, 0, len(corpus.skipped()))
    name = paths.clean(corpus.root, path)
    if name.split("/")[0] == os.pardir:
        return f"{path} is not below {corpus.root}: nothing there can be claimed"
    withdrawn = paths.withdrawn(corpus.root, documents, path)
    left_out = f"; left out as no prior art: {', '.join(f'{d.id} ({d.status})' for d in withdrawn)}" if withdrawn else ""
    return f"no document precisely claims {name} ({len(documents)} looked at){left_out}"
