"""Reads a retrieval benchmark: trees of documents as they stood, queries, and what they should find.

A data directory holds one directory a repository, with queries.jsonl and either corpus.jsonl (one
tree) or blobs.jsonl and snapshots.jsonl (one tree for each state of the repository).
"""

import hashlib
import json
import math
import os
import pathlib
import subprocess


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


def read_history(folder: pathlib.Path, cap: int, most: int) -> list[tuple[Task, str, list[str]]]:
    """[(task, the last commit of history.bundle before its change, at most `most` of the files it then changed)].

    A bundle holds commits of the repository with the texts of its specs; of other files only that they changed.
    """
    rows = [row for row in _rows(folder / "queries.jsonl") if row.get("commit") and row.get("snapshot") and row["relevant_pre"]]
    rows.sort(key=lambda row: hashlib.md5(row["qid"].encode()).hexdigest())
    return [
        (Task(row, row["relevant_pre"], row["commit"]), row["commit"],
         sorted(row.get("paths_pre") or (), key=lambda path: hashlib.md5((row["qid"] + path).encode()).hexdigest())[:most])
        for row in rows[:cap]
    ]


def unbundle(folder: pathlib.Path, base: pathlib.Path) -> None:
    """Make the bare repository `base` of a bundle's objects, without refs."""
    base.mkdir(parents=True)
    git(base, "init", "-q", "--bare")
    git(base, "bundle", "unbundle", str((folder / "history.bundle").resolve()))


def check_out(base: pathlib.Path, root: pathlib.Path, commit: str) -> None:
    """A repository of its own whose history ends at `commit`."""
    root.mkdir(parents=True)
    git(root, "init", "-q")
    (root / ".git/objects/info/alternates").write_text(f"{base.resolve() / 'objects'}\n", encoding="utf-8")
    git(root, "checkout", "-q", "--detach", commit)


def git(cwd: pathlib.Path, *arguments: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=cwd, env=environment, check=True, stdout=subprocess.DEVNULL)


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


def recall(ids: list[str], task: Task, depth: int = 5) -> float:
    """The share of the relevant documents that is among the first `depth`; 1.0 for one where one suffices."""
    hits = len(task.relevant & set(ids[:depth]))
    return float(hits > 0) if task.any_ else hits / len(task.relevant)


def success(ids: list[str], task: Task, depth: int = 3) -> float:
    """1.0 when a relevant document is among the first `depth`."""
    return float(bool(task.relevant & set(ids[:depth])))


def _rows(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []
