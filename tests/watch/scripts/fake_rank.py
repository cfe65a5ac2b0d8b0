# SPDX-License-Identifier: Apache-2.0
"""Reports the training of a rank without PyTorch, over the connection of ringside_watch. For tests of the watcher.

Arguments: --ranks N starts that many processes and waits for them. --steps N, --epochs N. --fail RANK: this rank reports
an exception and exits with code 7. --hang RANK: this rank reports that it sleeps while the others wait in an all-reduce.
--leave RANK: this rank is killed. --wait: continues until a signal arrives. --daemon: trains in a process in the background.
--alone: the ranks create no process group. --trained FILE: creates the file after its heartbeats.
--torn: sends lines that no rank may send. --beats N: sends that many heartbeats at the end, five a second.
--clock-ahead S: reports another host, whose clock is S seconds ahead. --nan-until FILE: before its epochs, the rank reports
an epoch whose losses are not numbers, and waits for the file.
"""
import argparse
import hashlib
import os
import signal
import struct
import subprocess
import sys
import time

from ringside_watch import wire


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=0)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--fail", type=int, default=-1)
    parser.add_argument("--hang", type=int, default=-1)
    parser.add_argument("--leave", type=int, default=-1)
    parser.add_argument("--beats", type=int, default=0)
    parser.add_argument("--clock-ahead", type=int, default=0)
    parser.add_argument("--trained", default="")
    parser.add_argument("--nan-until", default="")
    for name in ("--wait", "--daemon", "--torn", "--alone"):
        parser.add_argument(name, action="store_true")
    return parser.parse_args()


def launch(count):
    """Starts the ranks as processes of their own and returns the first exit code that is not 0."""
    arguments = [sys.executable, os.path.abspath(__file__)]
    words = iter(sys.argv[1:])
    for word in words:
        if word == "--ranks":
            next(words)
        else:
            arguments.append(word)
    ranks = [subprocess.Popen(arguments, env=dict(os.environ, RANK=str(rank), WORLD_SIZE=str(count)))
             for rank in range(count)]
    signal.signal(signal.SIGTERM, lambda number, frame: [one.terminate() for one in ranks])
    codes = [one.wait() for one in ranks]
    return next((code for code in codes if code), 0)


def variable(name, other, default):
    return int(os.environ.get(name, os.environ.get(other, default)))


