#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""launch_bench.py [BIN] [REPEATS]: measures the time from the start of ringsidectl to the first step of 4 ranks, and
the same for PyTorch. Prints the median with its quartiles.
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


def our_launch(bin_dir):
    with tempfile.TemporaryDirectory() as scratch:
        command = [bin_dir / "ringsidectl", "run", "--quiet", "--out", scratch + "/run", "--set",
                   f"parallel.world_size={RANKS}", "--set", "training.epochs=1"]
        subprocess.run(command, check=True, capture_output=True)
        return json.loads((pathlib.Path(scratch) / "run/summary.json").read_text())["first_step_seconds"]


def pytorch_launch(turn):
    started = time.time()
    environment = dict(os.environ, MASTER_PORT=str(29800 + turn))
    command = ["/usr/bin/python3", str(HERE / "peer_pytorch.py"), str(RANKS)]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return float(text) - started


def main():
    bin_dir = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[2] / "build/release/bin"
    repeats = max(2, int(sys.argv[2])) if len(sys.argv) > 2 else 15
    print(f"{'what':44} {'quartile':>10} {'median':>10} {'quartile':>10}")

    def row(name, values):
        print(f"{name:44} " + " ".join(f"{value:10.3f}" for value in statistics.quantiles(values, n=4)), flush=True)

    row("launch to first step, 4 ranks [s]", [our_launch(bin_dir) for _ in range(repeats)])
    row("the same with PyTorch DDP over Gloo [s]", [pytorch_launch(turn) for turn in range(max(2, repeats // 5))])


if __name__ == "__main__":
    main()
