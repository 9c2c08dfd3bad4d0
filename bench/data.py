"""Reads a retrieval benchmark: trees of documents as they stood, queries, and what they should find.

A data directory holds one directory a repository, with queries.jsonl and either corpus.jsonl (one
tree) or blobs.jsonl and snapshots.jsonl (one tree for each state of the repository).
"""

import hashlib
import json
import math
import pathlib


class Task:
    """query, relevant ids, excluded ids, any_: one relevant document suffices; tree: key of the tree it is asked on."""

    __slots__ = ("qid", "query", "relevant", "exclude", "any_", "tree")

    def __init__(self, row: dict, relevant: list[str], tree: str):
        self.qid, self.query, self.relevant, self.tree = row["qid"], row["query"], set(relevant), tree
        self.exclude, self.any_ = set(row.get("exclude", ())), row.get("match") == "any"


def repositories(data: pathlib.Path) -> list[str]:
    return sorted(p.name for p in data.iterdir() if (p / "queries.jsonl").exists())


def read(folder: pathlib.Path, cap: int) -> tuple[list[Task], dict[str, list[dict]]]:
    """-> (at most `cap` tasks, chosen by a hash of their id; tree key -> documents with id, path and text)."""
    rows = _rows(folder / "queries.jsonl")
    before = [row for row in rows if row.get("snapshot") and row["relevant_pre"]]
    if len(before) >= 12:
        blobs = {blob["key"]: blob for blob in _rows(folder / "blobs.jsonl")}
        trees = {s["snapshot"]: [blobs[key] for key in s["docs"].values()] for s in _rows(folder / "snapshots.jsonl")}
        tasks = [Task(row, row["relevant_pre"], row["snapshot"]) for row in before]
    else:
        trees = {"head": _rows(folder / "corpus.jsonl")}
        tasks = [Task(row, row["relevant"], "head") for row in rows if row["relevant"]]
    tasks.sort(key=lambda task: hashlib.md5(task.qid.encode()).hexdigest())
    return tasks[:cap], trees


def write(root: pathlib.Path, documents: list[dict]) -> None:
    for document in documents:
        path = root / document["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document["text"], encoding="utf-8")


def found(ids: list[str], task: Task) -> list[str]:
    """Ranked ids without the excluded ones; an id that was qualified to stay unique counts as its label."""
    kept = (i for i in ids if i not in task.exclude)
    return list(dict.fromkeys(next((r for r in task.relevant if i == r or i.endswith("_" + r)), i) for i in kept))


def ndcg(ids: list[str], task: Task, depth: int = 10) -> float:
    """nDCG@depth with binary gains; where one relevant document suffices, that of the first one."""
    gains = [1 / math.log2(rank + 2) for rank, i in enumerate(ids[:depth]) if i in task.relevant]
    if task.any_:
        return max(gains, default=0.0)
    return sum(gains) / sum(1 / math.log2(rank + 2) for rank in range(min(len(task.relevant), depth)))


def success(ids: list[str], task: Task, depth: int = 3) -> float:
    """1.0 when a relevant document is among the first `depth`."""
    return float(bool(task.relevant & set(ids[:depth])))


def _rows(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []
