# SPDX-License-Identifier: Apache-2.0
"""Rank 1 leaves out one all-reduce and waits for something else, so that both ranks wait for each other."""
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
value = torch.ones(3)
dist.all_reduce(value)
dist.all_reduce(value)
if dist.get_rank() == 0:
    dist.all_reduce(value)
else:
    time.sleep(600)
