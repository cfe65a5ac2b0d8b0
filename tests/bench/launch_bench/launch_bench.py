# SPDX-License-Identifier: Apache-2.0
"""launch_bench.py [BIN] [REPEATS]: time from the start of ringsidectl to the first step of 4 ranks, and what telemetry
costs: steps per second with every step logged, over steps per second with hardly any. Medians; the two sides of the
comparison take turns, so that a busy machine troubles both."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

BIN = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[3] / "build/release/bin")
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 9


def summary_of(*assignments):
    with tempfile.TemporaryDirectory() as scratch:
        command = [BIN / "ringsidectl", "run", "--quiet", "--out", scratch + "/run"]
        for assignment in assignments:
            command += ["--set", assignment]
        subprocess.run(command, check=True, capture_output=True)
        return json.loads((pathlib.Path(scratch) / "run/summary.json").read_text())


def median(values):
    return statistics.median(values), min(values), max(values)


print(f"{'what':44} {'median':>10} {'least':>10} {'most':>10}")
launches = [summary_of("training.epochs=1")["first_step_seconds"] for _ in range(REPEATS)]
print(f"{'launch to first step, 4 ranks [s]':44} " + " ".join(f"{x:10.3f}" for x in median(launches)))
for world_size, epochs in ((1, 1000), (4, 300)):
    size = f"parallel.world_size={world_size}"
    logged, silent = [], []
    for _ in range(REPEATS):
        logged.append(summary_of(size, f"training.epochs={epochs}")["steps_per_second"])
        silent.append(summary_of(size, f"training.epochs={epochs}", "training.log_every=1000000")["steps_per_second"])
    name = f"{world_size} rank{'s' if world_size > 1 else ''}"
    print(f"{name + ', every step logged [steps/s]':44} " + " ".join(f"{x:10.0f}" for x in median(logged)))
    print(f"{name + ', hardly any logged [steps/s]':44} " + " ".join(f"{x:10.0f}" for x in median(silent)))
    costs = [100 * (1 - with_log / without) for with_log, without in zip(logged, silent)]
    print(f"{name + ', cost of telemetry [%]':44} " + " ".join(f"{x:10.2f}" for x in median(costs)))
