"""Measures the id allocator under stress, with real processes, remotes and kills.

    python3 bench/ids_stress.py [--only 1,2,3,4,5,6] [--repeat 5]

Prints one line a measurement and exits 1 when a promise is broken. Everything happens in a
temporary directory; the only network is the loopback interface.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = [os.path.realpath(sys.executable), "-I", "-S", "-X", "utf8"]
ADLC = [*PYTHON, str(ROOT / "tools/adlc/__main__.py")]
broken: list[str] = []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="1,2,3,4,5,6")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of the first measurement")
    options = parser.parse_args()
    measures = {"1": lambda: kills(options.repeat), "2": live_holder, "3": clones, "4": worktrees, "5": silent_remote, "6": speed}
    for number in options.only.split(","):
        measures[number]()
    for line in broken:
        print("BROKEN:", line)
    return 1 if broken else 0


def promise(holds: bool, what: str) -> None:
    if not holds:
        broken.append(what)


class Sandbox:
    """A home, a folder of repositories, and git that knows neither the user nor the system."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="adlc-stress-"))
        self.repos = self.path / "repos"
        (self.path / "home").mkdir()
        self.repos.mkdir()
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def environment(self, home: str = "home", **more) -> dict:
        folder = self.path / home
        folder.mkdir(exist_ok=True)
        identity = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in (("NAME", "n"), ("EMAIL", "n@localhost"))}
        return {
            "PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C", "TMPDIR": str(self.path), "GIT_CONFIG_NOSYSTEM": "1",
            "ADLC_CACHE_DIR": str(folder / "cache"), **identity, **more,
        }

    def git(self, *arguments, cwd=None) -> None:
        subprocess.run(
            ["git", "-c", "init.defaultBranch=main", *map(str, arguments)], cwd=cwd or self.path, env=self.environment(),
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    def repository(self, name: str, remote: bool = False, number: int = 42) -> pathlib.Path:
        path = self.repos / name
        spec = path / f".adlc/specs/REQ-{number:03d}-x/requirement.md"
        spec.parent.mkdir(parents=True)
        spec.write_text("---\nid: x\n---\n")
        self.git("init", path)
        self.git("add", "-A", cwd=path)
        self.git("commit", "-m", "x", cwd=path)
        if remote:
            self.git("init", "--bare", self.path / f"{name}.git")
            self.git("remote", "add", "origin", self.path / f"{name}.git", cwd=path)
            self.git("push", "origin", "HEAD:main", cwd=path)
            self.git("fetch", "origin", cwd=path)
        return path

    def lock(self, home: str = "home") -> pathlib.Path:
        return self.path / home / ".claude/.global-next-req.lock.d"


def start(cwd, env, *arguments) -> subprocess.Popen:
    return subprocess.Popen([*ADLC, "id", *arguments], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def dead_owner_lock(box: Sandbox) -> None:
    """What a process leaves that is killed inside: made by the allocator itself."""
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})\nfrom adlc.ids.lock import Lock\nfrom adlc.ids import state\nimport os, signal\nLock(state.lock_path('req')).__enter__(); os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([*PYTHON, "-c", code], env=box.environment(), check=False)


def kills(repeat: int, processes: int = 64, each: int = 25, deaths: int = 200) -> None:
    for start_with in ("no stale lock", "a dead owner's lock", "an empty lock directory"):
        for n in range(repeat):
            with Sandbox() as box:
                repository = box.repository("a")
                (box.path / "home/.claude").mkdir()
                if start_with.startswith("a dead"):
                    dead_owner_lock(box)
                elif start_with.startswith("an empty"):
                    box.lock().mkdir()
                _kills(box, repository, start_with, n + 1, processes, each, deaths)


