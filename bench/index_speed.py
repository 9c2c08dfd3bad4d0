#!/usr/bin/env python3
"""How long rebuilds take: index_speed.py [--documents N] [--large N] [--commits N]

Prints, as whole processes with the embedded model: a first rebuild, one without a change, one after ten
parts changed; with --large, reading and comparing an index of N documents with two rows each (random unit
vectors), and adlc search there; with --commits, staleness of ten documents in a repository of that many
commits, the first time and again. Times are also given as multiples of an empty interpreter's; CPU times
tell more on a busy machine.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import trees  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=80)
    parser.add_argument("--large", type=int, default=0, metavar="N")
    parser.add_argument("--commits", type=int, default=0, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        for name in ("CACHE", "STATE"):
            os.environ[f"ADLC_{name}_DIR"] = str(place / name.lower())
        python = subprocess.run([ROOT / "bin/adlc", "where", "python"], capture_output=True, text=True, check=True).stdout.strip()
        report = Report(median([python, "-I", "-S", "-c", "pass"], place, 40))
        report("empty interpreter", report.empty)
        rebuilds(place / "project", options.documents, report)
        if options.large:
            large(place / "large", options.large, report)
        if options.commits:
            history(place / "history", options.commits, report)


class Report:
    """Prints one line a measurement: (seconds, CPU seconds), and both as multiples of an empty interpreter's."""

    def __init__(self, empty: tuple[float, float]):
        self.empty = empty

    def __call__(self, what: str, took: tuple[float, float], note: str = "") -> None:
        wall, cpu = took
        print(f"{what:28} {wall * 1000:8.0f} ms {wall / self.empty[0]:7.1f} x   cpu {cpu * 1000:8.0f} ms {cpu / self.empty[1]:7.1f} x  {note}")


class Clock:
    """Measures a block: wall and CPU seconds, this process's and its ended children's."""

    def __enter__(self):
        self._start = self._now()
        return self

    def __exit__(self, *_):
        self.took = tuple(now - before for now, before in zip(self._now(), self._start))

    @staticmethod
    def _now() -> tuple[float, float]:
        times = os.times()
        return time.perf_counter(), times.user + times.system + times.children_user + times.children_system


def once(command: list, cwd: pathlib.Path) -> tuple[tuple[float, float], str]:
    with Clock() as clock:
        out = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout
    return clock.took, out.strip()


def median(command: list, cwd: pathlib.Path, times: int = 7) -> tuple[float, float]:
    cwd.mkdir(parents=True, exist_ok=True)
    # The CPU clock ticks in hundredths of a second, so its share is the mean of all.
    took = [once(command, cwd)[0] for _ in range(times)]
    return statistics.median(wall for wall, _ in took), statistics.fmean(cpu for _, cpu in took)


def rebuilds(root: pathlib.Path, documents: int, report: Report) -> None:
    trees.adlc(root, documents)
    command = [ROOT / "bin/adlc", "index", "rebuild"]
    once([ROOT / "bin/adlc", "list"], root)
    report("first rebuild", *once(command, root))
    report("rebuild without a change", median(command, root))
    for number, path in enumerate(sorted(root.glob(".adlc/specs/*/requirement.md"))[:2]):
        text = path.read_text(encoding="utf-8")
        for rule in range(1, 6):
            text = text.replace(f"- BR-{rule}: ", f"- BR-{rule}: changed {number} ")
        path.write_text(text, encoding="utf-8")
    report("rebuild, ten parts changed", *once(command, root))


def random_index(root: pathlib.Path, documents: int) -> None:
    """A generated tree with an index of two random unit vectors a document, whose metadata says that it is fresh."""
    from adlc import env
    from adlc.corpus import load
    from adlc.index import embed_local, store
    from adlc.index import rows as rows_file
    from adlc.index.chunks import CHUNKER
    from adlc.index.metadata import Metadata

    env.require("core"), env.require("meaning")
    import numpy

    trees.adlc(root, documents, words=60)
    specs = load.answer(str(root), lambda corpus: (corpus.store.content_hashes(), [path for path, _, _ in corpus.store.hashes()]))
    (spec_hash, other_hash), paths = specs
    folder = root / store.FOLDER
    folder.mkdir(parents=True)
    rows = 2 * documents
    found = Metadata(
        version=1, spec_hash=spec_hash, spec_count=documents, chunk_count=rows, build_timestamp="2026-01-01T00:00:00Z",
        model=embed_local.MODEL, model_fingerprint=embed_local.FINGERPRINT, embedding_dim=512, chunker=CHUNKER, build="0" * 64,
        other_hash=other_hash, other_count=0, api_url="", api_key_env="",
    )
    line = b'{"specId": "x", "reqId": "BR-1", "kind": "rule", "title": "t", "text": "t", "line": 1, "path": "p"}'
    chunks = b"[\n" + b",\n".join([line] * rows) + b"\n]\n"
    (folder / store.CHUNKS).write_bytes(chunks)
    (folder / store.SPECS).write_bytes(b"[]")
    owners = [number // 2 for number in range(rows)]
    starts = [2 + number * (len(line) + 2) for number in range(rows)]
    (folder / store.ROWS).write_bytes(rows_file.pack("0" * 64, paths, starts, owners, bytes([0, 1]) * documents, len(chunks)))
    random = numpy.random.default_rng(1)
    with open(folder / store.VECTORS, "wb") as handle:
        for start in range(0, rows, 10_000):
            part = random.standard_normal((min(10_000, rows - start), 512)).astype("<f4")
            handle.write((part / numpy.linalg.norm(part, axis=1, keepdims=True)).tobytes())
    (folder / store.METADATA).write_text(found.text())


def large(root: pathlib.Path, documents: int, report: Report) -> None:
    random_index(root, documents)
    report(f"check of {documents} documents", median([ROOT / "bin/adlc", "index", "rebuild", "--check"], root, 5))
    report("adlc search there", median([ROOT / "bin/adlc", "search", "bada kuzi"], root, 5))
    report("adlc context there", median([ROOT / "bin/adlc", "context", "--task", "bada kuzi"], root, 5))


def history(root: pathlib.Path, commits: int, report: Report) -> None:
    from adlc.corpus.model import Document
    from adlc.signals import staleness

    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    stream = []
    for number in range(commits):
        stream.append(f"commit refs/heads/main\ncommitter T <t@example.invalid> {1600000000 + number * 600} +0000\ndata 1\nc")
        paths = [f"src/m{n % 40}/f{n}.py" for n in ([*range(400)] if not number else [number * 7 % 400, (number * 7 + 13) % 400])]
        paths += [f".adlc/specs/REQ-{n:03}-x/requirement.md" for n in range(30)] if not number else []
        stream += [f"M 100644 inline {path}\ndata {len(str(number))}\n{number}" for path in paths]
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, input=("\n".join(stream) + "\n").encode(), check=True)
    subprocess.run(["git", "checkout", "-q", "-f", "main"], cwd=root, check=True)
    documents = []
    for number in range(10):
        document = Document(f".adlc/specs/REQ-{number:03}-x/requirement.md", "adlc", "spec", "x")
        document.scope = [f"src/m{number}/f{number}.py", f"src/m{number}/g*.py"]
        documents.append(document)
    for what in ("staleness, first time", "staleness, again"):
        with Clock() as clock:
            found = staleness.of(str(root), documents)
        report(what, clock.took, ", ".join(sorted({value.state for value in found.values()})))


if __name__ == "__main__":
    main()
