"""Chooses what the past weighs in `adlc context --paths`, by leaving one repository out at a time.

    python bench/history.py --data DIR [--cap 60] [--paths 3] [--keep FILE]

Needs the embedded model and repositories with a history.bundle (see bench/data.py). Each question is asked where its
repository stood just before the change it describes, with the past that was known then, and with the first few of
the files that the change went on to touch. Everything is computed by adlc's own code; only the constants of
ranking/weights.py vary. The objective is nDCG@10 + R@5 over the nine documents that an answer has room for, each
averaged within a repository first.

Printed: the best on all other repositories tried on the one left out; what is in use and each part of it alone;
how many combinations are a draw with the best (within two standard errors, paired over repositories); and where
documents that never changed before stand with the past and without. --keep: a file to keep the features in.
"""

import argparse
import itertools
import math
import pathlib
import pickle
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

from adlc import env

env.require("core"), env.require("meaning")

import data

from adlc.corpus import load
from adlc.index import build, choose, store
from adlc.ranking import fuse, history, lexical, meaning, paths, weights
from adlc.ranking.query import Query
from adlc.signals import past_store

SHOWN = 9
GRID = {
    "path_words": (0.0, 0.5, 1.0, 1.5, 2.0),
    "together": (0.0, 0.2, 0.4, 0.6),
    "votes": (0.0, 0.2, 0.4, 0.6),
    "prior": (4.0, 8.0, 16.0),
}
WORDS_ALONE = (weights.PATH_WORDS, 0.0, 0.0, weights.PRIOR)


class Question:
    """ids: path -> id. lexical, path_words, meaning: path -> score. terms: how many the task has.
    known: the share of the task that the documents know. given: files, can be empty. together:
    prior -> path -> nats. votes: path -> share. changed: paths of documents that ever changed; None when the past is off."""


def features(folder: pathlib.Path, cap: int, most: int) -> list[Question]:
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        base = pathlib.Path(scratch) / "base.git"
        data.unbundle(folder, base)
        asked = data.read_history(folder, cap, most)
        for commit in dict.fromkeys(commit for _, commit, _ in asked):
            root = pathlib.Path(scratch).resolve() / commit
            data.check_out(base, root, commit)
            build.rebuild(str(root), lambda existing: choose.for_build(None, existing))
            here = [(task, given) for task, at, given in asked if at == commit]
            found += load.answer(str(root), lambda corpus: [_ask(corpus, task, given) for task, given in here], cache=False)
    return found


def _ask(corpus, task: data.Task, given: list[str]) -> Question:
    question, query = Question(), Query(task.query)
    documents = {document.path: document for document in corpus.documents() if document.corpus == "spec"}
    question.task, question.given, question.terms = task, given, len(query.weights)
    question.ids = {path: document.id for path, document in documents.items()}
    scores = lexical.score(corpus.store, query, ("spec",))
    question.lexical = {path: scores.total(docid) for docid, path in corpus.store.paths(scores.docids).items() if path in documents}
    question.known = sum(share for term, share in scores.shares(query).items() if scores.terms.get(term))
    question.path_words = paths.words(corpus, given, ("spec",))
    with store.load(corpus.root) as index:
        question.meaning = meaning.nearness(index, choose.for_query(corpus.root, index.metadata), task.query, set(documents)).score
    where = history.places(corpus)
    keys = {path: where.key(path) for path in documents}
    question.together, question.votes, question.changed = {}, {}, None
    files = [where.of(file).document or file for file in given]

    def look(past) -> None:
        question.changed = {path for path, key in keys.items() if key in past.documents}
        in_use = weights.PRIOR
        for weights.PRIOR in GRID["prior"]:
            told = history.History(past, files, query.weights)
            question.together[weights.PRIOR] = {path: told.together[key] for path, key in keys.items() if key in told.together}
        weights.PRIOR = in_use
        question.votes = {path: told.votes[key] for path, key in keys.items() if key in told.votes}

    past_store.answer(corpus.root, where, look)
    return question


def ranked(question: Question, path_words: float, together: float, votes: float, prior: float) -> list[str]:
    """Paths, best first, as `adlc context` ranks them."""
    every = sorted(question.ids)
    words = {path: question.lexical.get(path, 0.0) + path_words * question.path_words.get(path, 0.0) for path in every}
    z, _ = fuse.fuse({"lexical": words, "meaning": question.meaning}, weights.signals(question.terms, question.known), every)
    if question.changed and question.given:
        nats, shares = question.together[prior], question.votes
        lift = {path: together * nats.get(path, 0.0) + votes * shares.get(path, 0.0) for path in every}
        share = weights.UNCHANGED * sum(lift[path] for path in question.changed) / len(question.changed)
        z = {path: z[path] + (lift[path] if path in question.changed else share) for path in every}
    return sorted(every, key=lambda path: (-round(z[path], 4), question.ids[path], path))


