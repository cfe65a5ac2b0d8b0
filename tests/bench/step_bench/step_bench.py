#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""step_bench.py PROGRAM: compares the steps per second of Ringside and of PyTorch DDP over Gloo at 1, 2 and 4 ranks.

MLP 64-128-10, batch 32 per rank, SGD with momentum 0.9. Both are run alternately, three times each, and the best run of
each counts.
"""
import subprocess
import sys

import pytorch_steps

ROUNDS = 3
BATCH = 32
STEPS = {1: (40000, 4000), 2: (20000, 1000), 4: (10000, 300)}  # number of steps of Ringside and of PyTorch, by number
                                                               # of ranks


def mlp():
    from torch import nn

    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def pytorch_rate(world, steps, port):
    return pytorch_steps.rate(world, steps, port, mlp, BATCH, 32, (64,))


def our_rate(program, world, steps, *more):
    text = subprocess.run([program, str(world), str(steps), *more], check=True, capture_output=True, text=True).stdout
    return float(text.split()[0])


def main():
    program = sys.argv[1]
    print(pytorch_steps.description())
    print(f"{'ranks':>5} {'Ringside':>12} {'silent':>12} {'PyTorch':>12} {'ratio':>7}")
    for world, (ours, theirs) in STEPS.items():
        best = [0.0, 0.0, 0.0]
        for turn in range(ROUNDS):
            rates = (our_rate(program, world, ours), our_rate(program, world, ours, "silent"),
                     pytorch_rate(world, theirs, 29600 + 10 * world + turn))
            best = [max(pair) for pair in zip(best, rates)]
        print(f"{world:>5} {best[0]:>10.0f}/s {best[1]:>10.0f}/s {best[2]:>10.0f}/s {best[0] / best[2]:>6.1f}x", flush=True)


if __name__ == "__main__":
    main()
