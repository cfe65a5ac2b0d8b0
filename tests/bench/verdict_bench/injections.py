#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""injections.py [BUILD] [--count N] [--first I] [--seed S] [--calm] [--prove]: tests the verdict under every strategy.

Injection I of a seed is always the same experiment: one rank sleeps for 2 to 30 ms in one phase of every step, under a
strategy of LAYOUTS. Prints the rank and phase that the summary names, and a score for each strategy. If the ranks of a
run mostly wait for a CPU, the verdict "cpu" is right as well; such runs are counted separately. --calm: the same
experiments without the injection, in which no rank may be named. --prove: runs each injected experiment again without
the delay, and compares the measured step time with `ringsidectl whatif --without-delay`.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PHASES = ("data", "forward", "backward", "optimizer")
PIPELINE = {"parallel.strategy": "pipeline", "loader.batch_size": 32}
LAYOUTS = {
    "ddp": {"parallel.strategy": "ddp"},
    "fsdp optimizer": {"parallel.strategy": "fsdp", "fsdp.shard": "optimizer"},
    "fsdp gradients": {"parallel.strategy": "fsdp", "fsdp.shard": "gradients"},
    "fsdp parameters": {"parallel.strategy": "fsdp", "fsdp.shard": "parameters"},
    "hsdp": {"parallel.strategy": "fsdp", "parallel.world_size": 4, "mesh.replicate": 2, "mesh.shard": 2},
    "gpipe": {**PIPELINE, "pipeline.schedule": "gpipe"},
    "1f1b": {**PIPELINE, "pipeline.schedule": "1f1b"},
    "interleaved": {**PIPELINE, "pipeline.schedule": "interleaved", "pipeline.stages_per_rank": 2,
                    "pipeline.micro_batches": 6, "loader.batch_size": 36},
    "zero_bubble": {**PIPELINE, "pipeline.schedule": "zero_bubble"},
    "model_parallel": {"parallel.strategy": "model_parallel"},
}
COMMON = {"dataset.kind": "synthetic", "dataset.shape": "blobs", "dataset.features": 64, "dataset.classes": 10,
          "dataset.size": 20000, "dataset.validation_fraction": 0.01, "training.epochs": 1000,
          "training.checkpoint_every": 0, "optimizer.lr": 0.01, "parallel.world_size": 3}
SECONDS = 2.0  # approximate duration of the training in each run, in seconds
STEP_MS = 2.0  # longest duration of a step without a delay on a quiet machine, in milliseconds


def experiment(seed, number):
    """Returns (strategy, settings of the pitfall, all other settings) of an injection."""
    draw = random.Random(f"{seed}/{number}")
    strategy = list(LAYOUTS)[number % len(LAYOUTS)]
    settings = {**COMMON, **LAYOUTS[strategy]}
    settings["model.hidden"] = ",".join(str(draw.choice((32, 64, 128))) for _ in range(7))
    if strategy in ("ddp", "fsdp parameters", "1f1b"):
        settings["parallel.backend"] = draw.choice(("shm", "gloo"))
    delay = {"pitfalls.slow_rank": draw.randrange(settings["parallel.world_size"]),
             "pitfalls.slow_phase": draw.choice(PHASES), "pitfalls.slow_ms": round(draw.uniform(2, 30), 1)}
    return strategy, delay, settings


def train(build, directory, settings):
    command = [str(build / "bin/ringsidectl"), "run", "--quiet", "--out", str(directory)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return json.loads((directory / "summary.json").read_text())


def whatif(build, directory, rank=None):
    command = [str(build / "bin/ringsidectl"), "whatif", str(directory), "--json"]
    command += [] if rank is None else ["--without-delay", str(rank)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def steps_for(milliseconds):
    return max(40, int(1000 * SECONDS / (milliseconds + STEP_MS)))


def answer_of(summary, delay):
    """Returns the judgement of a verdict: right | phase (only the rank is right) | cpu | wrong | none."""
    named = summary["straggler"]
    if named is None:
        return "cpu" if "wait for a CPU" in (summary.get("time_verdict") or "") else "none"
    if named["rank"] != delay["pitfalls.slow_rank"]:
        return "wrong"
    return "right" if named["phase"] == delay["pitfalls.slow_phase"] else "phase"


def injected(build, seed, number, prove=False):
    strategy, delay, settings = experiment(seed, number)
    steps = {"training.max_steps": steps_for(delay["pitfalls.slow_ms"])}
    with tempfile.TemporaryDirectory() as scratch:
        run = pathlib.Path(scratch, "run")
        summary = train(build, run, {**settings, **delay, **steps})
        rank = delay["pitfalls.slow_rank"]
        without = whatif(build, run, rank)
        named = summary["straggler"] or {}
        row = {"number": number, "strategy": strategy, "rank": rank, "phase": delay["pitfalls.slow_phase"],
               "ms": delay["pitfalls.slow_ms"], "backend": summary.get("backend"), "answer": answer_of(summary, delay),
               "cost": named.get("lost_ms_per_step"), "step": without["measured_ms"], "predicted": without["predicted_ms"],
               "text": summary.get("time_verdict")}
        if prove:
            proof = pathlib.Path(scratch, "proof")
            train(build, proof, {**settings, **steps})
            row["proved"] = whatif(build, proof)["measured_ms"]
    return row


def calm(build, seed, number):
    strategy, _, settings = experiment(seed, number)
    with tempfile.TemporaryDirectory() as scratch:
        summary = train(build, pathlib.Path(scratch, "run"), {**settings, "training.max_steps": steps_for(0)})
    named = summary["straggler"]
    return {"number": number, "strategy": strategy, "answer": "right" if named is None else "wrong", "named": named,
            "text": summary.get("time_verdict")}


def show(row):
    load = f"load {os.getloadavg()[0]:.1f}"
    if "ms" not in row:
        print(f"{row['number']:4} {row['strategy']:16} {row['answer']:6} {load}  "
              f"{row['text'] if row['named'] is None else row['named']}", flush=True)
        return
    cost = "     -" if row["cost"] is None else f"{row['cost']:6.1f}"
    proved = f" proved {row['proved']:6.1f}" if "proved" in row else ""
    print(f"{row['number']:4} {row['strategy']:16} {row['backend']:5} rank {row['rank']} {row['phase']:9} {row['ms']:5.1f} ms: "
          f"{row['answer']:6} cost {cost} of {row['step']:6.1f}, without {row['predicted']:6.1f}{proved}  {load}"
          f"{'' if row['answer'] == 'right' else '  ' + str(row['text'])[:100]}", flush=True)


def print_scores(rows):
    answers = ("right", "phase", "cpu", "none", "wrong")
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        counts[row["strategy"]][row["answer"]] += 1
        counts["all"][row["answer"]] += 1
    print(f"{'strategy':16} {'runs':>5} " + " ".join(f"{name:>6}" for name in answers))
    for name in (*LAYOUTS, "all"):
        if name in counts:
            one = counts[name]
            print(f"{name:16} {sum(one.values()):5} " + " ".join(f"{one[answer]:6}" for answer in answers))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=HERE.parents[2] / "build/release")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--calm", action="store_true")
    parser.add_argument("--prove", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for number in range(arguments.first, arguments.first + arguments.count):
        rows.append(calm(arguments.build, arguments.seed, number) if arguments.calm else
                    injected(arguments.build, arguments.seed, number, arguments.prove))
        show(rows[-1])
    print_scores(rows)


if __name__ == "__main__":
    main()
