# SPDX-License-Identifier: Apache-2.0
"""DDP training in which rank 1 is missing in the collectives after some steps. HOW: sleep (before its forward pass),
leaves (the loop is shorter), slow (both ranks take long, one by one, so that nothing hangs)."""
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

how = os.environ["HOW"]
dist.init_process_group("gloo")
rank = dist.get_rank()
model = DistributedDataParallel(nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    if rank == 1 and step == 5 and how == "sleep":
        time.sleep(600)
    if rank == 1 and step == 5 and how == "leaves":
        break
    if rank == 1 and step == 5 and how == "slow":
        until = time.process_time() + 12
        while time.process_time() < until:
            pass
    loss = model(torch.randn(4, 8)).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
if how == "leaves" and rank == 1:
    time.sleep(600)
print("rank", rank, "is done")
