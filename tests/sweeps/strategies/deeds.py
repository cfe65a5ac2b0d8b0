# SPDX-License-Identifier: Apache-2.0
"""Actions on runs of every strategy from outside: a run is stopped, paused, killed, frozen and resumed."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

from cells import BASE, STRATEGIES, Strategy
from trained import PATIENCE, Judged, words

STOPPED, DIED, HUNG = 20, 12, 13


@dataclass(frozen=True)
class Deed:
    strategy: Strategy
    what: str
    transport: str

    @property
    def name(self):
        return f"{self.strategy.name}; {self.what}; {self.transport}"


def deed_cells():
    return [Deed(strategy, what, transport) for transport in ("shm", "gloo") for what in DEEDS.known for strategy in STRATEGIES]


def settings_of(cell, *more):
    return [*BASE, *cell.strategy.all_settings(), f"parallel.backend={cell.transport}", *more]


class Endless:
    """A run that continues until a test ends it."""

    def __init__(self, runner, cell):
        self.runner, self.out, self.said = runner, runner.directory(), ""
        more = words(settings_of(cell, "training.max_steps=0", "training.epochs=1000000", "parallel.timeout_seconds=3"))
        self.process = subprocess.Popen([runner.programs / "ringsidectl", "run", "--out", self.out, *more],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.out, ignore_errors=True)

    def trains(self):
        path = self.out / "metrics.jsonl"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if path.exists() and b'"kind":"step"' in path.read_bytes()[:100000]:
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.02)
        return False

    def workers(self):
        """Returns the process ids of the workers, by rank."""
        lines = (json.loads(line) for line in (self.out / "telemetry.jsonl").read_bytes().rpartition(b"\n")[0].splitlines())
        return {line["rank"]: line["pid"] for line in lines if line["kind"] == "rank" and "pid" in line}

    def ends(self):
        try:
            self.said = self.process.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            return "hangs"
        return self.process.returncode

    def summary(self):
        return json.loads((self.out / "summary.json").read_text())

    def run_command(self, *command):
        done = subprocess.run([self.runner.programs / "ringsidectl", "control", self.out, *command], capture_output=True, text=True,
                              timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr


def stopped(run, _):
    run.process.send_signal(signal.SIGTERM)  # not SIGINT, because a process that starts with SIGINT ignored, as in a
                                             # shell's background, keeps ignoring it
    code = run.ends()
    saved = list((run.out / "checkpoints").glob("step-*/manifest.json"))
    return code == STOPPED and run.summary()["state"] == "stopped" and saved, f"{code}: {run.said}"


def paused(run, cell):
    for command in (("pause",), ("phase",), ("phase",), ("step", "3"), ("lr", "0.02"), ("checkpoint",), ("resume",)):
        code, said = run.run_command(*command)
        if code != 0:
            return False, f"{command} ends with {code}: {said}"
    return stopped(run, cell)


def failed(run, cell, number, code):
    rank = 0 if cell.strategy.name == "data_parallel" else cell.strategy.ranks - 1
    workers = run.workers()
    if rank not in workers:
        return False, f"no rank {rank} among {workers}"
    os.kill(workers[rank], number)
    ended = run.ends()
    left = [pid for pid in workers.values() if pathlib.Path(f"/proc/{pid}").exists()]
    held = ended == code and run.summary()["first_failed_rank"] == rank and not left
    return held, f"{ended}, rank {run.summary()['first_failed_rank']} for {rank}, left {left}: {run.said}"


def killed(run, cell):
    return failed(run, cell, signal.SIGKILL, DIED)


def frozen(run, cell):
    return failed(run, cell, signal.SIGSTOP, HUNG)


def resumed(runner, cell):
    """Trains one epoch as the twin (or as itself if there is no twin), then one epoch under this strategy. The bits
    must equal those of two epochs in one run.
    """
    twin = cell.strategy.twin()
    first = [*BASE, *twin, "parallel.backend=shm"] if twin else settings_of(cell)
    begun = runner.directory()
    one_epoch = words([*first, "training.max_steps=0", "training.epochs=1"])
    code = subprocess.run([runner.programs / "ringsidectl", "run", "--quiet", "--out", begun, *one_epoch],
                          capture_output=True, timeout=PATIENCE).returncode
    if code != 0:
        return Judged("red", f"its first half ends with {code}")
    half = runner.train(settings_of(cell, "training.max_steps=0", f"training.resume={begun}"))
    whole = runner.twin([*first, "training.max_steps=0"])
    shutil.rmtree(begun, ignore_errors=True)
    if half.code != 0:
        return Judged("red", f"the continued run ends with {half.code}: {half.said}")
    if cell.transport != "shm" and cell.strategy.readers > 1:
        return Judged("trained")
    return Judged("equal") if half.hashes == whole.hashes else Judged("red", "other bits than without the interruption")


class Deeds:
    known = {"stop": stopped, "pause, step and phase": paused, "kill": killed, "hang": frozen, "resume": None}

    def run(self, runner, cell):
        deed = self.known[cell.what]
        if deed is None:
            return resumed(runner, cell)
        with Endless(runner, cell) as run:
            if not run.trains():
                return Judged("red", f"did not train: {run.process.poll()}")
            held, why = deed(run, cell)
            return Judged("trained" if held else "red", why)


DEEDS = Deeds()
