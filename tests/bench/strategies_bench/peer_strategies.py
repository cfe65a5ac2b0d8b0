# SPDX-License-Identifier: Apache-2.0
"""peer_strategies.py ddp|fsdp|1f1b WORKLOAD BATCH WORLD STEPS PORT: trains an MLP of train_bench with PyTorch over Gloo
and prints rank 0's steps per second and CPU microseconds per step. 1f1b: each batch is divided into 8 micro-batches,
and the model is split at the same layers as in Ringside.
"""
import os
import pathlib
import sys
import time

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "train_bench"))
import peer_pytorch  # noqa: E402

MICRO_BATCHES = 8


def sharded(model, world):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    mesh = init_device_mesh("cpu", (world,))
    units = [layer for layer in model if list(layer.parameters())]
    for unit in units:
        fully_shard(unit, mesh=mesh)
    for unit, behind in zip(units, units[1:]):
        unit.set_modules_to_forward_prefetch([behind])
    return fully_shard(model, mesh=mesh)


def pipelined(model, rank, world):
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B
    cut = 2  # the first stage is the first linear layer and its ReLU
    stage = PipelineStage(model[:cut] if rank == 0 else model[cut:], rank, world, torch.device("cpu"))
    return stage.submod, Schedule1F1B(stage, MICRO_BATCHES, loss_fn=functional.cross_entropy)


def optimizer_of(model, adamw, strategy):
    """Returns the optimizer. Fused optimizers do not support sharded parameters."""
    if strategy != "fsdp":
        return peer_pytorch.optimizer_of(model, adamw)
    if adamw:
        return torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, foreach=True)
    return torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, foreach=True)


def train(rank, strategy, workload, batch, world, steps, port, threads, queue):
    torch.set_num_threads(threads)
    make_model, _, shape, adamw = peer_pytorch.WORKLOADS[workload]
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.manual_seed(0)
    model, schedule = make_model(), None
    if strategy == "1f1b":
        model, schedule = pipelined(model, rank, world)
    elif strategy == "fsdp":
        model = sharded(model, world)
    else:
        model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    optimizer = optimizer_of(model, adamw, strategy)
    batches = peer_pytorch.batches_of(batch, shape, False)
    warm_up = max(2, steps // 10)
    for step in range(steps):
        if step == warm_up:
            begin, cpu = time.perf_counter(), time.process_time()
        x, y = batches[step % len(batches)]
        optimizer.zero_grad()
        if schedule:
            schedule.step(*([x] if rank == 0 else []), target=y if rank + 1 == world else None, return_outputs=False)
        else:
            functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    timed = steps - warm_up
    if rank == 0:
        queue.put((timed / (time.perf_counter() - begin), (time.process_time() - cpu) / timed * 1e6))


def main():
    strategy, workload = sys.argv[1:3]
    batch, world, steps, port = map(int, sys.argv[3:7])
    threads = max(1, len(os.sched_getaffinity(0)) // world)
    os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    ranks = [context.Process(target=train, args=(rank, strategy, workload, batch, world, steps, port, threads, queue))
             for rank in range(world)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    if any(rank.exitcode for rank in ranks):
        sys.exit(1)
    print("%.2f %.2f" % queue.get())


if __name__ == "__main__":
    main()
