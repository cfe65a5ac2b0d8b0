#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""whatif_bench.py [BUILD [--steps N] [--only TEXT]]: predicts changes and checks them, like the window's *Check by
running*.

Each scenario records a run, predicts the step time after a change with `ringsidectl whatif`, then runs the changed
experiment and measures it. Ranks are throttled (parallel.pace), so that the speed of links and devices does not depend
on other programs; the last scenarios are not throttled. Prints both step times, the error, whether the measurement
lies in the predicted interval, and the error of the replay without a change; at the end the medians.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 100
# Five hidden layers of 256: 280,000 parameters in 1.1 MB; a step of 54 ms on a device of 1 GFLOP/s.
MLP = {"dataset.kind": "synthetic", "dataset.shape": "blobs", "dataset.features": 64, "dataset.classes": 10,
       "dataset.size": 60000, "dataset.validation_fraction": 0.01, "model.kind": "mlp", "model.hidden": "256,256,256,256,256"}
CNN = {"dataset.kind": "digits", "model.kind": "simple_cnn", "training.epochs": 50}
COMMON = {"training.checkpoint_every": 0, "optimizer.lr": 0.001, "training.epochs": 10, "parallel.world_size": 4, "telemetry.trace": "phases"}
PACE = {"parallel.pace.gflops": 1, "parallel.pace.gbit_per_s": 0.25, "parallel.pace.latency_us": 200,
        "parallel.bucket_cap_mb": 0.25, "parallel.first_bucket_mb": 0.25}
SLOW = {"pitfalls.slow_rank": 2, "pitfalls.slow_ms": 50}
NOT_SLOW = {"pitfalls.slow_rank": -1}


def slow(phase, **more):
    return {**SLOW, "pitfalls.slow_phase": phase, **more}


PACED = {**MLP, **PACE}
FSDP = {"parallel.strategy": "fsdp"}
PIPE = {"parallel.strategy": "pipeline", "pipeline.micro_batches": 8}
GLOO = {**PACED, "parallel.backend": "gloo"}
# (name, settings of the recorded experiment, change for the prediction, change for the real run).
SCENARIOS = [
    ("no delay in data", {**PACED, **slow("data")}, ["--without-delay", 2], NOT_SLOW),
    ("no delay in forward", {**PACED, **slow("forward")}, ["--without-delay", 2], NOT_SLOW),
    ("no delay in backward", {**PACED, **slow("backward")}, ["--without-delay", 2], NOT_SLOW),
    ("no delay in optimizer", {**PACED, **slow("optimizer")}, ["--without-delay", 2], NOT_SLOW),
    ("bandwidth x 4", PACED, ["--bandwidth", 4], {"parallel.pace.gbit_per_s": 1}),
    ("bandwidth x 0.5", PACED, ["--bandwidth", 0.5], {"parallel.pace.gbit_per_s": 0.125}),
    ("latency x 10", PACED, ["--latency", 10], {"parallel.pace.latency_us": 2000}),
    ("latency x 0.1", {**PACED, "parallel.pace.latency_us": 2000}, ["--latency", 0.1], {"parallel.pace.latency_us": 200}),
    ("one bucket", PACED, ["--bucket", 4], {"parallel.bucket_cap_mb": 4, "parallel.first_bucket_mb": 4}),
    ("smaller buckets", {**PACED, "parallel.bucket_cap_mb": 25, "parallel.first_bucket_mb": 25}, ["--bucket", 0.25],
     {"parallel.bucket_cap_mb": 0.25, "parallel.first_bucket_mb": 0.25}),
    ("2 ranks", PACED, ["--world-size", 2], {"parallel.world_size": 2}),
    ("6 ranks", PACED, ["--world-size", 6], {"parallel.world_size": 6}),
    ("Gloo: bandwidth x 4", GLOO, ["--bandwidth", 4], {"parallel.pace.gbit_per_s": 1}),
    ("Gloo: no delay in backward", {**GLOO, **slow("backward")}, ["--without-delay", 2], NOT_SLOW),
    ("CNN: bandwidth x 4", {**CNN, **PACE, "parallel.pace.gflops": 0.5, "parallel.pace.gbit_per_s": 0.05},
     ["--bandwidth", 4], {"parallel.pace.gbit_per_s": 0.2}),
    ("no delay, bandwidth x 2", {**PACED, **slow("forward")}, ["--without-delay", 2, "--bandwidth", 2],
     {**NOT_SLOW, "parallel.pace.gbit_per_s": 0.5}),
    ("FSDP: no delay in optimizer", {**PACED, **FSDP, **slow("optimizer")}, ["--without-delay", 2], NOT_SLOW),
    ("FSDP: no delay in backward", {**PACED, **FSDP, **slow("backward")}, ["--without-delay", 2], NOT_SLOW),
    ("FSDP: bandwidth x 4", {**PACED, **FSDP}, ["--bandwidth", 4], {"parallel.pace.gbit_per_s": 1}),
    ("GPipe: no delay in data", {**PACED, **PIPE, "pipeline.schedule": "gpipe", **slow("data")}, ["--without-delay", 2], NOT_SLOW),
    ("1F1B: no delay in forward", {**PACED, **PIPE, "pipeline.schedule": "1f1b", **slow("forward")}, ["--without-delay", 2], NOT_SLOW),
    ("zero bubble: no delay in backward", {**PACED, **PIPE, "pipeline.schedule": "zero_bubble", **slow("backward")},
     ["--without-delay", 2], NOT_SLOW),
    ("1F1B: bandwidth x 4", {**PACED, **PIPE, "pipeline.schedule": "1f1b", "parallel.pace.gbit_per_s": 0.05}, ["--bandwidth", 4],
     {"parallel.pace.gbit_per_s": 0.2}),
    ("1F1B: latency x 10", {**PACED, **PIPE, "pipeline.schedule": "1f1b"}, ["--latency", 10], {"parallel.pace.latency_us": 2000}),
    # Without a throttle a step takes this machine's own time of some milliseconds.
    ("not paced: no delay", {**MLP, **slow("backward")}, ["--without-delay", 2], NOT_SLOW),
]