class Rank:
    def __init__(self, chosen):
        self.chosen = chosen
        self.rank, self.world = variable("RANK", "SLURM_PROCID", 0), variable("WORLD_SIZE", "SLURM_NTASKS", 1)
        if chosen.clock_ahead:
            wire.host_key = lambda: "another host"
        self.connection = wire.connect(os.environ["RINGSIDE_WATCH"],
                                       wire.read_secret(os.environ["RINGSIDE_WATCH_SECRET_FILE"]), self.rank,
                                       "ringside_watch test")
        self.zero_us = None
        while self.zero_us is None:
            self.connection.wait_to_read(5)
            for line in self.connection.lines():
                self.answer(line)

    def clock_us(self):
        return time.monotonic_ns() // 1000 + self.chosen.clock_ahead * 1000000

    def now(self):
        return self.clock_us() - self.zero_us

    def answer(self, line):
        if line["kind"] == "time":
            self.zero_us = line.get("zero_us", self.zero_us)
            self.send("time", asked_us=line["asked_us"], us=self.clock_us())
        if line["kind"] == "stack":
            self.stalled(9)

    def send(self, kind, **fields):
        data = wire.encode(kind, fields)
        while data:
            data = data[self.connection.write(data):]

    def event(self, kind, **fields):
        self.send(kind, rank=self.rank, **fields)

    def fact(self, about, **facts):
        self.event("script", about=about, facts=facts, time_us=self.now())

    def stalled(self, seconds):
        hangs = self.rank == self.chosen.hang
        line = "train.py:30" if hangs else "train.py:40"
        facts = {"for_us": seconds * 1000000, "cpu_us": 1000, "phase": "idle" if hangs else "waiting", "steps": 4,
                 "where": line, "stack": [line + " main"]}
        if not hangs:
            facts["inside"] = {"operation": "all_reduce", "group": 0, "number": 5, "peer": -1, "for_us": 1}
        self.fact("stalled", **facts)

    def begin(self):
        self.event("rank", state="starting", pid=os.getpid(), host="test", time_us=self.now())
        self.fact("process", watch="0.1.0", world_size=self.world, distributed=self.world > 1 and not self.chosen.alone, script="fake_rank.py",
                  launcher="python", python="3", torch="2.15.0")
        self.fact("loader", id=0, where="fake_rank.py:1", batch_size=2, drop_last=False, num_workers=0,
                  sampler={"class": "torch.utils.data.distributed.DistributedSampler", "shuffle": False, "seed": 0,
                           "drop_last": False, "num_samples": 2 * self.chosen.steps},
                  dataset={"class": "D", "object": 0, "length": 2 * self.chosen.steps * self.world})
        self.event("rank", state="training", time_us=self.now())

    def train(self, epoch, loss=None):
        count = self.chosen.steps
        trained = []
        for number in range(count):
            step = epoch * count + number + 1
            samples = [(2 * number + i) * self.world + self.rank for i in range(2)]
            trained += samples
            self.event("indices", epoch=epoch, step=step, slot=2 * number, index=samples)
            self.event("steps", epoch=epoch, lr=0.1, step=[step], samples=[2],
                       loss=[wire.finite(1.0 + self.rank + epoch if loss is None else loss)],
                       end_us=[self.now()])
        digest = hashlib.sha256(struct.pack("<%dq" % len(trained), *trained)).hexdigest()
        self.event("consumed", epoch=epoch, count=len(trained), sha256=digest)

    def stay(self, beats=None):
        """Sends `beats` heartbeats, or heartbeats until a signal arrives, and answers queries."""
        while beats is None or beats > 0:
            beats = None if beats is None else beats - 1
            self.event("heartbeat", step=self.chosen.steps, epoch=0, phase="waiting", time_us=self.now())
            self.connection.wait_to_read(0.2)
            for line in self.connection.lines():
                self.answer(line)

    def run(self):
        self.begin()
        if self.chosen.torn:
            self.send("end", state="finished")
            self.send("steps", rank=self.rank + 1, epoch=0, step=[1], loss=[9.0], samples=[1], end_us=[1])
            self.send("checkpoint", step=1, path="/etc/passwd")
        first = 0
        if self.chosen.nan_until:
            first = 1
            self.fact("step_counts", from_step=1, backwards=1, scheduler_steps=0, optimizers=[0], batches=[0],
                      losses=["fake_rank.py:2"], skipped=0)
            self.train(0, float("nan"))
            while not os.path.exists(self.chosen.nan_until):
                self.stay(1)
        for epoch in range(first, first + self.chosen.epochs):
            self.train(epoch)
        if self.chosen.trained:
            self.stay(self.chosen.beats)
            open(self.chosen.trained, "w").close()
        if self.rank == self.chosen.leave:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.rank == self.chosen.fail:
            self.fact("exception", type="ValueError", text="a bad value", where="train.py:12",
                      stack=["train.py:50 <module>", "train.py:12 main"])
            self.event("rank", state="failed", time_us=self.now())
            sys.exit(7)
        if self.chosen.wait or self.chosen.hang >= 0:
            self.stay()
        self.stay(self.chosen.beats)
        self.event("rank", state="finished", time_us=self.now())
        self.connection.close()


def main():
    chosen = options()
    if chosen.daemon and os.fork() > 0:
        return 0
    if chosen.daemon:
        os.setsid()
    if chosen.ranks:
        return launch(chosen.ranks)
    rank = variable("RANK", "SLURM_PROCID", 0)
    os.write(1, b"out of rank %d\n" % rank)
    os.write(2, b"error of rank %d\n" % rank)
    Rank(chosen).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
