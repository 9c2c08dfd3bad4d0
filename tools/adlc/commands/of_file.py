"""Name the documents that precisely claim a file: in their scope or code, by its name or by a narrow pattern."""

import os

from adlc import output, project
from adlc.corpus import load
from adlc.errors import OK
from adlc.ranking import paths

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
    claimed = load.answer(root, lambda corpus: paths.claiming(root, corpus.documents(), path))
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
        })
    else:
        output.text([
            f"{output.bold(output.single_line(document.path))}  {output.single_line(document.title, 120)}".rstrip() for document, _ in claimed
        ])
    return OK
