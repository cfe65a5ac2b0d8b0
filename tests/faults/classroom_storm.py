# SPDX-License-Identifier: Apache-2.0
"""classroom_storm.py BIN [EVENTS] [SEED]: computers join and leave a classroom at random while it trains.

Each computer is a network namespace with a cable to a switch. If namespaces cannot be made, the reason is printed, and
all members use the loopback interface. Each event starts a member, or ends a member in one of four ways: by a signal
that it handles, by SIGKILL, by SIGKILL after it was stopped, or after its cable was unplugged. At the end every step
must be recorded once and in order, every rank must have trained on its planned samples, and no process may be left.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from switched_hosts import SwitchedHosts, why_not

RANKS = 5
SETTINGS = ["--set", "training.epochs=1000000", "--set", "pitfalls.slow_rank=0", "--set", "pitfalls.slow_ms=3", "--set",
            "parallel.timeout_seconds=3"]


class Loopback:
    """Replacement for network namespaces: all members are on this computer."""
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def address(self, _):
        return "127.0.0.1"

    def on(self, _):
        return []

    def listening(self):
        return []


def network():
    why = why_not()
    if not why:
        return SwitchedHosts(RANKS)
    print("over the loopback interface:", why, flush=True)
    return Loopback()


class Storm:
    def __init__(self, programs, scratch, seed, hosts):
        self.programs, self.scratch, self.random, self.hosts = programs, scratch, random.Random(seed), hosts
        self.out = scratch / "run"
        self.said = open(scratch / "host.txt", "w+")
        self.host = subprocess.Popen(
            [*hosts.on(0), programs / "ringsidectl", "host", "--address", hosts.address(0), "--ranks", str(RANKS), "--min-ranks",
             "2", "--out", self.out, "--lines", *SETTINGS], stdin=subprocess.PIPE, stdout=self.said, stderr=subprocess.STDOUT, text=True)
        self.code = self.wait_for(lambda: next((line["code"] for line in self.lines() if line.get("kind") == "code"), None))
        self.guests, self.seats, self.free, self.count = [], {}, list(range(1, RANKS)), 0
        self.ways = ["asked", "killed", "frozen"] + (["unplugged"] if hosts.on(0) else [])

    def lines(self):
        text = (self.scratch / "host.txt").read_text()
        return [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]

    def wait_for(self, what, seconds=60):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = what()
            if found:
                return found
            time.sleep(0.1)
        raise RuntimeError("timed out waiting for: " + (self.scratch / "host.txt").read_text()[-2000:])

    def join(self):
        self.count += 1
        seat = self.free.pop(0)
        guest = subprocess.Popen(
            [*self.hosts.on(seat), self.programs / "ringsidectl", "join", self.code, "--name", f"guest{self.count}",
             "--folder", self.scratch / f"guest{self.count}"], stdout=open(self.scratch / f"guest{self.count}.txt", "w"),
            stderr=subprocess.STDOUT)
        self.seats[guest.pid] = seat
        self.guests.append(guest)

    def leave(self):
        guest = self.guests.pop(self.random.randrange(len(self.guests)))
        seat = self.seats.pop(guest.pid)
        how = self.random.choice(self.ways)
        if how == "frozen":
            guest.send_signal(signal.SIGSTOP)
            time.sleep(1)
        if how == "unplugged":
            self.hosts.cable(seat, "down")
            time.sleep(self.random.uniform(0.5, 5))
        guest.send_signal(signal.SIGTERM if how == "asked" else signal.SIGKILL)
        guest.wait(20)
        if how == "unplugged":
            self.hosts.cable(seat, "up")
        self.free.append(seat)
        return how

    def steps(self):
        try:
            lines = (self.out / "metrics.jsonl").read_text().splitlines(keepends=True)
        except FileNotFoundError:
            return []
        found = [json.loads(line) for line in lines if line.endswith("\n")]
        return [line for line in found if line["kind"] == "step"]

    def go(self, events):
        for _ in range(RANKS - 1):
            self.join()
        self.wait_for(self.steps)
        for event in range(events):
            grows = len(self.guests) < 2 or (len(self.guests) < RANKS - 1 and self.random.random() < 0.5)
            what = "joined" if grows else None
            self.join() if grows else None
            what = what or self.leave()
            assert self.host.poll() is None, (self.scratch / "host.txt").read_text()[-2000:]
            time.sleep(self.random.uniform(0.2, 3))
            print(event, what, len(self.guests), "guests", flush=True)
        while len(self.guests) < RANKS - 1:
            self.join()
        before = len(self.steps())
        self.wait_for(lambda: len(self.steps()) > before + 20, 120)

    def end(self):
        self.host.send_signal(signal.SIGTERM)
        code = self.host.wait(60)
        for guest in self.guests:
            try:
                guest.wait(30)
            except subprocess.TimeoutExpired:
                name = guest.args[guest.args.index("--name") + 1]
                tails = {file: (self.scratch / f"{file}.txt").read_text()[-1500:] for file in ("host", name)}
                raise RuntimeError(f"the host ended with code {code}, but {name} continues 30 s later; " + "; ".join(
                    f"{file} ends with: {text}" for file, text in tails.items())) from None
        summary = json.loads((self.out / "summary.json").read_text())
        numbers = [line["step"] for line in self.steps()]
        assert code == 20 and summary["state"] == "stopped", (code, summary["verdict"])
        wrong = [(before, after) for before, after in zip([0, *numbers], numbers) if after != before + 1]
        assert not wrong, f"of {len(numbers)} steps some are missing or double: (one, the next) {wrong[:5]}; {summary['recording']}"
        assert all(line["loss"] is not None and line["loss"] < 5 for line in self.steps()), "a wrong loss"
        assert summary["plan_verified"] in (True, None), summary["plan_mismatch"]
        left = subprocess.run(["pgrep", "-f", str(self.scratch)], stdout=subprocess.PIPE, text=True).stdout.split()
        assert not [pid for pid in left if int(pid) != os.getpid()], left
        assert not self.hosts.listening(), self.hosts.listening()
        print(len(numbers), "steps,", summary["restarts"], "restarts, nothing left behind")


def main():
    events = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with network() as hosts, tempfile.TemporaryDirectory() as folder:
        storm = Storm(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder), seed, hosts)
        try:
            storm.go(events)
            storm.end()
        finally:
            for process in [storm.host, *storm.guests]:
                if process.poll() is None:
                    process.kill()


main()
