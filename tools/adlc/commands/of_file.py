"""Name the documents that precisely claim a file: in their scope or code, by its name or by a narrow pattern.

For a file that no document claims, name those that usually changed with it in the past: that is no claim.
"""

import os

from adlc import output, project
from adlc.corpus import load
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
    claimed, usual, off = load.answer(root, lambda corpus: _found(corpus, path))
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
    return OK


def _found(corpus, path: str) -> tuple:
    """-> (documents that claim the file, those that usually change with it, why these are not asked for)."""
    claimed = paths.claiming(corpus.root, corpus.documents(), path)
    return (claimed, [], "a document claims it") if claimed else ([], *history.companions(corpus, path))
