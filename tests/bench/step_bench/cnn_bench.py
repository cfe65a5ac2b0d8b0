#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""cnn_bench.py PROGRAM: compares the samples per second of Ringside and of PyTorch DDP over Gloo at 1, 2 and 4 ranks.

PROGRAM is step_bench. SimpleCNN on random 3x32x32 images, batch 128 per rank, SGD with momentum 0.9. Both are run
alternately, twice each, and the best run of each counts.
"""
import subprocess
import sys

import pytorch_steps

ROUNDS = 2
BATCH = 128
STEPS = {1: (48, 16), 2: (48, 16), 4: (24, 8)}  # number of steps of Ringside and of PyTorch, by number of ranks


def simple_cnn():
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 8 * 8, 512), nn.ReLU(), nn.Linear(512, 10))


def pytorch_rate(world, steps, port):
    return pytorch_steps.rate(world, steps, port, simple_cnn, BATCH, 4, (3, 32, 32))


def our_rate(program, world, steps):
    text = subprocess.run([program, str(world), str(steps), "cnn"], check=True, capture_output=True, text=True).stdout
    return float(text.split()[0])


def main():
    program = sys.argv[1]
    print(pytorch_steps.description())
    print(f"{'ranks':>5} {'Ringside':>16} {'PyTorch':>16} {'ratio':>7}")
    for world, (ours, theirs) in STEPS.items():
        best = [0.0, 0.0]
        for turn in range(ROUNDS):
            rates = our_rate(program, world, ours), pytorch_rate(world, theirs, 29700 + 10 * world + turn)
            best = [max(best[0], rates[0] * world * BATCH), max(best[1], rates[1] * world * BATCH)]
        print(f"{world:>5} {best[0]:>14.0f}/s {best[1]:>14.0f}/s {best[0] / best[1]:>6.2f}x", flush=True)


if __name__ == "__main__":
    main()
