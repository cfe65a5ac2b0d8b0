# SPDX-License-Identifier: Apache-2.0
"""peer_pytorch.py RANKS BYTES REPETITIONS: median and best milliseconds of torch.distributed's all-reduce over Gloo."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

RANKS, BYTES, REPETITIONS = (int(text) for text in sys.argv[1:4])
BATCHES = 15


def run(rank):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    values = torch.zeros(BYTES // 4)
    batches = []
    for batch in range(-1, BATCHES):
        dist.barrier()
        start = time.perf_counter()
        for _ in range(REPETITIONS):
            dist.all_reduce(values)
        if batch >= 0:
            batches.append((time.perf_counter() - start) * 1e3 / REPETITIONS)
    batches.sort()
    if rank == 0:
        print(batches[BATCHES // 2], batches[0], flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ.get("MASTER_PORT", "29533"), GLOO_SOCKET_IFNAME="lo")
    mp.spawn(run, nprocs=RANKS)
