# SPDX-License-Identifier: Apache-2.0
"""peer_pytorch.py REPETITIONS BATCHES BYTES...: measures torch.distributed's all-reduce over Gloo. Prints median, best
and CPU milliseconds, one line for each size. Reads rank, world size and the address of rank 0 from the variables
that torchrun sets.
"""
import sys
import time

import torch
import torch.distributed as dist

REPETITIONS, BATCHES = int(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(1)
dist.init_process_group("gloo")
for size in map(int, sys.argv[3:]):
    values = torch.zeros(size // 4)
    batches = []
    spent = time.process_time()
    for batch in range(-1, BATCHES):
        dist.barrier()
        start = time.perf_counter()
        for _ in range(REPETITIONS):
            dist.all_reduce(values)
        if batch >= 0:
            batches.append((time.perf_counter() - start) * 1e3 / REPETITIONS)
    cpu = (time.process_time() - spent) * 1e3 / REPETITIONS / (BATCHES + 1)
    batches.sort()
    if dist.get_rank() == 0:
        print(batches[BATCHES // 2], batches[0], cpu, flush=True)
dist.destroy_process_group()
