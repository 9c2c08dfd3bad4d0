#!/usr/bin/env python3
"""What `adlc context` costs beside `adlc search` where there are very many documents.

    python3 bench/context_speed.py [--sizes 500,20000,100000] [--runs 7] [--keep DIR]

Generated trees (bench/trees.py) with an index of two random unit vectors a document. Every round runs a bare
interpreter, `adlc search` and `adlc context` with the same words, one after the other, as whole processes; the
ratios are those of one round, and their median is printed, so that a busy machine slows all alike. Processor time
tells more than the clock. --keep makes the trees in DIR and uses them again. Needs the embedded model
(`adlc index rebuild` anywhere makes it).
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import speed

HERE = pathlib.Path(__file__).resolve().parent
ADLC = str(HERE.parent / "bin/adlc")
TASKS = {"two words": 2, "a sentence": 12, "a paragraph": 60}


def make(root: pathlib.Path, documents: int, environment: dict) -> None:
    if (root / ".adlc/.context/metadata.toml").exists():
        return
    # In a process of its own: memory this one has had would count as its children's.
    code = "import sys, pathlib, index_speed; index_speed.random_index(pathlib.Path(sys.argv[1]), int(sys.argv[2]))"
    subprocess.run([sys.executable, "-c", code, str(root), str(documents)], check=True, env={**environment, "PYTHONPATH": str(HERE)})


def tasks() -> dict[str, str]:
    """Words of the generated trees, from common to rare."""
    import random

    import trees

    known = trees.vocabulary(random.Random(7), 20_000)
    return {name: " ".join(known[5 + (19_000 * n // count) % 19_000] for n in range(count)) for name, count in TASKS.items()}


def measure(root: pathlib.Path, documents: int, runs: int, python: str, environment: dict) -> None:
    print(f"\n**{documents:,} documents**, {runs} rounds\n")
    print("| task | search, processor ms | context, processor ms | context / search, processor | context / search, clock "
          "| context / bare interpreter, clock | context, peak MB |\n|---|---|---|---|---|---|---|")
    for name, task in tasks().items():
        commands = {
            "pass": [python, "-I", "-S", "-c", "pass"],
            "search": [ADLC, "search", task, "--json", "--root", str(root)],
            "context": [ADLC, "context", "--task", task, "--root", str(root)],
        }
        rounds = [{key: speed.run(command, environment) for key, command in commands.items()} for _ in range(runs + 1)][1:]

        def ratio(a: str, b: str, column: int) -> str:
            return f"{statistics.median(r[a][column] / r[b][column] for r in rounds):.2f}"

        middle = {key: statistics.median(r[key][1] for r in rounds) * 1000 for key in ("search", "context")}
        peak = max(r["context"][2] for r in rounds)
        print(f"| {name} | {middle['search']:.0f} | {middle['context']:.0f} | {ratio('context', 'search', 1)} "
              f"| {ratio('context', 'search', 0)} | {ratio('context', 'pass', 0)} | {peak:.0f} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="500,20000,100000")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    python = subprocess.run([ADLC, "where", "python"], capture_output=True, text=True, check=True).stdout.strip()
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as scratch:
            place = (options.keep or pathlib.Path(scratch)).resolve()
            environment = {**os.environ, "ADLC_CACHE_DIR": str(place / "cache"), "LC_ALL": "C"}
            root = place / str(size)
            make(root, size, environment)
            measure(root, size, options.runs, python, environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
