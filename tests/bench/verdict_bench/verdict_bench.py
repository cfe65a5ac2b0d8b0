#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""verdict_bench.py [BUILD [TRIALS [--only NAME]]]: counts how often the verdict of a run names the true straggler.

All runs have real ranks. In each trial, one of 4 ranks is late by 50 ms in its data, forward, backward or optimizer
phase, for 20 steps; rank and phase differ between trials. There are balanced runs of 4 and of 8 ranks, and runs in
which a program that never sleeps uses the CPU of one rank. Prints the numbers of right and of wrong verdicts. The case
"strategies" is injections.py: delays of 2 to 30 ms under every strategy.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import injections

HERE = pathlib.Path(__file__).resolve().parent
PHASES = ("data", "forward", "backward", "optimizer")
# Settings of a run of 20 steps on 4 ranks.
STEPS = ("dataset.kind=synthetic", "dataset.shape=blobs", "dataset.features=64", "dataset.classes=10",
         "dataset.validation_fraction=0.05", "training.epochs=1", "training.checkpoint_every=0")


def summary_of(build, ranks, *settings, meanwhile=None):
    with tempfile.TemporaryDirectory() as scratch:
        size = 20 * 32 * ranks * 100 // 95 + ranks
        command = [str(build / "bin/ringsidectl"), "run", "--quiet", "--out", scratch + "/run"]
        for setting in (*STEPS, f"dataset.size={size}", f"parallel.world_size={ranks}", *settings):
            command += ["--set", setting]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if meanwhile:
            meanwhile(run)
        run.wait(timeout=300)
        return json.loads(pathlib.Path(scratch, "run/summary.json").read_text())


def slow_trial(build, trial, *more):
    rank, phase = trial % 4, PHASES[trial // 4 % 4]
    late = summary_of(build, 4, f"pitfalls.slow_rank={rank}", f"pitfalls.slow_phase={phase}", "pitfalls.slow_ms=50",
                      f"parallel.backend={('shm', 'gloo')[trial // 16 % 2]}", *more)["straggler"]
    return late is not None and (late["rank"], late["phase"]) == (rank, phase), late


def balanced_trial(build, ranks):
    late = summary_of(build, ranks)["straggler"]
    return late is None, late


def workers_of(run):
    for _ in range(200):
        children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        workers = [pid for pid in children
                   if "ringside-worker" in pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")[0]]
        if len(workers) == 2:
            return sorted(workers, key=int)
        time.sleep(0.01)
    raise RuntimeError("no workers were seen")


def taken_trial(build, trial):
    """Runs two ranks, each on its own CPU. One of them shares its CPU with four programs that never sleep."""
    victim, hogs = trial % 2, []

    def take_cpu(run):
        cpus = sorted(os.sched_getaffinity(0))[:2]
        workers = workers_of(run)
        for worker, cpu in zip(workers, cpus):
            for thread in pathlib.Path(f"/proc/{worker}/task").iterdir():
                os.sched_setaffinity(int(thread.name), {cpu})
        for _ in range(4):
            hog = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            os.sched_setaffinity(hog.pid, {cpus[victim]})
            hogs.append(hog)

    try:
        late = summary_of(build, 2, "model.hidden=[1024,1024]", "training.epochs=8", meanwhile=take_cpu)["straggler"]
    finally:
        for hog in hogs:
            hog.send_signal(signal.SIGKILL)
            hog.wait()
    return late is not None and (late["rank"], late["phase"]) == (victim, "cpu"), late


def strategy_trial(build, trial):
    row = injections.injected(build, "1", trial)
    return row["answer"] == "right", row


def calm_trial(build, trial):
    row = injections.calm(build, "1", trial)
    return row["answer"] == "right", row["named"]


BUCKETS = ("model.hidden=512,512", "parallel.bucket_cap_mb=0.25", "parallel.first_bucket_mb=0.25", "optimizer.lr=0.001")
CASES = {"late": ("1 of 4 ranks late by 50 ms, named with its phase", slow_trial),
         "buckets": ("the same, gradients in several buckets", lambda build, trial: slow_trial(build, trial, *BUCKETS)),
         "balanced": ("4 ranks in balance, no rank named", lambda build, trial: balanced_trial(build, 4)),
         "crowded": ("8 ranks in balance, no rank named", lambda build, trial: balanced_trial(build, 8)),
         "strategies": ("2 to 30 ms under every strategy, named with its phase", strategy_trial),
         "calm": ("every strategy in balance, no rank named", calm_trial),
         "taken": ("a CPU taken by other programs, named as that", taken_trial)}


def measure(build, trials, only=None):
    """Returns (case, number of right answers, number of trials, wrong answers) for each case."""
    for name, (what, trial) in CASES.items():
        if only and name != only:
            continue
        if name == "taken" and len(os.sched_getaffinity(0)) < 2:
            continue
        answers = [trial(build, at) for at in range(trials)]
        yield what, sum(right for right, _ in answers), trials, [answer for right, answer in answers if not right]


def main():
    arguments = sys.argv[1:]
    only = arguments.pop(arguments.index("--only") + 1) if "--only" in arguments else None
    arguments = [one for one in arguments if one != "--only"]
    build = pathlib.Path(arguments[0]) if arguments else HERE.parents[2] / "build/release"
    trials = int(arguments[1]) if len(arguments) > 1 else 100
    for what, right, count, wrong in measure(build, trials, only):
        print(f"{what:52} {right:4} of {count}", flush=True)
        for answer in wrong[:5]:
            print("    wrong:", answer)


if __name__ == "__main__":
    main()
