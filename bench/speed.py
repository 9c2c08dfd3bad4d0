#!/usr/bin/env python3
"""How long whole processes take, beside the least a Python process takes and beside other tools.

    python3 bench/speed.py [--sizes 200,1000,10000,100000] [--tree DIR] [--runs 15] [--cache DIR [--warm]]
                           [--adlc bin/adlc] [--query WORDS] [--only search,list]

Generated trees (bench/trees.py), or the one given. Every round runs each command once, one after the
other; a ratio is that of two commands of one round, and the median over the rounds is printed, so that a
busy machine slows both alike. PY is the interpreter that adlc itself runs on.

  pass      PY -I -S -c pass: nothing is faster in Python
  walk      PY -I -S -c with os.scandir and stat over the same tree: what it takes to see that nothing changed
  rg        counts the query's words in the same tree, where ripgrep is installed
  context   where the tree has an index (adlc index rebuild)

The first call parses every document and has a cache directory of its own; the others are warm. With
--cache DIR the directory is kept, and with --warm as well the first call is left out. Standard library
only; peak memory is the kernel's figure for the process.
"""

import argparse
import os
import pathlib
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
WALK = """
import os, sys
stack = [sys.argv[1]]
while stack:
    with os.scandir(stack.pop()) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                stack.append(entry.path)
            else:
                entry.stat(follow_symlinks=False)
"""
RETRIEVE = ["--component", "component-7", "--domain", "auth", "--concerns", "security,latency", "--stack", "python"]


def default_query() -> str:
    """Words of the generated trees, from common to rare."""
    import trees

    known = trees.vocabulary(random.Random(7), 20_000)
    return " ".join(known[rank] for rank in (5, 50, 500, 2_000, 10_000))


def commands(adlc: str, python: str, tree: pathlib.Path, query: str, only: set[str]) -> dict[str, list[str]]:
    root = ["--root", str(tree)]
    wanted = {
        "pass": [python, "-I", "-S", "-c", "pass"],
        "walk": [python, "-I", "-S", "-c", WALK, str(tree)],
        "search": [adlc, "search", query, "--json", *root],
        "no-match": [adlc, "search", "qqinvoyce wwzebra", "--json", *root],
        "retrieve": [adlc, "retrieve", *RETRIEVE, "--json", *root],
        "list": [adlc, "list", "--json", *root],
    }
    if (tree / ".adlc/.context/metadata.toml").exists():
        wanted["context"] = [adlc, "context", "--task", query, *root]
    if shutil.which("rg"):
        words = [part for word in query.split() for part in ("-e", word)]
        wanted["rg"] = ["rg", "--hidden", "--no-ignore", "-ciF", *words, str(tree)]
    return {name: command for name, command in wanted.items() if not only or name in only | {"pass", "walk"}}


def run(command: list[str], environment: dict) -> tuple[float, float, float]:
    """(seconds, seconds of processor time, peak megabytes) of one process."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, nowhere, stream) for stream in (0, 1, 2)]
    started = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, environment, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - started
    os.close(nowhere)
    if os.waitstatus_to_exitcode(status) not in ((0, 1) if command[0] == "rg" else (0,)):
        sys.exit(f"exit {os.waitstatus_to_exitcode(status)}: {shlex.join(command)}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / (1024 if sys.platform == "linux" else 2**20)


def shown(name: str, command: list[str], names: dict[str, str]) -> str:
    if name == "walk":
        return "PY -I -S -c 'os.scandir + stat walk' TREE"
    text = " ".join(names.get(part, shlex.quote(part)) for part in command)
    return text.replace("|", "\\|")


def measure(tree: pathlib.Path, label: str, options, python: str) -> None:
    names = {options.adlc: "adlc", python: "PY", str(tree): "TREE"}
    todo = commands(options.adlc, python, tree, options.query or default_query(), set(filter(None, options.only.split(","))))
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "ADLC_CACHE_DIR": os.path.abspath(options.cache or scratch), "LC_ALL": "C"}
        first = None
        if not options.warm:
            shutil.rmtree(environment["ADLC_CACHE_DIR"] + "/corpus", ignore_errors=True)
            first = run(todo.get("search") or todo[next(reversed(todo))], environment)
        rounds: dict[str, list[tuple]] = {name: [] for name in todo}
        for number in range(options.runs + 1):
            for name, command in todo.items():
                result = run(command, environment)
                if number:  # the first round warms the file cache
                    rounds[name].append(result)
    print(f"\n**{label}**, {options.runs} rounds\n")
    print("| command | median ms | × `pass` | × walk | processor time × walk | peak MB |\n|---|---|---|---|---|---|")

    def ratio(name: str, other: str, column: int = 0) -> str:
        value = statistics.median(a[column] / b[column] for a, b in zip(rounds[name], rounds[other]))
        return f"{value:.2f}" if value < 10 else f"{value:.0f}"

    for name, command in todo.items():
        milliseconds = statistics.median(seconds for seconds, _, _ in rounds[name]) * 1000
        peak = max(memory for _, _, memory in rounds[name])
        print(f"| `{shown(name, command, names)}` | {milliseconds:.0f} | {ratio(name, 'pass')} | {ratio(name, 'walk')} "
              f"| {ratio(name, 'walk', 1)} | {peak:.0f} |", flush=True)
    if first:
        seconds, processor, peak = first
        print(f"\nFirst `adlc search`: {seconds:.2f} s, {processor:.2f} s of processor time, peak {peak:.0f} MB.", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="200,1000,10000,100000")
    parser.add_argument("--tree", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--cache")
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--adlc", default=str(HERE.parent / "bin/adlc"))
    parser.add_argument("--query")
    parser.add_argument("--only", default="", help="names of the commands to time, with commas")
    options = parser.parse_args()
    options.adlc = shutil.which(options.adlc) or sys.exit(f"no program {options.adlc}")
    python = subprocess.run([options.adlc, "where", "python"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"python3 bench/{shlex.join([os.path.basename(sys.argv[0]), *(a if '/' not in a else 'DIR' for a in sys.argv[1:])])}")
    if options.tree:
        measure(options.tree.resolve(), "the given tree", options, python)
        return 0
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            # In a process of its own: memory this one has had would count as its children's.
            code = "import sys, pathlib, trees; trees.adlc(pathlib.Path(sys.argv[1]), int(sys.argv[2]))"
            subprocess.run([sys.executable, "-c", code, folder, str(size)], check=True, env={**os.environ, "PYTHONPATH": str(HERE)})
            measure(pathlib.Path(folder).resolve(), f"{size:,} documents", options, python)
    return 0


if __name__ == "__main__":
    sys.exit(main())
