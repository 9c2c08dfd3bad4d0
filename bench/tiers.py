"""Chooses how `adlc context` weighs its signals and draws its tiers, by leaving things out, and prints how well that does.

    python bench/tiers.py --data DIR [--cap 60] [--words 8] [--none FILE] [--keep FILE]

Everything is computed by adlc's own code on an index of each tree; only the constants vary. Each question is asked
whole and cut to its first --words words. What nothing governs is in ungoverned.jsonl, short tasks and long ones;
--none FILE (rows with "query") is asked too, but nothing is chosen by it.

  fusion    weight of meaning by length and by the words that the corpus does not know: grid, objective nDCG@8 + S@3 / 2
  evidence  logistic regression, governed questions against ungoverned tasks; SURE leaves the share UNGOVERNED of these
            without a direct document
  share     grid, objective F1 of direct at a mean of at most MOST direct documents
  leads     least evidence of a related document: what governed questions lose by it, what ungoverned tasks are spared

Held out: chosen without one repository (and, for evidence, without a quarter of the tasks), tried on just these; the
means over the repositories are what one that nobody tuned on can expect. --keep: a file to keep the features in.
Needs the embedded model and the repositories of bench/data.py.
"""

import argparse
import itertools
import json
import math
import pathlib
import pickle
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))

from adlc import env

env.require("core"), env.require("meaning")

import data

from adlc import lifecycle, output
from adlc.commands import context as command
from adlc.corpus import load
from adlc.index import build, choose
from adlc.index.embed import numpy_one_thread
from adlc.ranking import context, fuse, lexical, tiers, weights
from adlc.ranking.query import Query

numpy = numpy_one_thread()

WHOLE, CUT, TASKS, OTHERS = "whole", "cut", "ungoverned", "none"
GRID = {"short": (0.0, 0.15, 0.30, 0.45, 0.60), "unknown": (0.0, 0.3, 0.6)}
SHARES = (0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90)
LEADS = (-99.0, -4.0, -3.5, -3.0, -2.5, -2.0, -1.0, 0.0)
UNGOVERNED, MOST = 0.75, 1.6
FOLDS = 4
NAMES = ("about", "each", "phrase", "name", "ranks")
# So much of the governed side is questions that were cut: whole ones are easy.
CUT_SHARE = 0.8


class Question:
    """One question to one tree, with all that the signals say. words: path -> tiers.Words. size: bytes of the answer, rows:
    documents in it; 0 for questions that only the tiers were asked."""

    def __init__(self, kind: str, task, number: int):
        self.kind, self.task, self.number, self.size, self.rows = kind, task, number, 0, 0


def features(folder: pathlib.Path, cap: int, cut: int, none: dict[str, list[str]]) -> list[Question]:
    tasks, trees = data.read(folder, cap)
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for tree in dict.fromkeys(task.tree for task in tasks):
            root = pathlib.Path(scratch).resolve() / tree
            data.write(root, trees[tree])
            build.rebuild(str(root), lambda existing: choose.for_build(None, existing))
            asked = [(Question(WHOLE, t, 0), t.query) for t in tasks if t.tree == tree]
            asked += [(Question(CUT, t, 0), " ".join(t.query.split()[:cut])) for t in tasks if t.tree == tree]
            if tree == tasks[-1].tree:
                asked += [(Question(kind, None, n), text) for kind, texts in none.items() for n, text in enumerate(texts)]
            load.answer(str(root), lambda corpus: [_ask(corpus, question, text) for question, text in asked], cache=False)
            found += [question for question, _ in asked]
    return found


def _ask(corpus, question: Question, text: str) -> None:
    exclude = lifecycle.spec_exclusions()
    request = context.Request(text, [], ("spec",), None, False, False)
    query = Query(text)
    with context.ExitStack() as held:
        admitted, answer = context._admitted(corpus, request.corpora, exclude)
        near = context._meaning(corpus, request, answer, admitted.keys(), held)
        words = context._Words(corpus, lexical.score(corpus.store, query, request.corpora), query, admitted)
        question.ids = {path: document.id for path, document in admitted.items()}
        question.lexical, question.meaning = words.score, near.score
        question.terms, question.known, question.source, question.about = len(query.weights), words.known, words.source, near.about
        question.words = {path: words.of(path) for path in words.score}
    if question.kind == WHOLE:
        found = context.answer(corpus, request, exclude)
        command.shorten(found)
        question.size, question.rows = output.size(command._document(found)) + command._SCHEMA_BYTES, len(found.direct) + len(found.related)


