"""Asks the questions of bench/scout of `adlc search`, and reports how often a governing document comes first, or among three.

    python bench/scout.py [--data DIR] [--misses]

--data: public trees in the format of bench/data.py; without it only this repository's own questions are
asked. A tree with several states is asked in its largest one. --misses prints what was not among the three.
Needs PyYAML.
"""

import argparse
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import data

from adlc.corpus import load
from adlc.corpus.store import CORPORA
from adlc.ranking.search import search

DEPTH = 10


def questions(path: pathlib.Path) -> list[data.Task]:
    return [data.Task(row, row["relevant"], row.get("repo", "adlc")) for row in map(json.loads, path.open(encoding="utf-8"))]


def documents(folder: pathlib.Path) -> list[dict]:
    """The documents of a public tree: its one state, or the one with the most documents."""
    _, trees = data.read(folder, 1)
    return trees[max(trees, key=lambda key: (len(trees[key]), key))]


def ask(root: pathlib.Path, tasks: list[data.Task]) -> list[list[str]]:
    """The ids that search gives for each question."""
    return load.answer(
        str(root.resolve()), lambda corpus: [[hit.document.id for hit in search(corpus, task.query, DEPTH, CORPORA).hits] for task in tasks],
        cache=False,
    )


def report(name: str, tasks: list[data.Task], answers: list[list[str]], misses: bool) -> list[tuple[float, float]]:
    ranked = [data.found(ids, task) for ids, task in zip(answers, tasks)]
    figures = [(data.success(ids, task, 1), data.success(ids, task, 3)) for ids, task in zip(ranked, tasks)]
    line(name, figures)
    if misses:
        for task, ids, (_, third) in zip(tasks, ranked, figures):
            if not third:
                print(f"    {task.query}\n      wanted {', '.join(sorted(task.relevant))}; got {', '.join(ids[:3]) or 'nothing'}")
    return figures


def line(name: str, figures: list[tuple[float, float]]) -> None:
    first, third = (sum(column) / len(figures) for column in zip(*figures))
    print(f"{name:12} {len(figures):3} questions  R@1 {first:.3f}  R@3 {third:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    own = questions(ROOT / "bench/scout/adlc.jsonl")
    figures = report("adlc", own, ask(ROOT, own), options.misses)
    if options.data:
        public = questions(ROOT / "bench/scout/public.jsonl")
        for repo in dict.fromkeys(task.tree for task in public):
            tasks = [task for task in public if task.tree == repo]
            with tempfile.TemporaryDirectory() as scratch:
                data.write(pathlib.Path(scratch), documents(options.data / repo))
                figures += report(repo, tasks, ask(pathlib.Path(scratch), tasks), options.misses)
        line("all", figures)


if __name__ == "__main__":
    main()
