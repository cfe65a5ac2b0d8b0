# SPDX-License-Identifier: Apache-2.0
"""Trains the same model on the same global batches on any number of ranks that divides 24."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.net(x) * self.scale


def main():
    ranks = int(os.environ.get("WORLD_SIZE", "1"))
    if ranks > 1:
        dist.init_process_group("gloo")
    torch.manual_seed(1)
    data = TensorDataset(torch.randn(96, 6), torch.randint(0, 3, (96,)))
    model = Scaled()
    parallel = DistributedDataParallel(model) if ranks > 1 else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    sampler = DistributedSampler(data, num_replicas=ranks, rank=dist.get_rank() if ranks > 1 else 0, seed=3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, batch_size=24 // ranks, sampler=sampler):
            optimizer.zero_grad()
            nn.functional.cross_entropy(parallel(x), y).backward()
            if "BUG" in os.environ:
                model.scale.grad /= ranks
            optimizer.step()


if __name__ == "__main__":
    main()