def ranked(question: Question, share: float) -> tuple[list[str], dict[str, float]]:
    """-> (paths, best first; their fused z-scores), meaning having the weight `share`."""
    signals = {"lexical": question.lexical, "meaning": question.meaning}
    z, _ = fuse.fuse(signals, {"lexical": 1 - share, "meaning": share}, list(question.ids))
    rounded = {path: round(value, 4) for path, value in z.items()}
    return sorted(rounded, key=lambda path: (-rounded[path], question.ids[path], path)), z


def share(question: Question, short: float, unknown: float) -> float:
    return min(weights.MEANING_MOST, short * weights.SHORT / (weights.SHORT + question.terms) + unknown * (1 - question.known))


def ranking(questions: list[Question], chosen, depth: int = 10) -> tuple[float, float]:
    """Mean nDCG@depth and S@3. chosen: question -> weight of meaning."""
    ndcg = success = 0.0
    for question in questions:
        paths, _ = ranked(question, chosen(question))
        ids = data.found([question.ids[path] for path in paths[:20]], question.task)
        ndcg += data.ndcg(ids, question.task, depth)
        success += data.success(ids, question.task)
    return ndcg / len(questions), success / len(questions)


def place(question: Question) -> None:
    """Rank with the weights in use, and note what evidence there is for each document."""
    question.ranked, question.z = ranked(question, share(question, weights.MEANING_SHORT, weights.MEANING_UNKNOWN))
    orders = []
    for values in (question.lexical, question.meaning):
        before = sorted((-values.get(path, 0.0) for path in question.ids))
        orders.append({path: before.index(-values.get(path, 0.0)) for path in question.ranked[:20]})
    question.ranks = {path: (orders[0][path], orders[1][path]) for path in question.ranked[:20]}


def vector(question: Question, path: str) -> list[float]:
    """The evidence for one document, in the order of NAMES, and 1."""
    words = question.words.get(path, tiers.NO_WORDS)
    before = question.ranks.get(path, (50, 50))
    return [
        question.about, min(words.each, tiers.EACH_MOST), min(words.phrase, tiers.PHRASE_MOST),
        min(words.name, tiers.NAME_MOST) / tiers.NAME_MOST, -math.log((1 + before[0]) * (1 + before[1])), 1.0,
    ]


IN_USE = [tiers.ABOUT, tiers.EACH, tiers.PHRASE, tiers.NAME, tiers.RANKS, -tiers.SURE]


def fit(cut: list[Question], whole: list[Question], none: list[Question], l2: float = 1e-3) -> list[float]:
    """Logistic regression by Newton's method over each question's best document; SURE as UNGOVERNED asks."""
    groups = [[vector(q, q.ranked[0]) for q in group] for group in (cut, whole, none)]
    rows = numpy.array([row for group in groups for row in group])
    truth = numpy.array([1.0] * (len(cut) + len(whole)) + [0.0] * len(none))
    weight = numpy.concatenate([numpy.full(len(g), w / len(g)) for g, w in zip(groups, (CUT_SHARE, 1 - CUT_SHARE, 1.0))])
    middle, spread = rows.mean(0), rows.std(0)
    middle[-1], spread[-1] = 0.0, 1.0
    scaled = (rows - middle) / spread
    ridge = numpy.eye(len(middle)) * l2
    ridge[-1, -1] = 0.0
    found = numpy.zeros(len(middle))
    for _ in range(30):
        chance = 1 / (1 + numpy.exp(-scaled @ found))
        slope = scaled.T @ (weight * (chance - truth)) + ridge @ found
        found -= numpy.linalg.solve((scaled.T * (weight * chance * (1 - chance))) @ scaled + ridge, slope)
    plain = found / spread
    plain[-1] = 0.0
    plain[-1] = -numpy.quantile(numpy.array(groups[2]) @ plain, UNGOVERNED)
    return plain.tolist()


def sure(constants: list[float], question: Question, path: str) -> float:
    return sum(c * x for c, x in zip(constants, vector(question, path)))


def judged(question: Question, constants: list[float], direct_share: float) -> tiers.Tiers:
    kept, tiers.DIRECT_SHARE = tiers.DIRECT_SHARE, direct_share
    try:
        return tiers.tiers(question.ranked, question.z, lambda path: sure(constants, question, path), set(), set(), lambda path: False, question.source, None)
    finally:
        tiers.DIRECT_SHARE = kept


