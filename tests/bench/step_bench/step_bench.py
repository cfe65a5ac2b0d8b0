#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""step_bench.py PROGRAM: steps per second of Ringside and of PyTorch DDP over Gloo, in turn, at 1, 2 and 4 ranks.

MLP 64-128-10, batch 32 per rank, SGD with momentum 0.9. Each is run three times and its best run counts.
"""
import subprocess
import sys
import time

ROUNDS = 3
STEPS = {1: (40000, 4000), 2: (20000, 1000), 4: (10000, 300)}  # ours, PyTorch's


def train_with_pytorch(rank, world, steps, queue, port):
    import torch
    import torch.distributed as dist

    torch.set_num_threads(max(1, 2 // world))
    if world > 1:
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    trained = torch.nn.parallel.DistributedDataParallel(model) if world > 1 else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = torch.rand(1024, 64), torch.randint(0, 10, (1024,))
    begin = None
    for step in range(steps):
        if step == steps // 10:
            begin = time.perf_counter()
        at = step % 32 * 32
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(trained(x[at:at + 32]), y[at:at + 32])
        loss.backward()
        optimizer.step()
    if rank == 0:
        queue.put((steps - steps // 10) / (time.perf_counter() - begin))


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


def our_rate(program, world, steps, *more):
    text = subprocess.run([program, str(world), str(steps), *more], check=True, capture_output=True, text=True).stdout
    return float(text.split()[0])


def main():
    program = sys.argv[1]
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
