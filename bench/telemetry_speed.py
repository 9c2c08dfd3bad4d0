"""Speed of flags and telemetry: one emit, a whole cycle, many writers at once, a report over a large log.

    python bench/telemetry_speed.py [--emitters 200] [--events 100000]

Everything lies in a temporary directory. Prints one JSON document; times are medians in seconds.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAG = ROOT / "tools/delegate/skill-flag.sh"
EMIT = ROOT / "tools/delegate/emit-telemetry.sh"


def timed(call, rounds: int) -> float:
    values = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        values.append(time.perf_counter() - start)
    return round(statistics.median(values), 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--emitters", type=int, default=200)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        environment = os.environ | {"ADLC_TELEMETRY_LOG": str(log), "ADLC_STATE_DIR": f"{folder}/state"}

        def run(*command) -> str:
            return subprocess.run(["sh", *map(str, command)], env=environment, check=True, capture_output=True, text=True).stdout.strip()

        def emit():
            run(EMIT, "spec", "Step-1.6", "REQ-1", "pass", "delegated", "ok", "12")

        def cycle():
            flag = run(FLAG, "create")
            run(FLAG, "mark", flag, "reason", "ok")
            run(FLAG, "mark", flag, "invoked", "1")
            run(FLAG, "read", flag, "reason")
            run(ROOT / "bin/adlc", "telemetry", "step", "spec", "Step-1.6", "--flag", flag)

        emit(), cycle()
        answer = {"emit": timed(emit, options.rounds), "cycle": timed(cycle, options.rounds)}
        answer["cycle_per_emit"] = round(answer["cycle"] / answer["emit"], 2)

        log.unlink()
        start = time.perf_counter()
        command = ["sh", str(EMIT), "spec", "Step-1.6", "REQ-1", "pass", "delegated", "ok"]
        writers = [subprocess.Popen([*command, str(n)], env=environment) for n in range(options.emitters)]
        codes = {writer.wait() for writer in writers}
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        answer["emitters"] = {"started": options.emitters, "exit_codes": sorted(codes), "valid_lines": len({item["duration_ms"] for item in lines}),
                              "lines": len(lines), "seconds": round(time.perf_counter() - start, 2)}

        now = time.time()
        with log.open("w") as file:
            for n in range(options.events):
                stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now - n % 600_000)) + f".{n % 1000:03}Z"
                item = {"timestamp": stamp, "skill": f"skill-{n % 9}", "step": "Step-1.6", "req": f"REQ-{n % 999:03}", "gate": "pass",
                        "mode": ("delegated", "fallback", "ghost-skip")[n % 3], "reason": "ok", "duration_ms": n % 9000, "repo": "project", "source": "flag"}
                file.write(json.dumps(item, separators=(",", ":")) + "\n")
        report = json.loads(run(ROOT / "bin/adlc", "telemetry", "report", "--json"))
        assert report["total"]["total"] == options.events
        answer["report"] = {"events": options.events, "seconds": timed(lambda: run(ROOT / "bin/adlc", "telemetry", "report"), 3)}
    print(json.dumps(answer, indent=2))


if __name__ == "__main__":
    main()