def run(build, directory, settings, steps):
    command = [str(build / "bin/ringsidectl"), "run", "--quiet", "--out", str(directory)]
    for name, value in {**COMMON, "training.max_steps": steps, **settings}.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return json.loads((directory / "summary.json").read_text())


def predict(build, directory, change=()):
    command = [str(build / "bin/ringsidectl"), "whatif", str(directory), "--json", *map(str, change)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def kept(summary):
    pace = summary.get("pace")
    return pace is None or pace["kept"]


def prove(build, scenario, steps):
    name, recorded, change, for_real = scenario
    with tempfile.TemporaryDirectory() as scratch:
        base, proof = pathlib.Path(scratch, "base"), pathlib.Path(scratch, "proof")
        first = run(build, base, recorded, steps)
        answer = predict(build, base, change)
        second = run(build, proof, {**recorded, **for_real}, steps)
        measured = predict(build, proof)["measured_ms"]
    return {"name": name, "recorded": answer["measured_ms"], "replay": answer["replayed_ms"] / answer["measured_ms"] - 1,
            "predicted": answer["predicted_ms"], "low": answer["low_ms"], "high": answer["high_ms"],
            "measured": measured, "error": answer["predicted_ms"] / measured - 1, "kept": kept(first) and kept(second)}


def show(one):
    inside = "in" if one["low"] <= one["measured"] <= one["high"] else "out"
    print(f"{one['name']:28} {one['recorded']:9.2f} {100 * one['replay']:+7.2f} % {one['predicted']:9.2f} "
          f"({one['low']:.2f} to {one['high']:.2f}) {one['measured']:9.2f} {100 * one['error']:+7.2f} % {inside:>4}"
          f"{'' if one['kept'] else '   pace not kept'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=HERE.parents[2] / "build/release")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; {arguments.steps} steps; milliseconds a step\n"
          f"{'what if':28} {'recorded':>9} {'replay':>9} {'predicted (90 %)':>27} {'measured':>9} {'error':>9}")
    results = []
    for scenario in SCENARIOS:
        if arguments.only in scenario[0]:
            results.append(prove(arguments.build, scenario, arguments.steps))
            show(results[-1])
    errors = [abs(one["error"]) for one in results]
    replays = [abs(one["replay"]) for one in results]
    print(f"{len(results)} scenarios: median error {100 * statistics.median(errors):.2f} %, largest "
          f"{100 * max(errors):.2f} %; unchanged replay: median {100 * statistics.median(replays):.2f} %, largest "
          f"{100 * max(replays):.2f} %; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
