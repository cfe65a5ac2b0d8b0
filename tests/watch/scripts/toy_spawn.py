# SPDX-License-Identifier: Apache-2.0
"""ToyModel of the PyTorch DDP tutorial, started by torch.multiprocessing.spawn, without a DataLoader."""
import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from truth import Truth, end_process

STEPS = 6


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 10)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(10, 5)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def train(rank, world_size):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    truth = Truth(rank)
    torch.manual_seed(rank)
    model = DistributedDataParallel(ToyModel())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for step in range(STEPS):
        optimizer.zero_grad()
        x = torch.randn(20, 10)
        loss = nn.functional.mse_loss(model(x), torch.randn(20, 5))
        loss.backward()
        truth.trained(x, loss, optimizer.param_groups[0]["lr"])
        optimizer.step()
        if rank == 1 and step == int(os.environ.get("FAIL_AT", "-1")):
            raise ValueError("rank 1 fails on purpose")
    truth.done(model.module)
    dist.destroy_process_group()
    end_process()


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", str(free.getsockname()[1])
    mp.spawn(train, args=(2,), nprocs=2)
