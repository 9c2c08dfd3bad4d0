"""What the past costs `adlc context`: python bench/history_speed.py [--commits 10000] [--calls 15]

Makes a repository in which every commit touches one of 300 specs and some of 3,000 files. Prints, as whole
processes: the first use; the next one after ten more commits; and later uses beside the same call without git, in
turn, as medians. Compare ratios on a busy machine; CPU times tell more.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
AREAS = ("auth", "billing", "search", "sync", "store")


def commits(first: int, count: int, seed: int = 3) -> bytes:
    """A stream for git fast-import."""
    random_ = random.Random(seed + first)
    words = [verb + end for verb in ("fix", "add", "drop", "move", "guard", "limit", "cache") for end in ("", "ing")]
    names = [f"cap-{n}-{AREAS[n % 5]}" for n in range(300)]
    files = [f"src/{'abcdefgh'[n % 8]}{n % 40}/{('lock', 'user', 'index', 'view')[n % 4]}_{n}.py" for n in range(3000)]
    out = []

    def write(path: str, text: str) -> None:
        out.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")

    for number in range(first, first + count):
        area = random_.randrange(300)
        subject = " ".join([*random_.choices(words, k=5), *random_.choices(names, k=3)])
        out.append(f"commit refs/heads/main\ncommitter A <a@example.invalid> {1_600_000_000 + number * 600} +0000\ndata {len(subject)}\n{subject}\n")
        if first and number == first:
            out.append("from refs/heads/main^0\n")
        for name in names if not number else [names[area]]:
            write(f"openspec/specs/{name}/spec.md", f"# {name}\n\n## Purpose\nWhat {name} does.\n\n### Requirement: R\nIt SHALL do {name} {number}.\n")
        for place in sorted({(area * 10 + random_.randrange(14)) % 3000 for _ in range(random_.randrange(1, 8))}):
            write(files[place], str(number))
    return "".join(out).encode()


def call(root: pathlib.Path) -> tuple[float, float, dict]:
    """-> (seconds, CPU seconds of the processes, the answer)."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [ROOT / "bin/adlc", "context", "--task", "fix the lock of cap-3 and limit its cache", "--allow-keyword",
         "--paths", "src/a0/lock_0.py,src/c10/index_1610.py,src/e4/new.py", "--root", root],
        capture_output=True, check=True,
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        os.environ["ADLC_CACHE_DIR"] = str(scratch / "cache")
        root, plain = scratch / "project", scratch / "plain"

        def extend(first: int, count: int) -> None:
            subprocess.run(["git", "-C", root, "fast-import", "--quiet"], input=commits(first, count), check=True)
            subprocess.run(["git", "-C", root, "reset", "-q", "--hard"], check=True)

        subprocess.run(["git", "init", "-q", "-b", "main", root], check=True)
        extend(0, options.commits)
        shutil.copytree(root / "openspec", plain / "openspec")
        call(plain), call(root)
        shutil.rmtree(scratch / "cache/history")
        show("without git, warm", *call(plain))
        show("first use", *call(root))
        extend(options.commits, 10)
        show("after ten more commits", *call(root))
        time.sleep(1.1)  # files as young as their reading are read once more
        pairs = [(call(plain), call(root)) for _ in range(options.calls + 1)][1:]
        for place, label in enumerate(("without git, median", "with the past, median")):
            show(label, *(statistics.median(pair[place][kind] for pair in pairs) for kind in (0, 1)), pairs[0][place][2])
        added = [statistics.median(pair[1][kind] - pair[0][kind] for pair in pairs) for kind in (0, 1)]
        print(f"added, median of the pairs: {added[0] * 1000:.0f} ms, cpu {added[1] * 1000:.0f} ms")
        (kept,) = (scratch / "cache/history").iterdir()
        print(f"kept for {options.commits + 10} commits: {kept.stat().st_size / 2**20:.1f} MiB")


def show(label: str, wall: float, cpu: float, answer: dict) -> None:
    print(f"{label:24} {wall * 1000:7.0f} ms  cpu {cpu * 1000:7.0f} ms  signals: {', '.join(answer['summary']['signals'])}")


if __name__ == "__main__":
    main()
