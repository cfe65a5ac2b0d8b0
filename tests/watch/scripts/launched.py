# SPDX-License-Identifier: Apache-2.0
"""A CSV classifier over gloo whose ranks take rank and world size from mpirun, srun or torchrun."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from truth import Truth, end_process


def number(*names):
    return next(int(os.environ[name]) for name in names if name in os.environ)


rank = number("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
size = number("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS")
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
dist.init_process_group("gloo", rank=rank, world_size=size)
truth = Truth(rank)
torch.manual_seed(16)
rows = torch.tensor([[float(value) for value in line.split(",")] for line in
                     ["%d,%d,%d" % (i % 7, i % 5, i % 2) for i in range(60)]])
data = TensorDataset(rows[:, :2], rows[:, 2], torch.arange(60))
sampler = DistributedSampler(data)
model = DistributedDataParallel(nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
truth.more["indices"] = []
for epoch in range(2):
    sampler.set_epoch(epoch)
    truth.more["indices"].append([])
    for x, y, index in DataLoader(data, batch_size=10, sampler=sampler):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        truth.trained(x, loss, 0.1)
        truth.more["indices"][-1].append(index.tolist())
        optimizer.step()
truth.done(model.module)
dist.destroy_process_group()
end_process()
