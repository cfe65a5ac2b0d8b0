# SPDX-License-Identifier: Apache-2.0
"""class_storm.py BIN [EVENTS] [SEED]: computers join and leave a class at random while it trains.

Each event starts somebody, or ends somebody in one of three ways: asked, killed, or frozen and then killed. At the end
every step is recorded once and in order, every rank trained on what was planned for it, and nobody is left behind.
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

RANKS = 5
SETTINGS = ["--set", "training.epochs=1000000", "--set", "pitfalls.slow_rank=0", "--set", "pitfalls.slow_ms=3", "--set",
            "parallel.timeout_seconds=3"]


class Storm:
    def __init__(self, programs, scratch, seed):
        self.programs, self.scratch, self.random = programs, scratch, random.Random(seed)
        self.out = scratch / "run"
        self.said = open(scratch / "host.txt", "w+")
        self.host = subprocess.Popen(
            [programs / "ringsidectl", "host", "--address", "127.0.0.1", "--ranks", str(RANKS), "--min-ranks", "2", "--out",
             self.out, "--lines", *SETTINGS], stdin=subprocess.PIPE, stdout=self.said, stderr=subprocess.STDOUT, text=True)
        self.code = self.wait_for(lambda: next((line["code"] for line in self.lines() if line.get("kind") == "code"), None))
        self.guests, self.count = [], 0

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
        raise RuntimeError("waited in vain: " + (self.scratch / "host.txt").read_text()[-2000:])

    def join(self):
        self.count += 1
        self.guests.append(subprocess.Popen(
            [self.programs / "ringsidectl", "join", self.code, "--name", f"guest{self.count}", "--folder",
             self.scratch / f"guest{self.count}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def leave(self):
        guest = self.guests.pop(self.random.randrange(len(self.guests)))
        how = self.random.choice(["asked", "killed", "frozen"])
        if how == "frozen":
            guest.send_signal(signal.SIGSTOP)
            time.sleep(1)
        guest.send_signal(signal.SIGTERM if how == "asked" else signal.SIGKILL)
        guest.wait(20)
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
            guest.wait(30)
        summary = json.loads((self.out / "summary.json").read_text())
        numbers = [line["step"] for line in self.steps()]
        assert code == 20 and summary["state"] == "stopped", (code, summary["verdict"])
        assert numbers == list(range(1, len(numbers) + 1)), "steps are missing or double"
        assert all(line["loss"] is not None and line["loss"] < 5 for line in self.steps()), "a wrong loss"
        assert summary["plan_verified"] in (True, None), summary["plan_mismatch"]
        left = subprocess.run(["pgrep", "-f", str(self.scratch)], stdout=subprocess.PIPE, text=True).stdout.split()
        assert not [pid for pid in left if int(pid) != os.getpid()], left
        print(len(numbers), "steps,", summary["restarts"], "restarts, nothing left behind")


def main():
    events = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:
        storm = Storm(pathlib.Path(sys.argv[1]), pathlib.Path(folder), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
        try:
            storm.go(events)
            storm.end()
        finally:
            for process in [storm.host, *storm.guests]:
                if process.poll() is None:
                    process.kill()


main()