def _kills(box, repository, start_with, n, processes, each, deaths) -> None:
    env = box.environment()
    running: dict[int, subprocess.Popen] = {}
    guard, ids, failed, killed = threading.Lock(), [], [], [0]

    def worker():
        for _ in range(each):
            process = start(repository, env, "next", "req", "--shell")
            with guard:
                running[process.pid] = process
            out, err = process.communicate()
            with guard:
                running.pop(process.pid, None)
                if process.returncode == 0:
                    ids.append(int(out.split()[0]))
                elif process.returncode == -signal.SIGKILL:
                    if out.strip():
                        ids.append(int(out.split()[0]))
                else:
                    failed.append(err.decode().strip())

    def killer():
        while killed[0] < deaths and any(t.is_alive() for t in workers):
            time.sleep(random.uniform(0, 0.1))
            with guard:
                if running:
                    random.choice(list(running.values())).kill()
                    killed[0] += 1

    workers = [threading.Thread(target=worker) for _ in range(processes)]
    began = time.monotonic()
    for thread in workers:
        thread.start()
    assassin = threading.Thread(target=killer)
    assassin.start()
    for thread in (*workers, assassin):
        thread.join()
    seconds = time.monotonic() - began
    last = start(repository, env, "next", "req", "--shell").communicate()[0]
    duplicates = len(ids) - len(set(ids))
    print(
        f"1 {start_with}, run {n}: {processes} x {each}, {killed[0]} kills: {len(ids)} ids, {duplicates} duplicates, "
        f"{len(failed)} survivors failed, next call {'works' if last else 'FAILS'}, {seconds:.0f} s" + "".join(f"\n    {line}" for line in sorted(set(failed))[:3]), flush=True,
    )
    promise(duplicates == 0, f"1: {duplicates} duplicates")
    promise(not failed, f"1: survivors failed: {failed[:2]}")
    promise(bool(last), "1: wedged")


def live_holder(waiters: int = 16) -> None:
    with Sandbox() as box:
        repository = box.repository("a")
        code = f"import sys, time; sys.path.insert(0, {str(ROOT / 'tools')!r})\nfrom adlc.ids.lock import Lock\nfrom adlc.ids import state\nwith Lock(state.lock_path('req')) as lock:\n print('in', flush=True)\n time.sleep(30)\n print(lock.held(), flush=True)"
        holder = subprocess.Popen([*PYTHON, "-c", code], env=box.environment(), stdout=subprocess.PIPE)
        holder.stdout.readline()
        env = box.environment(ADLC_LOCK_TIMEOUT="2")
        began = time.monotonic()
        processes = [start(repository, env, "next", "req", "--json") for _ in range(waiters)]
        answers = [p.communicate()[0] for p in processes]
        seconds = time.monotonic() - began
        errors = [json.loads(a)["error"]["kind"] for a in answers]
        held = holder.stdout.readline().strip() == b"True"
        holder.wait()
        print(f"2 live holder of 30 s, {waiters} waiters with 2 s: {errors.count('lock_timeout')} lock_timeout errors, {sum(b'number' in a for a in answers)} ids, all back in {seconds:.1f} s, holder's lock {'intact' if held else 'LOST'}", flush=True)
        promise(errors == ["lock_timeout"] * waiters and held, "2")


def clones(count: int = 12, each: int = 20) -> None:
    with Sandbox() as box:
        box.repository("seed", remote=True)
        paths = []
        for n in range(count):
            # Every clone in a folder and with a home of its own, like on another machine.
            path = box.path / f"machine{n}" / "clone"
            path.parent.mkdir()
            box.git("clone", box.path / "seed.git", path)
            paths.append(path)
        ids, failed, unreserved = [], [], []
        guard = threading.Lock()

        def machine(n):
            for _ in range(each):
                out, err = start(paths[n], box.environment(f"home{n}"), "next", "req", "--reserve", "--json").communicate()
                answer = json.loads(out)
                with guard:
                    if "number" in answer:
                        ids.append(answer["number"])
                        if not answer["reserved"]:
                            unreserved.append(answer["warnings"])
                    else:
                        failed.append(answer["error"]["message"])

        began = time.monotonic()
        threads = [threading.Thread(target=machine, args=(n,)) for n in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"3 {count} clones x {each} with reservation: {len(ids)} ids, {len(set(ids))} distinct, max - min = {max(ids) - min(ids)}, {len(unreserved)} unreserved, {len(failed)} failed, {time.monotonic() - began:.0f} s", flush=True)
        promise(len(set(ids)) == count * each and max(ids) - min(ids) < 2 * count * each, f"3: {failed[:1]} {unreserved[:1]}")


