#!/usr/bin/env python3
"""What the corpus loader makes of real spec trees: skips.py DATA_DIR [REPO …]

DATA_DIR/<repo>/ holds corpus.jsonl or blobs.jsonl, one {"path", "text"} a line; of a path that occurs
more than once, every version is read. Prints, a repository at a time: documents, chunks, documents
without a purpose or without a part, skipped files with the reason, and problems by kind.
"""

import collections
import json
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

from adlc.corpus import load  # noqa: E402


def trees(folder: pathlib.Path):
    """Lists of (path, text), no path twice in one: the nth holds the nth version of each path."""
    versions = collections.defaultdict(list)
    for name in ("blobs.jsonl", "corpus.jsonl"):
        if (folder / name).exists():
            for line in (folder / name).read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                versions[row["path"]].append(row["text"])
            break
    for number in range(max(map(len, versions.values()), default=0)):
        yield [(path, texts[number]) for path, texts in sorted(versions.items()) if number < len(texts)]


def report(folder: pathlib.Path) -> None:
    counts, problems, skipped, notes = collections.Counter(), collections.Counter(), [], collections.Counter()
    layouts, seconds = collections.Counter(), 0.0
    for tree in trees(folder):
        with tempfile.TemporaryDirectory() as root:
            root = os.path.realpath(root)
            for path, text in tree:
                target = os.path.join(root, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "w", encoding="utf-8", newline="") as handle:
                    handle.write(text)
            started = time.perf_counter()
            documents, missing = load.answer(root, lambda c: ([c.read(d) for d in c.documents()], c.skipped()), cache=False)
            seconds += time.perf_counter() - started
        counts["files"] += len(tree)
        counts["documents"] += len(documents)
        skipped += [f"{s.path}: {s.reason}" for s in missing]
        for document in documents:
            layouts[document.layout] += 1
            counts["chunks"] += len(document.chunks)
            counts["requirements"] += document.requirements
            counts["no purpose"] += not document.purpose
            counts["no chunk"] += not document.chunks
            counts["no requirement"] += not document.requirements
            if not document.chunks:
                notes[document.path] += 1
            for problem in document.problems:
                problems[re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'…'", problem))[:110]] += 1
    print(f"{folder.name}: {', '.join(f'{k} {v}' for k, v in counts.items())}; {dict(layouts)}; {seconds:.2f} s, read twice")
    for line in sorted(set(skipped)):
        print(f"    skipped {line}")
    for kind, count in problems.most_common():
        print(f"    problem {count} × {kind}")
    for path, count in sorted(notes.items()):
        print(f"    no chunk {path} × {count}")


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 0 if len(sys.argv) > 1 else 2
    data = pathlib.Path(sys.argv[1])
    for folder in sorted(data.iterdir()):
        if folder.is_dir() and (len(sys.argv) == 2 or folder.name in sys.argv[2:]):
            report(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