def tiered(questions: list[Question], constants: list[float], direct_share: float) -> dict[str, float]:
    """Means of one repository's questions of one kind."""
    total = dict.fromkeys(("f1", "precision", "recall", "direct", "rows", "empty", "nothing", "ndcg", "success"), 0.0)
    for question in questions:
        found = judged(question, constants, direct_share)
        if question.task is None:
            total["empty"] += not found.direct
            total["rows"] += len(found.direct) + len(found.related)
            total["nothing"] += not (found.direct or found.related)
            continue
        task = question.task
        direct = set(data.found([question.ids[path] for path in found.direct], task))
        shown = (found.direct + found.related)[:question.rows or None]
        ids = data.found([question.ids[path] for path in shown], task)
        hit, need = len(direct & task.relevant), len(task.relevant)
        if task.any_:
            hit, need = min(hit, 1), 1
        precision, recall = hit / len(direct) if direct else 0.0, hit / need
        total["f1"] += 2 * precision * recall / (precision + recall) if hit else 0.0
        for name, value in (("precision", precision), ("recall", recall), ("direct", len(direct)), ("empty", not direct),
                            ("rows", len(ids)), ("ndcg", data.ndcg(ids, task)), ("success", data.success(ids, task))):
            total[name] += value
    return {name: value / len(questions) for name, value in total.items()}


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)


def fusion(asked: dict) -> None:
    names = list(asked)
    table = {
        choice: {n: [ranking(asked[n][kind], lambda q: share(q, *choice), 8) for kind in (WHOLE, CUT)] for n in names}
        for choice in itertools.product(*GRID.values())
    }

    def value(choice, repositories) -> float:
        return mean(a + b / 2 + (c + d / 2) / 2 for (a, b), (c, d) in (table[choice][n] for n in repositories))

    def best(repositories):
        return max(table, key=lambda c: (round(value(c, repositories), 6), [-x for x in c]))

    current = (weights.MEANING_SHORT, weights.MEANING_UNKNOWN)
    held = {n: best([other for other in names if other != n]) for n in names}
    rows = {
        "words alone": lambda n, q: 0.0, "meaning alone": lambda n, q: 1.0,
        "in use": lambda n, q: share(q, *current), "held out": lambda n, q: share(q, *held[n]),
    }
    print("fusion, every document ranked (specs only): nDCG@10 and S@3, whole question | cut question")
    for label, chosen in rows.items():
        found = {n: [ranking(asked[n][kind], lambda q: chosen(n, q)) for kind in (WHOLE, CUT)] for n in names}
        total = [mean(found[n][k][m] for n in names) for k in (0, 1) for m in (0, 1)]
        print(f"  {label:14s} {total[0]:.4f} {total[1]:.3f} | {total[2]:.4f} {total[3]:.3f}   " + " ".join(f"{n} {found[n][0][0]:.3f}" for n in names))
    print(f"  held out choices: {' '.join(f'{n} {held[n]}' for n in names)}")
    print(f"  best on all: short, unknown = {best(names)} ({value(best(names), names):.4f}); in use {current} "
          f"({value(current, names) if current in table else float('nan'):.4f}); words alone {value((0.0, 0.0), names):.4f}\n")


def evidence(asked: dict) -> None:
    names = list(asked)

    def fitted(repositories, fold: int | None) -> list[float]:
        none = [q for n in repositories for q in asked[n][TASKS] if fold is None or q.number % FOLDS != fold]
        return fit([q for n in repositories for q in asked[n][CUT]], [q for n in repositories for q in asked[n][WHOLE]], none)

    print(f"evidence: share of answers with an empty direct (best document only)   {' '.join(NAMES)} -SURE")
    held = []
    for name in names:
        others, row = [n for n in names if n != name], []
        for fold in range(FOLDS):
            constants = fitted(others, fold)
            left = [q for q in asked[name][TASKS] if q.number % FOLDS == fold]
            row.append([mean(sure(constants, q, q.ranked[0]) < 0 for q in group) for group in (asked[name][WHOLE], asked[name][CUT], left)])
        held.append([mean(r[k] for r in row) for k in range(3)])
    print(f"  held out: governed {mean(h[0] for h in held):.3f}, cut {mean(h[1] for h in held):.3f}, ungoverned {mean(h[2] for h in held):.3f}")
    for label, constants in (("best on all", fitted(names, None)), ("in use", IN_USE)):
        row = [mean(mean(sure(constants, q, q.ranked[0]) < 0 for q in asked[n][kind]) for n in names) for kind in (WHOLE, CUT, TASKS)]
        print(f"  {label}: governed {row[0]:.3f}, cut {row[1]:.3f}, ungoverned {row[2]:.3f}   {' '.join(f'{c:.2f}' for c in constants)}")
    print()


