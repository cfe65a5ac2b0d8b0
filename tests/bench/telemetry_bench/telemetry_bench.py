#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""telemetry_bench.py [BUILD [EPOCHS]]: measures how much reporting and tracing of steps slow the training down.

The step rates of two runs differ by 10 % and more, depending on the CPUs and the memory that the kernel selects.
Therefore both sides are measured within one run: its workers (worker.cpp) report every step for 60 epochs, and no step
for the next 60. In a second run they report all steps, and alternate between tracing with the default setting and no
tracing. Each window with reports is compared with the mean of its two neighbours without.

A third figure varies least: the CPU time of the threads that report steps, in a run of ordinary workers.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Short steps of the MLP and long epochs. Nothing is written but telemetry.
SETTINGS = ("dataset.kind=synthetic", "dataset.shape=blobs", "dataset.size=12800", "dataset.features=64",
            "dataset.classes=10", "dataset.validation_fraction=0.05", "training.checkpoint_every=0")
NEVER = "training.log_every=1000000"


def run_command(ringsidectl, directory, world_size, epochs, *more):
    command = [str(ringsidectl), "run", "--quiet", "--out", str(directory)]
    for assignment in (*SETTINGS, f"parallel.world_size={world_size}", f"training.epochs={epochs}", *more):
        command += ["--set", assignment]
    return command


def step_rate_costs(build, world_size, epochs, of="telemetry", kind=""):
    """Returns the costs in percent of the step rate: one figure for each window with telemetry (or with traces) except
    the first. kind "-processor": in percent of rank 0's steps per second of CPU time of its training thread, which
    varies less.
    """
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        shutil.copy(build / "bin/ringsidectl", scratch)  # ringsidectl starts the worker in its own folder
        shutil.copy(build / "bench/telemetry_bench_worker", scratch / "ringside-worker")
        subprocess.run(run_command(scratch / "ringsidectl", scratch / "run", world_size, epochs), check=True,
                       capture_output=True, env={**os.environ, "RINGSIDE_BENCH": of})
        words = [line.split()[-2:] for line in (scratch / "run/log.txt").read_text().splitlines()]
    windows = [(word, float(rate)) for word, rate in words if word in ("reported" + kind, "silent" + kind)]
    return [100 * (1 - rate / statistics.mean((windows[at - 1][1], windows[at + 1][1])))
            for at, (word, rate) in enumerate(windows) if word == "reported" + kind and 0 < at < len(windows) - 1]


def thread_times(pid):
    """Returns {(process, thread, name of the thread): nanoseconds of CPU time} for a supervisor and its workers."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    times = {}
    for process in [str(pid), *children]:
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            name = (task / "comm").read_text().strip()
            times[process, task.name, name] = int((task / "schedstat").read_text().split()[0])
    return times


def telling_share(build, world_size, epochs, *more):
    """Returns the percentage of a run's CPU time that the threads for telemetry use, from the last measurement before
    the end of the run.
    """
    with tempfile.TemporaryDirectory() as scratch:
        command = run_command(build / "bin/ringsidectl", scratch + "/run", world_size, epochs, *more)
        supervisor = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        times = {}
        while supervisor.poll() is None:
            try:
                now = thread_times(supervisor.pid)
                times = now if len(now) >= len(times) else times
            except OSError:  # a process or thread has just ended
                pass
            time.sleep(0.1)
    telling = sum(spent for (process, task, name), spent in times.items()
                  if name in ("telemetry", "heartbeat") or process == task == str(supervisor.pid))
    return 100 * telling / sum(times.values())


def processor_costs(build, world_size, epochs, pairs):
    """Returns, for several pairs of runs, by how many percent the CPU time of a run with telemetry exceeds that of a
    run without.
    """
    return [telling_share(build, world_size, epochs) - telling_share(build, world_size, epochs, NEVER)
            for _ in range(pairs)]


def standard_error(values):
    return statistics.stdev(values) / len(values) ** 0.5


def main():
    root = pathlib.Path(__file__).resolve().parents[3]
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "build/release"
    epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 14000
    for world_size in (1, 4):
        for of, kind in (("telemetry", ""), ("trace", ""), ("trace", "-processor")):
            costs = step_rate_costs(build, world_size, epochs, of, kind)
            rate = kind[1:] or "step"
            print(f"world size {world_size}: {of} costs {statistics.mean(costs):6.2f} % of the {rate} rate, standard "
                  f"error {standard_error(costs):.2f}, median {statistics.median(costs):.2f}, {len(costs)} windows",
                  flush=True)
        shares = processor_costs(build, world_size, 250, 3)
        print(f"world size {world_size}: {statistics.mean(shares):6.2f} % of the processor time, from {min(shares):.2f} "
              f"to {max(shares):.2f}", flush=True)


if __name__ == "__main__":
    main()
