"""Chooses the constants of the lexical floor by leave-one-out over repositories, and prints how well that does.

    python bench/choose.py --data DIR [--cap 60]

The objective is nDCG@10 + S@3 / 2, each averaged within a repository first. For each repository the best
constants on all the others are tried on it; the mean of these held-out figures is what a repository nobody
tuned on can expect. The optimum is flat: constants whose mean lies within two standard errors of the best
(paired over repositories) are a draw with it, and how many those are is printed. Those in use, in
tools/adlc/ranking/weights.py, must be among them; among equals they keep more weight on phrases, which
documents that quote each other need, and less on the name, the first sentence and function words. Needs PyYAML.
"""

import argparse
import itertools
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import data

from adlc.corpus import load
from adlc.ranking import lexical, weights
from adlc.ranking.query import Query

GRID = {
    "subject": (0.0, 0.5, 1.0),
    "function": (0.25, 0.5, 1.0),
    "name": (0.75, 1.0, 1.25, 1.5),
    "purpose": (0.2, 0.4, 0.6, 1.0),
    "phrase": (0.0, 0.5, 1.0, 1.25, 1.5, 2.0),
}
PLAIN = (0.0, 1.0, 1.0, 1.0, 0.0)
DEPTH = 40


def features(folder: pathlib.Path, cap: int) -> list[tuple]:
    """[(task, (subject, function) -> [(id, path, name, purpose, body, phrase)])] of one repository."""
    tasks, trees = data.read(folder, cap)
    out = []
    with tempfile.TemporaryDirectory() as scratch:
        for tree in dict.fromkeys(task.tree for task in tasks):
            root = pathlib.Path(scratch) / tree
            data.write(root, trees[tree])
            here = [task for task in tasks if task.tree == tree]
            out += load.answer(str(root.resolve()), lambda corpus: [(t, _parts(corpus, t)) for t in here], cache=False)
    return out


def _parts(corpus, task: data.Task) -> dict[tuple, list[tuple]]:
    rows = {}
    for words in itertools.product(GRID["subject"], GRID["function"]):
        scores = lexical.score(corpus.store, Query(task.query, *words))
        documents = corpus.store.documents(scores.docids)
        best = sorted(scores.docids, key=lambda d: -sum(scores.parts[p].get(d, 0.0) for p in lexical.PARTS))[:DEPTH]
        rows[words] = [
            (documents[d].id, documents[d].path, *(scores.parts[p].get(d, 0.0) for p in ("name", "purpose", "body", "phrase")))
            for d in best
        ]
    return rows


def result(tasks: list[tuple], subject: float, function: float, name: float, purpose: float, phrase: float) -> tuple[float, float]:
    """Mean nDCG@10 and S@3 of one repository."""
    total_ndcg = total_success = 0.0
    for task, rows in tasks:
        ranked = sorted(
            ((round(name * n + purpose * p + b + phrase * x, 4), id, path) for id, path, n, p, b, x in rows[subject, function]),
            key=lambda row: (-row[0], row[1], row[2]),
        )
        ids = data.found([id for _, id, _ in ranked[:20]], task)
        total_ndcg += data.ndcg(ids, task)
        total_success += data.success(ids, task)
    return total_ndcg / len(tasks), total_success / len(tasks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--cap", type=int, default=60)
    options = parser.parse_args()
    repositories = data.repositories(options.data)
    tasks = {name: features(options.data / name, options.cap) for name in repositories}
    table = {
        choice: {name: result(tasks[name], *choice) for name in repositories} for choice in itertools.product(*GRID.values())
    }

    def value(choice: tuple, names: list[str]) -> list[float]:
        return [table[choice][n][0] + table[choice][n][1] / 2 for n in names]

    def best(names: list[str]) -> tuple:
        return max(table, key=lambda c: (round(sum(value(c, names)), 6), [-x for x in c]))

    def draws(choice: tuple) -> bool:
        gaps = [x - y for x, y in zip(value(best(repositories), repositories), value(choice, repositories))]
        return statistics.mean(gaps) <= 2 * statistics.stdev(gaps) / len(gaps) ** 0.5

    held = {}
    for name in repositories:
        choice = best([other for other in repositories if other != name])
        held[name] = table[choice][name]
        print(f"{name:18s} n={len(tasks[name]):3d}  held out: nDCG@10 {held[name][0]:.3f} S@3 {held[name][1]:.3f}  {_named(choice)}")
    print(f"held out, mean:         nDCG@10 {_mean(held, 0):.3f} S@3 {_mean(held, 1):.3f}")
    current = (weights.SUBJECT, weights.FUNCTION, weights.FIELDS["name"], weights.FIELDS["purpose"], weights.PHRASE)
    for label, choice in (("plain sum", PLAIN), ("in use", current), ("best on all", best(repositories))):
        row = table[choice]
        print(f"{label + ', mean:':23s} nDCG@10 {_mean(row, 0):.3f} S@3 {_mean(row, 1):.3f}  {_named(choice)}")
    print(f"within two standard errors of the best: {sum(map(draws, table))} of {len(table)}; in use: {'yes' if draws(current) else 'no'}")


def _named(choice: tuple) -> str:
    return " ".join(f"{name} {value:g}" for name, value in zip(GRID, choice))


def _mean(rows: dict, place: int) -> float:
    return sum(row[place] for row in rows.values()) / len(rows)


if __name__ == "__main__":
    main()
