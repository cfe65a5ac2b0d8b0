#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""launch_bench.py [BIN] [REPEATS]: time from the start of ringsidectl to the first step of 4 ranks, beside PyTorch's,
and what telemetry costs: steps per second with every step logged against hardly any.

The two sides of each comparison take turns, first one and then the other in front, and their ratio is taken pair by
pair: what else the machine does then troubles both. The median is told with its quartiles. The same is told of the
processor time of all processes, which a busy machine hardly changes.
"""
import json
import os
import pathlib
import resource
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


def summary_of(bin_dir, *assignments):
    """summary.json of a run, and in cpu_seconds the processor time of the supervisor and all workers."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [bin_dir / "ringsidectl", "run", "--quiet", "--out", scratch + "/run"]
        for assignment in assignments:
            command += ["--set", assignment]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        summary = json.loads((pathlib.Path(scratch) / "run/summary.json").read_text())
    summary["cpu_seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return summary


def our_launch(bin_dir):
    return summary_of(bin_dir, f"parallel.world_size={RANKS}", "training.epochs=1")["first_step_seconds"]


def pytorch_launch(turn):
    started = time.time()
    environment = dict(os.environ, MASTER_PORT=str(29800 + turn))
    command = ["/usr/bin/python3", str(HERE / "peer_pytorch.py"), str(RANKS)]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return float(text) - started


def telemetry_costs(bin_dir, world_size, epochs, pairs):
    """Percent of the step rate and of the processor time, a figure of each for each pair."""
    common = (*LONG_EPOCHS, f"parallel.world_size={world_size}", f"training.epochs={epochs}")
    sides = {"logged": (), "silent": ("training.log_every=1000000",)}
    rates, processor = [], []
    for pair in range(pairs):
        order = ("logged", "silent") if pair % 2 == 0 else ("silent", "logged")
        run = {side: summary_of(bin_dir, *common, *sides[side]) for side in order}
        rates.append(100 * (1 - run["logged"]["steps_per_second"] / run["silent"]["steps_per_second"]))
        processor.append(100 * (1 - run["silent"]["cpu_seconds"] / run["logged"]["cpu_seconds"]))
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
    for world_size, epochs in ((1, 160), (RANKS, 300)):
        rates, processor = telemetry_costs(bin_dir, world_size, epochs, repeats)
        row(f"telemetry, world size {world_size}, of the step rate [%]", rates)
        row(f"telemetry, world size {world_size}, of processor time [%]", processor)


if __name__ == "__main__":
    main()
