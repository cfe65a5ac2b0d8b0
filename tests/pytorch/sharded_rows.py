#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sharded_rows.py BIN: checks that each rank holds the same rows of every parameter, with the same padding, as with
torch.distributed.fsdp.fully_shard.

The number of values of a rank follows from the memory of its optimizer. Their number with padding follows from the
bytes of a step, which are three times those that the other ranks send. Exit code 77 if PyTorch is older than 2.6.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys

from newer_torch import HINT, python_with_torch

LEFT_OUT = 77
UPDATE_STATE = 64  # size in bytes of the state of updates, besides tensors
WIDTHS = [64, 37, 22, 5, 10]  # of the digits' perceptron: rows that no number of ranks here divides, and fewer than ranks


def shard(rank, world, port, answers):
    import torch.distributed as dist
    from torch import nn
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    model = nn.Sequential(*(nn.Linear(inputs, outputs) for inputs, outputs in zip(WIDTHS, WIDTHS[1:])))
    mesh = init_device_mesh("cpu", (world,))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    own = sum(one.to_local().numel() for one in model.parameters())
    padded = sum(one.padded_sharded_param_size.numel() for layer in model
                 for one in layer._get_fsdp_state()._fsdp_param_group.fsdp_params)
    answers.put((rank, own, padded))
    dist.barrier()
    dist.destroy_process_group()


def of_pytorch(world):
    import torch.multiprocessing as mp
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = mp.get_context("spawn")
    answers = context.SimpleQueue()
    ranks = [context.Process(target=shard, args=(rank, world, port, answers)) for rank in range(world)]
    for rank in ranks:
        rank.start()
    found = sorted(answers.get() for _ in range(world))
    for rank in ranks:
        rank.join()
    return [(own, padded) for _, own, padded in found]


def of_ringside(binaries, world):
    settings = [f"parallel.world_size={world}", f"model.hidden={WIDTHS[1:-1]}", "parallel.strategy=fsdp"]
    text = subprocess.run([binaries / "ringsidectl", "strategies", "--json",
                           *(word for setting in settings for word in ("--set", setting))],
                          check=True, capture_output=True, text=True).stdout
    line = next(line for line in map(json.loads, text.splitlines()) if line["strategy"] == "fsdp:parameters")
    return [((memory["optimizer"] - UPDATE_STATE) // 4, sent // (3 * 4 * (world - 1)))
            for memory, sent in zip(line["memory"], line["bytes_per_step"])]


def main():
    os.environ.update(OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo")
    python = python_with_torch((2, 6))
    if python is None:
        print(f"left out: PyTorch 2.6 or newer is not installed {HINT}")
        return LEFT_OUT
    if python != sys.executable:
        os.execv(python, [python, *sys.argv])
    different = 0
    for world in (2, 3, 4, 7):
        ours, theirs = of_ringside(pathlib.Path(sys.argv[1]), world), of_pytorch(world)
        print(f"{world} ranks, values and with padding: {ours}, PyTorch's {theirs}")
        different += ours != theirs
    return different


if __name__ == "__main__":
    sys.exit(main())
