# SPDX-License-Identifier: Apache-2.0
"""Prints the milliseconds that list(DistributedSampler) of one rank takes: the best of ROUNDS. Arguments: SIZE WORLD
ROUNDS.
"""
import sys
import time

from torch.utils.data.distributed import DistributedSampler

size, world, rounds = (int(argument) for argument in sys.argv[1:])
best = float("inf")
for epoch in range(rounds):
    sampler = DistributedSampler(range(size), num_replicas=world, rank=0, shuffle=True, seed=0)
    sampler.set_epoch(epoch)
    start = time.perf_counter()
    list(sampler)
    best = min(best, (time.perf_counter() - start) * 1000)
print(best)