def shares(asked: dict) -> None:
    names = list(asked)
    table = {s: {n: tiered(asked[n][WHOLE], IN_USE, s) for n in names} for s in SHARES}

    def best(repositories):
        fits = [s for s in SHARES if mean(table[s][n]["direct"] for n in repositories) <= MOST] or [SHARES[-1]]
        return max(fits, key=lambda s: round(mean(table[s][n]["f1"] for n in repositories), 6))

    print("share of the best score that direct needs: F1, mean size of direct")
    for s in SHARES:
        print(f"  {s:.2f}  {mean(table[s][n]['f1'] for n in names):.3f}  {mean(table[s][n]['direct'] for n in names):.2f}" + ("  in use" if s == tiers.DIRECT_SHARE else ""))
    held = {n: best([o for o in names if o != n]) for n in names}
    print(f"  held out: F1 {mean(table[held[n]][n]['f1'] for n in names):.3f}, direct {mean(table[held[n]][n]['direct'] for n in names):.2f}\n")


def leads(asked: dict) -> None:
    print(f"least evidence of related, {tiers.RELATED_CAP} rows: nDCG@10 whole, cut; rows of ungoverned tasks, share of them without a row")
    kept = tiers.LEAD
    for least in LEADS:
        tiers.LEAD = least
        row = [{kind: tiered(kinds[kind], IN_USE, tiers.DIRECT_SHARE) for kind in (WHOLE, CUT, TASKS)} for kinds in asked.values()]
        print(f"  {least:6.1f}  {mean(r[WHOLE]['ndcg'] for r in row):.4f} {mean(r[CUT]['ndcg'] for r in row):.4f}  "
              f"{mean(r[TASKS]['rows'] for r in row):.2f} {mean(r[TASKS]['nothing'] for r in row):.3f}" + ("  in use" if least == kept else ""))
    tiers.LEAD = kept
    print()


def result(asked: dict) -> None:
    print("in use, rows as shown       nDCG@10   S@3     F1  direct   rows  empty |  cut: F1  direct  empty | ungoverned  none   bytes |"
          " ungoverned: rows  no row  none: rows  no row")
    total = []
    for name, kinds in asked.items():
        whole, cut = (tiered(kinds[kind], IN_USE, tiers.DIRECT_SHARE) for kind in (WHOLE, CUT))
        none = [tiered(kinds[kind], IN_USE, tiers.DIRECT_SHARE) if kinds[kind] else {} for kind in (TASKS, OTHERS)]
        sizes = sorted(q.size for q in kinds[WHOLE])
        total.append([whole["ndcg"], whole["success"], whole["f1"], whole["direct"], whole["rows"], whole["empty"],
                      cut["f1"], cut["direct"], cut["empty"], *(row.get("empty", math.nan) for row in none), sizes[len(sizes) // 2],
                      *(row.get(name, math.nan) for row in none for name in ("rows", "nothing"))])
        print(_line(name, len(kinds[WHOLE]), total[-1]))
    print(_line("mean", sum(len(k[WHOLE]) for k in asked.values()), [mean(column) for column in zip(*total)]))
    sizes = sorted(q.size for kinds in asked.values() for q in kinds[WHOLE])
    print(f"compact JSON of all whole questions: median {sizes[len(sizes) // 2]} bytes, nine in ten at most {sizes[len(sizes) * 9 // 10]}")


def _line(name: str, count: int, row: list[float]) -> str:
    a = "{:9.3f} {:5.3f}  {:5.3f}  {:6.2f} {:6.2f}  {:5.3f}".format(*row[:6])
    return f"{name:18s} n={count:4d} {a} |  {row[6]:6.3f}  {row[7]:6.2f}  {row[8]:5.3f} |      {row[9]:5.3f} {row[10]:5.3f}  {row[11]:6.0f} |       {row[12]:5.2f}   {row[13]:5.3f}       {row[14]:5.2f}   {row[15]:5.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--cap", type=int, default=60)
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--none", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    none = {TASKS: _column(HERE / "ungoverned.jsonl", "task"), OTHERS: _column(options.none, "query") if options.none else []}
    if options.keep and options.keep.exists():
        found = pickle.loads(options.keep.read_bytes())
    else:
        found = {}
        for name in data.repositories(options.data):
            found[name] = features(options.data / name, options.cap, options.words, none)
            print(f"{name}: {len(found[name])} questions", file=sys.stderr, flush=True)
        if options.keep:
            options.keep.write_bytes(pickle.dumps(found))
    asked = {name: {kind: [q for q in questions if q.kind == kind] for kind in (WHOLE, CUT, TASKS, OTHERS)} for name, questions in found.items()}
    for question in itertools.chain.from_iterable(found.values()):
        place(question)
    fusion(asked)
    evidence(asked)
    shares(asked)
    leads(asked)
    result(asked)


def _column(path: pathlib.Path, key: str) -> list[str]:
    return [json.loads(line)[key] for line in path.open(encoding="utf-8")]


if __name__ == "__main__":
    main()