def worktrees() -> None:
    with Sandbox() as box:
        main_checkout = box.repository("a")
        box.repository("b", number=700)
        box.git("worktree", "add", "-b", "n", main_checkout / ".claude/worktrees/n", cwd=main_checkout)
        box.git("worktree", "add", "-b", "e", box.path / "elsewhere/e", cwd=main_checkout)
        answers = []
        for cwd in (main_checkout, main_checkout / ".claude/worktrees/n", box.path / "elsewhere/e"):
            high = json.loads(start(cwd, box.environment(), "high", "req", "--json").communicate()[0])
            box.lock().mkdir(parents=True, exist_ok=True)
            blocked = json.loads(start(cwd, box.environment(ADLC_LOCK_TIMEOUT="0"), "next", "req", "--json").communicate()[0])
            answers.append((high["number"], sorted({s["repository"] for s in high["sources"] if "repository" in s}), blocked["error"]["message"].split(": ")[1]))
        same = all(a == answers[0] for a in answers)
        print(f"4 main, nested and external worktree: high-water {[a[0] for a in answers]}, repositories {answers[0][1]}, lock and answer {'the same' if same else 'DIFFERENT'}", flush=True)
        promise(same and answers[0][0] == 700, "4")


def silent_remote() -> None:
    with Sandbox() as box, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        port = server.getsockname()[1]
        repository = box.repository("a")
        for scheme in ("git", "http"):
            subprocess.run(["git", "remote", "remove", "origin"], cwd=repository, stderr=subprocess.DEVNULL, check=False)
            box.git("remote", "add", "origin", f"{scheme}://127.0.0.1:{port}/x.git", cwd=repository)
            began = time.monotonic()
            answer = json.loads(start(repository, box.environment(), "next", "req", "--json").communicate()[0])
            seconds = time.monotonic() - began
            print(f"5 silent {scheme} remote: back after {seconds:.1f} s, degraded {answer['degraded']}, number {answer['number']}, reason: {answer['reasons'][0]}", flush=True)
            promise(seconds < 6 and answer["degraded"], "5")


def speed(runs: int = 15) -> None:
    def median(command, cwd, env) -> float:
        times = []
        for _ in range(runs):
            began = time.perf_counter()
            subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - began)
        return statistics.median(times) * 1000

    with Sandbox() as box:
        repository = box.repository("a")
        bare = median([*PYTHON[:3], "-c", "pass"], repository, box.environment())
        alone = median([*ADLC, "id", "next", "req"], repository, box.environment())
        print(f"6 without a remote: {alone:.0f} ms = {alone / bare:.1f} x an empty interpreter ({bare:.1f} ms)", flush=True)
        promise(alone <= 12 * bare, "6: without a remote")
    with Sandbox() as box:
        first = box.repository("r0", remote=True)
        one = median([*ADLC, "id", "next", "req"], first, box.environment())
        for n in range(1, 10):
            box.repository(f"r{n}", remote=True)
        ten = median([*ADLC, "id", "next", "req"], first, box.environment())
        print(f"6 with one local remote: {one:.0f} ms, with ten: {ten:.0f} ms = {ten / one:.1f} x", flush=True)
        promise(ten <= 3 * one, "6: ten remotes")


if __name__ == "__main__":
    sys.exit(main())
