#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""train_bench.py PROGRAM [--only WORKLOAD] [--ranks N] [--isa NAME] [--quick]: steps per second of Ringside and
PyTorch.

PROGRAM is step_bench. Both train the same workloads (workload.cpp, peer_pytorch.py) alternately, and the best run of
each counts. PyTorch is that of RINGSIDE_BENCH_PYTHON, else of the environment that make_peer.py makes, else of this
python3. --isa AVX2 limits both to AVX2. The CPU time per step is printed, too, because it varies less on a busy
machine.
"""
import argparse
import os
import pathlib
import subprocess
import sys

import make_peer

HERE = pathlib.Path(__file__).resolve().parent
PEER = make_peer.default_folder() / "bin/python"
# Number of steps of Ringside and of PyTorch at 1 rank; with more ranks there are fewer.
STEPS = {"mlp": (20000, 2000), "mlp_1024": (24, 16), "mlp_1024_adamw": (24, 16), "cnn": (24, 16), "cnn_b8": (240, 160),
         "gelu_cnn": (24, 16), "residual": (16, 10), "transformer": (64, 40), "transformer_256": (32, 20)}
ROUNDS = 3


def peer_python():
    named = os.environ.get("RINGSIDE_BENCH_PYTHON")
    return named or (str(PEER) if PEER.exists() else sys.executable)


def peer_version():
    done = subprocess.run([peer_python(), "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
    return done.stdout.strip() or None


def held_to(isa):
    """Returns an environment that limits oneDNN, MKL and PyTorch's own loops to a set of instructions."""
    environment = dict(os.environ)
    if isa == "AVX2":
        environment.update(ONEDNN_MAX_CPU_ISA="AVX2", DNNL_MAX_CPU_ISA="AVX2", MKL_ENABLE_INSTRUCTIONS="AVX2",
                           ATEN_CPU_CAPABILITY="avx2")
    return environment


def measure(command, isa):
    """Returns the steps per second and the CPU microseconds per step."""
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, env=held_to(isa))
    rate, cpu = map(float, done.stdout.split()[-2:])
    return rate, cpu


def compare(program, name, world, isa, rounds, scale=1.0):
    """Returns the best results of both: (our rate, its CPU time, PyTorch's rate, its CPU time). Each round uses a new
    port.
    """
    ours, theirs = (max(10, int(steps * scale / world)) for steps in STEPS[name])
    best = [0.0, float("inf"), 0.0, float("inf")]
    for turn in range(rounds):
        port = 29800 + 20 * list(STEPS).index(name) + 5 * turn + world
        pair = measure([program, world, ours, name], isa) + measure(
            [peer_python(), HERE / "peer_pytorch.py", name, world, theirs, port], isa)
        best = [max(best[0], pair[0]), min(best[1], pair[1]), max(best[2], pair[2]), min(best[3], pair[3])]
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", action="append", choices=list(STEPS))
    parser.add_argument("--ranks", type=int, action="append")
    parser.add_argument("--isa", choices=["AVX2"], action="append")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    print(f"PyTorch {peer_version()}; steps/s (CPU ms/step)")
    for isa in arguments.isa or [None]:
        for name in arguments.only or STEPS:
            for world in arguments.ranks or (1, 2, 4):
                ours, cpu, theirs, peer_cpu = compare(arguments.program, name, world, isa, 1 if arguments.quick else ROUNDS,
                                                      0.25 if arguments.quick else 1)
                print(f"{name:16} {world} ranks {isa or 'all':5} {ours:10.2f} ({cpu / 1e3:8.2f})  {theirs:10.2f} "
                      f"({peer_cpu / 1e3:8.2f})  {ours / theirs:5.2f}x  ({peer_cpu / cpu:5.2f}x)", flush=True)


if __name__ == "__main__":
    main()
