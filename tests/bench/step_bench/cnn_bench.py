#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""cnn_bench.py PROGRAM: samples per second of Ringside and of PyTorch DDP over Gloo, in turn, at 1, 2 and 4 ranks.

PROGRAM is step_bench. SimpleCNN on random 3x32x32 images, batch 128 per rank, SGD with momentum 0.9. Each is run
twice and its best run counts.
"""
import subprocess
import sys
import time

ROUNDS = 2
BATCH = 128
STEPS = {1: (48, 16), 2: (48, 16), 4: (24, 8)}  # ours, PyTorch's


def simple_cnn():
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 8 * 8, 512), nn.ReLU(), nn.Linear(512, 10))


def train_with_pytorch(rank, world, steps, queue, port):
    import torch
    import torch.distributed as dist

    torch.set_num_threads(max(1, 2 // world))
    if world > 1:
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.manual_seed(0)
    model = simple_cnn()
    trained = torch.nn.parallel.DistributedDataParallel(model) if world > 1 else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = torch.rand(4 * BATCH, 3, 32, 32), torch.randint(0, 10, (4 * BATCH,))
    warm_up = steps // 4
    for step in range(steps):
        if step == warm_up:
            begin = time.perf_counter()
        at = step % 4 * BATCH
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(trained(x[at:at + BATCH]), y[at:at + BATCH]).backward()
        optimizer.step()
    if rank == 0:
        queue.put((steps - warm_up) / (time.perf_counter() - begin))


def pytorch_rate(world, steps, port):
    import torch.multiprocessing as mp

    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    ranks = [context.Process(target=train_with_pytorch, args=(rank, world, steps, queue, port)) for rank in range(world)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    return queue.get()


def our_rate(program, world, steps):
    text = subprocess.run([program, str(world), str(steps), "cnn"], check=True, capture_output=True, text=True).stdout
    return float(text.split()[0])


def main():
    program = sys.argv[1]
    print(f"{'ranks':>5} {'Ringside':>16} {'PyTorch':>16} {'ratio':>7}")
    for world, (ours, theirs) in STEPS.items():
        best = [0.0, 0.0]
        for turn in range(ROUNDS):
            rates = our_rate(program, world, ours), pytorch_rate(world, theirs, 29700 + 10 * world + turn)
            best = [max(best[0], rates[0] * world * BATCH), max(best[1], rates[1] * world * BATCH)]
        print(f"{world:>5} {best[0]:>14.0f}/s {best[1]:>14.0f}/s {best[0] / best[1]:>6.2f}x", flush=True)


if __name__ == "__main__":
    main()