def result(questions: list[Question], *choice: float) -> tuple[float, float, float]:
    """Mean nDCG@10, R@5 and S@3 of one repository."""
    rows = []
    for question in questions:
        ids = data.found([question.ids[path] for path in ranked(question, *choice)[:SHOWN]], question.task)
        rows.append((data.ndcg(ids, question.task), data.recall(ids, question.task), data.success(ids, question.task)))
    return tuple(statistics.mean(column) for column in zip(*rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--cap", type=int, default=60)
    parser.add_argument("--paths", type=int, default=3)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if options.keep and options.keep.exists():
        asked = pickle.loads(options.keep.read_bytes())
    else:
        names = [name for name in data.repositories(options.data) if (options.data / name / "history.bundle").exists()]
        asked = {name: features(options.data / name, options.cap, options.paths) for name in names}
        if options.keep:
            options.keep.write_bytes(pickle.dumps(asked))
    table = {choice: {name: result(asked[name], *choice) for name in asked} for choice in itertools.product(*GRID.values())}

    def value(choice: tuple, names) -> list[float]:
        return [table[choice][name][0] + table[choice][name][1] for name in names]

    def best(names) -> tuple:
        return max(table, key=lambda choice: (round(sum(value(choice, names)), 6), [-x for x in choice]))

    def draws(choice: tuple) -> bool:
        gaps = [x - y for x, y in zip(value(best(asked), asked), value(choice, asked))]
        return statistics.mean(gaps) <= 2 * statistics.stdev(gaps) / math.sqrt(len(gaps))

    in_use = (weights.PATH_WORDS, weights.TOGETHER, weights.VOTES, weights.PRIOR)
    nothing = (0.0, 0.0, 0.0, weights.PRIOR)
    held = {}
    for name in asked:
        choice = best([other for other in asked if other != name])
        held[name] = table[choice][name]
        used, before = table[in_use][name], table[nothing][name]
        print(f"{name:12s} n={len(asked[name]):3d}  without files {_shown(before)}  in use {_shown(used)}  held out {_shown(held[name])}  {_named(choice)}")
    print(f"held out, mean:            {_shown(_mean(held))}")
    for label, choice in (
        ("without files", nothing), ("words of the files alone", WORDS_ALONE), ("changed together alone", (0.0, weights.TOGETHER, 0.0, weights.PRIOR)),
        ("votes alone", (0.0, 0.0, weights.VOTES, weights.PRIOR)), ("in use", in_use), ("best on all", best(asked)),
    ):
        print(f"{label + ', mean:':26s} {_shown(_mean(table[choice]))}  {_named(choice)}")
    print(f"within two standard errors of the best: {sum(map(draws, table))} of {len(table)}; in use: {'yes' if draws(in_use) else 'no'}")
    for label, relevant in (("all", False), ("relevant", True)):
        places = list(_places(asked, in_use, relevant)) or [(math.nan, math.nan)]
        print(f"documents that never changed before, {label}: {len(places)}, mean rank {statistics.mean(b for b, _ in places):.2f} "
              f"without the past, {statistics.mean(a for _, a in places):.2f} with it")


def _places(asked: dict, in_use: tuple, relevant: bool):
    """(rank by text, meaning and the words of the files; rank with the past as well) of each document that never changed."""
    for questions in asked.values():
        for question in questions:
            if question.changed is None or not question.given:
                continue
            orders = [ranked(question, *choice) for choice in (WORDS_ALONE, in_use)]
            for path in question.ids.keys() - question.changed:
                if not relevant or question.ids[path] in question.task.relevant:
                    yield orders[0].index(path) + 1, orders[1].index(path) + 1


def _shown(row: tuple) -> str:
    return f"nDCG@10 {row[0]:.3f} R@5 {row[1]:.3f} S@3 {row[2]:.3f}"


def _named(choice: tuple) -> str:
    return " ".join(f"{name} {value:g}" for name, value in zip(GRID, choice))


def _mean(rows: dict) -> tuple:
    return tuple(statistics.mean(column) for column in zip(*rows.values()))


if __name__ == "__main__":
    main()
