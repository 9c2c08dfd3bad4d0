#!/usr/bin/env python3
"""What a user would pick instead of adlc search, on the same trees and questions: quality and time.

    python3 bench/peers.py --data DIR [--cap 60] [--repos a,b] [--peers adlc,fts5,…] [--none FILE]
                           [--qmd "COMMAND"] [--adlc bin/adlc] [--jobs 1]

DIR: a directory of public spec trees in the format of bench/data.py. Every question is put to every peer
as a whole process over the tree as it stood before the change that the question describes.

  adlc      adlc search, caches as they come
  fts5      the 40-line stub: SQLite FTS5, three tables (name; purpose and headings; body), bm25() of each
            summed 1/1/1, kept on disk and rebuilt when a file's stat differs (bench/stubs.py)
  bm25      plain BM25 over the whole text, words as they are (bench/stubs.py)
  rg        rg -c: files by their number of lines with a word of the question (words of four characters or
            more); where ripgrep is installed
  qmd       qmd search (BM25, no model) with the command given by --qmd; its index is made beforehand. It wants
            all words of a question in a document, so while it finds nothing it is asked again for the
            question's three, two, one longest words, as a patient user would
  longest   control: the longest document first, whatever is asked
  random    control: any order

Prints nDCG@10, S@3 (a relevant document in the first three) and R@5 (share of them in the first five)
for each repository and their mean, and the median milliseconds of a whole process. With --none FILE (one
{"query": …} a line, which no document governs) and adlc it also prints how often adlc calls its first
document a weak match when the first three hold a relevant one, when they do not, and for those questions.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import data
import stubs

HERE = pathlib.Path(__file__).resolve().parent
DEPTH = 20
COLUMNS = ("nDCG@10", "S@3", "R@5")


def command(peer: str, tree: str, question: str, options) -> list[str]:
    if peer == "adlc":
        return [options.adlc, "search", question, "--json", "--limit", str(DEPTH), "--root", tree]
    if peer == "rg":
        patterns = list(dict.fromkeys(re.findall(r"[^\W_]{4,}", question))) or [question]
        return ["rg", "--hidden", "--no-ignore", "-ciF", *(part for p in patterns for part in ("-e", p)), tree]
    if peer == "qmd":
        return [*shlex.split(options.qmd), "--index", collection(tree), "search", question, "--json", "-n", str(DEPTH)]
    return [sys.executable, "-I", "-S", str(HERE / "stubs.py"), peer, tree, question]


def collection(tree: str) -> str:
    return "bench" + hashlib.sha256(tree.encode()).hexdigest()[:12]


def ranked(peer: str, tree: str, question: str, options) -> tuple[list[str], float, dict]:
    """-> (paths, best first; seconds of the process; adlc's document)."""
    if peer in ("longest", "random"):
        size = {path: os.path.getsize(os.path.join(tree, path)) for path in stubs.files(tree)}
        chance = {path: hashlib.sha256(f"{question}\0{path}".encode()).hexdigest() for path in size}
        return sorted(size, key=lambda p: (-size[p], p) if peer == "longest" else chance[p]), 0.0, {}
    started = time.perf_counter()
    if peer == "qmd":
        for asked in (question, *(" ".join(longest(question, number)) for number in (3, 2, 1))):
            done = subprocess.run(command(peer, tree, asked, options), capture_output=True, text=True, stdin=subprocess.DEVNULL)
            rows = json.loads(done.stdout) if done.stdout.lstrip().startswith("[") else []
            if rows:
                return [row["file"].removeprefix("qmd://") for row in rows], time.perf_counter() - started, {}
        return [], time.perf_counter() - started, {}
    done = subprocess.run(command(peer, tree, question, options), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    if peer == "adlc":
        document = json.loads(done.stdout)
        if done.returncode:
            sys.exit(f"adlc search failed in {tree}: {document['error']['message']}")
        return [(row["path"], row["id"]) for row in document["results"]], seconds, document
    if peer == "rg":
        rows = [line.rsplit(":", 1) for line in done.stdout.splitlines()]
        rows = [(os.path.relpath(path, tree), int(count)) for path, count in rows]
        return [path for path, _ in sorted(rows, key=lambda row: (-row[1], row[0]))], seconds, {}
    return done.stdout.splitlines(), seconds, {}


def longest(question: str, number: int) -> list[str]:
    """The longest different words of a question, in its order."""
    known = list(dict.fromkeys(re.findall(r"[^\W_]+", question)))
    kept = set(sorted(known, key=lambda word: (-len(word), word))[:number])
    return [word for word in known if word in kept]


def identify(paths: list, ids: dict[str, str]) -> list[str]:
    """Paths as ids of the benchmark. adlc names documents itself; qmd writes paths in its own way."""
    return [item[1] if isinstance(item, tuple) else ids.get(item) or ids.get(plain(item)) or item for item in paths]


def plain(path: str) -> str:
    return re.sub(r"[^\w/.]+", "-", path.lower().removeprefix("."))


def prepare(peer: str, tree: str, options) -> None:
    """What a peer needs once for a tree; not timed. The caches of the others are warmed by their first question."""
    if peer == "qmd":
        # It passes over hidden directories below a collection, so each directory is a collection.
        for entry in sorted(os.listdir(tree)):
            add = ["collection", "add", os.path.join(tree, entry), "--name", plain(entry), "--mask", "**/*.*"]
            subprocess.run([*shlex.split(options.qmd), "--index", collection(tree), *add], capture_output=True, check=True)


def scores(ids: list[str], task: data.Task) -> tuple[float, float, float]:
    found = data.found(ids[:DEPTH], task)
    hit = len(task.relevant & set(found[:5]))
    return data.ndcg(found, task), data.success(found, task), float(hit > 0) if task.any_ else hit / len(task.relevant)


def repository(folder: pathlib.Path, peers: list[str], nothing: list[str], options) -> tuple[dict, dict, dict]:
    """-> (peer -> mean of COLUMNS, peer -> [seconds], group -> [whether adlc calls the match weak])."""
    tasks, trees = data.read(folder, options.cap)
    result = {peer: [] for peer in peers}
    seconds, weak = {peer: [] for peer in peers}, {"right": [], "wrong": [], "ungoverned": []}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = os.path.realpath(scratch)
        for tree in dict.fromkeys(task.tree for task in tasks):
            root = pathlib.Path(scratch) / tree
            data.write(root, trees[tree])
            time.sleep(1.1)  # files of the current second are read again by a careful cache
            ids = {d["path"]: d["id"] for d in trees[tree]}
            ids |= {plain(path): id for path, id in ids.items()}
            here = [task for task in tasks if task.tree == tree]
            for peer in peers:
                prepare(peer, str(root), options)
                ranked(peer, str(root), here[0].query, options)
                with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                    answers = list(pool.map(lambda task: ranked(peer, str(root), task.query, options), here))
                for task, (paths, took, document) in zip(here, answers):
                    row = scores(identify(paths, ids), task)
                    result[peer].append(row)
                    seconds[peer].append(took)
                    if document:
                        weak["right" if row[1] else "wrong"].append(bool(document["hint"] and document["hint"]["missing"]))
        for question in nothing if "adlc" in peers else ():
            document = ranked("adlc", str(root), question, options)[2]
            weak["ungoverned"].append(bool(document["hint"]))
    return {peer: [statistics.mean(column) for column in zip(*rows)] for peer, rows in result.items()}, seconds, weak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--cap", type=int, default=60)
    parser.add_argument("--repos")
    parser.add_argument("--peers", default="adlc,fts5,bm25,rg,qmd,longest,random")
    parser.add_argument("--none", type=pathlib.Path)
    parser.add_argument("--qmd")
    parser.add_argument("--adlc", default=str(HERE.parent / "bin/adlc"))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    missing = {"rg": not shutil.which("rg"), "qmd": not options.qmd}
    peers = [peer for peer in options.peers.split(",") if not missing.get(peer)]
    nothing = [json.loads(line)["query"] for line in options.none.open(encoding="utf-8")] if options.none else []
    names = options.repos.split(",") if options.repos else data.repositories(options.data)
    table, times, weak = {}, {peer: [] for peer in peers}, {"right": [], "wrong": [], "ungoverned": []}
    for name in names:
        table[name], seconds, flags = repository(options.data / name, peers, nothing, options)
        for peer in peers:
            times[peer] += seconds[peer]
        for group, values in flags.items():
            weak[group] += values
        print(f"{name} done", file=sys.stderr, flush=True)
    print("| | " + " | ".join(peers) + " |\n|---" + "|---" * len(peers) + "|")
    for place, column in enumerate(COLUMNS):
        mean = {peer: statistics.mean(table[name][peer][place] for name in names) for peer in peers}
        print(f"| **{column}**, mean | " + " | ".join(f"**{mean[peer]:.3f}**" for peer in peers) + " |")
    print("| median ms of a process | " + " | ".join(f"{statistics.median(times[p]) * 1000:.0f}" if any(times[p]) else "–" for p in peers) + " |")
    for name in names:
        print(f"| {name}: nDCG@10 / S@3 / R@5 | " + " | ".join(" / ".join(f"{v:.2f}"[1 if v < 1 else 0:] for v in table[name][p]) for p in peers) + " |")
    if "adlc" in peers:
        print("\nadlc calls it a weak match: " + ", ".join(f"{g} {sum(v)} of {len(v)}" for g, v in weak.items() if v))
    return 0


if __name__ == "__main__":
    sys.exit(main())
