"""The hooks of Claude Code: does spec-first speak when it should, and how long does each take.

    python bench/hooks.py DATA [--prompts bench/hooks/prompts.jsonl] [--skip prompts|speed] [--documents 1000]

DATA is a directory as bench/data.py reads it; each prompt is asked over the newest tree of its repository, in a
session of its own, through the whole program. Right: a governing document is named. False: anything is said to a
prompt that has none. Speed: whole processes, warm, as a multiple of the bare interpreter, measured in turn.
Prints one JSON document.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import data
import trees

ROOT = pathlib.Path(__file__).resolve().parent.parent
ADLC = ["sh", str(ROOT / "bin/adlc")]


def tell(name: str, call: dict, environment: dict) -> str:
    done = subprocess.run([*ADLC, "hook", name], input=json.dumps(call), env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""


def newest(folder: pathlib.Path) -> list[dict]:
    _, states = data.read(folder, 10**9)
    if "head" in states:
        return states["head"]
    snapshots = (folder / "snapshots.jsonl").read_text(encoding="utf-8").splitlines()
    return states[json.loads(snapshots[-1])["snapshot"]]


def prompts(source: pathlib.Path, file: pathlib.Path, scratch: pathlib.Path, environment: dict) -> dict:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    ids: dict[str, dict[str, str]] = {}
    for name in {row["repository"] for row in rows}:
        documents = newest(source / name)
        data.write(scratch / name, documents)
        ids[name] = {document["path"]: document["id"] for document in documents}
    right, silent, wrong, false = 0, [], [], []
    for number, row in enumerate(rows):
        call = {"session_id": f"p{number}", "cwd": str(scratch / row["repository"]), "prompt": row["prompt"]}
        told = tell("spec-first", call, environment)
        named = {id for path, id in ids[row["repository"]].items() if path in told}
        if not row["governing"]:
            false += [row["prompt"]] if told else []
        elif named & set(row["governing"]):
            right += 1
        else:
            (wrong if told else silent).append(row["prompt"])
    governed = sum(bool(row["governing"]) for row in rows)
    return {"governed": governed, "right": right, "wrong": wrong, "silent": silent, "ordinary": len(rows) - governed, "false": false}


def speed(documents: int, rounds: int, scratch: pathlib.Path, environment: dict) -> dict:
    root = scratch / "speed"
    trees.adlc(root, documents)
    for number, path in enumerate(sorted(root.rglob("requirement.md"))):
        path.write_text(path.read_text().replace("\nstack:", f"\nscope: [src/part{number % 50}/file{number}.py, src/part{number % 50}/**]\nstack:", 1))
    # The cache reads a file once more that is as young as its reading.
    time.sleep(1.1)
    texts = (path.read_text() for path in sorted(root.rglob("requirement.md")))
    title = next(text for text in texts if "status: complete" in text).split("title: ")[1].split("\n")[0]
    base = {"cwd": str(root), "prompt": f"what happens when {title}?", "tool_input": {"file_path": str(root / "src/part7/file7.py")}}
    python = subprocess.run([*ADLC, "where", "python"], env=environment, capture_output=True, text=True, check=True).stdout.strip()
    times: dict[str, list[float]] = {}

    def timed(label: str, command: list[str], call: dict) -> None:
        start = time.perf_counter()
        subprocess.run(command, input=json.dumps(call).encode(), env=environment, check=True, capture_output=True)
        times.setdefault(label, []).append(time.perf_counter() - start)

    for name in ("spec-pointer", "spec-first", "spec-of-file"):
        assert tell(name, base | {"session_id": "warm"}, environment), name
    for round_ in range(rounds):
        timed("pass", [python, "-I", "-S", "-c", "pass"], base)
        for name in ("spec-pointer", "spec-first", "spec-of-file"):
            timed(name, [*ADLC, "hook", name], base | {"session_id": f"r{round_}"})
            timed(f"{name} again", [*ADLC, "hook", name], base | {"session_id": f"r{round_}"})
    medians = {label: statistics.median(values) for label, values in times.items()}
    return {
        "documents": documents, "pass_ms": round(medians["pass"] * 1000, 1),
        "times_pass": {label: round(value / medians["pass"], 2) for label, value in medians.items() if label != "pass"},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--prompts", type=pathlib.Path, default=ROOT / "bench/hooks/prompts.jsonl")
    parser.add_argument("--skip", choices=("prompts", "speed"))
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder).resolve()
        environment = os.environ | {"ADLC_CACHE_DIR": f"{scratch}/cache", "ADLC_STATE_DIR": f"{scratch}/state"}
        answer = {}
        if options.skip != "prompts":
            answer["prompts"] = prompts(options.data, options.prompts, scratch, environment)
        if options.skip != "speed":
            answer["speed"] = speed(options.documents, options.rounds, scratch, environment)
    json.dump(answer, sys.stdout, indent=2, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
