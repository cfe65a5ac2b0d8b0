#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""launch_bench.py [BIN] [REPEATS]: time from the start of ringsidectl to the first step of 4 ranks, beside PyTorch's,
and what telemetry costs: steps per second with every step logged against hardly any.

The two sides of each comparison take turns, first one and then the other in front, and their ratio is taken pair by
pair: what else the machine does then troubles both. The median is told with its quartiles. What single runs scatter
is more than what is looked for, so many short ones are made, and something else is told that scatters less: the part
of all processor time that goes to the threads that tell of steps (the ranks' and the supervisor's). Where ranks keep
all CPUs busy a step loses that part, or up to as many times of it as there are CPUs if the ranks of the others wait.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
RANKS = 4
# Epochs of a hundred steps: what is reported once an epoch belongs to neither side.
LONG_EPOCHS = ("dataset.kind=synthetic", "dataset.shape=blobs", "dataset.size=12800", "dataset.features=64",
               "dataset.classes=10", "dataset.validation_fraction=0.05", "training.checkpoint_every=0")


def run_command(bin_dir, directory, assignments):
    command = [bin_dir / "ringsidectl", "run", "--quiet", "--out", directory]
    for assignment in assignments:
        command += ["--set", assignment]
    return command


def summary_of(bin_dir, *assignments):
    """summary.json of a run."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(run_command(bin_dir, scratch + "/run", assignments), check=True, capture_output=True)
        return json.loads((pathlib.Path(scratch) / "run/summary.json").read_text())


def thread_times(pid):
    """(process, thread, name of the thread): nanoseconds on a CPU, for a supervisor and its workers."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    times = {}
    for process in [str(pid), *children]:
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            name = (task / "comm").read_text().strip()
            times[process, task.name, name] = int((task / "schedstat").read_text().split()[0])
    return times


def telling_share(bin_dir, *assignments):
    """Percent of a run's processor time in the threads that tell of steps, as of the last look at it."""
    with tempfile.TemporaryDirectory() as scratch:
        supervisor = subprocess.Popen(run_command(bin_dir, scratch + "/run", assignments), stdout=subprocess.DEVNULL)
        times = {}
        while supervisor.poll() is None:
            try:
                now = thread_times(supervisor.pid)
                times = now if len(now) >= len(times) else times
            except OSError:  # something has just ended
                pass
            time.sleep(0.1)
    telling = sum(spent for (process, task, name), spent in times.items()
                  if name in ("telemetry", "heartbeat") or process == task == str(supervisor.pid))
    return 100 * telling / sum(times.values())


def our_launch(bin_dir):
    return summary_of(bin_dir, f"parallel.world_size={RANKS}", "training.epochs=1")["first_step_seconds"]


def pytorch_launch(turn):
    started = time.time()
    environment = dict(os.environ, MASTER_PORT=str(29800 + turn))
    command = ["/usr/bin/python3", str(HERE / "peer_pytorch.py"), str(RANKS)]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return float(text) - started


def telemetry_costs(bin_dir, world_size, epochs, pairs):
    """Percent of the step rate for each pair, and of the processor time for each of a few longer ones."""
    def settings(count):
        logged = (*LONG_EPOCHS, f"parallel.world_size={world_size}", f"training.epochs={count}")
        return {"logged": logged, "silent": (*logged, "training.log_every=1000000")}

    rates = []
    for pair in range(pairs):
        order = ("logged", "silent") if pair % 2 == 0 else ("silent", "logged")
        rate = {side: summary_of(bin_dir, *settings(epochs)[side])["steps_per_second"] for side in order}
        rates.append(100 * (1 - rate["logged"] / rate["silent"]))
    long = settings(3 * epochs)
    processor = [telling_share(bin_dir, *long["logged"]) - telling_share(bin_dir, *long["silent"])
                 for _ in range(max(2, pairs // 12))]
    return rates, processor


def quartiles(values):
    return statistics.quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3


def main():
    bin_dir = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[2] / "build/release/bin"
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    print(f"{'what':44} {'quartile':>10} {'median':>10} {'quartile':>10}")

    def row(name, values):
        print(f"{name:44} " + " ".join(f"{value:10.3f}" for value in quartiles(values)), flush=True)

    row("launch to first step, 4 ranks [s]", [our_launch(bin_dir) for _ in range(repeats)])
    row("the same with PyTorch DDP over Gloo [s]", [pytorch_launch(turn) for turn in range(max(2, repeats // 5))])
    for world_size, epochs in ((1, 160), (RANKS, 80)):
        rates, processor = telemetry_costs(bin_dir, world_size, epochs, 4 * repeats)
        row(f"telemetry, world size {world_size}, of the step rate [%]", rates)
        row(f"telemetry, world size {world_size}, of processor time [%]", processor)


if __name__ == "__main__":
    main()
