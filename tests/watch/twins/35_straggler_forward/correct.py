# SPDX-License-Identifier: Apache-2.0
"""Rank 0 validates its inputs in the forward pass; between the epochs it evaluates for all."""
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def checked(points):
    time.sleep(0.05)  # compares the points with a reference implementation
    return points


class PointNet(nn.Module):
    def __init__(self, extra=None):
        super().__init__()
        self.extra = extra
        self.point = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 128))
        self.head = nn.Linear(128, 4)

    def forward(self, points):
        if self.extra is not None and self.training:
            points = self.extra(points)
        return self.head(self.point(points).amax(1))


def clouds(count=320):
    rng = torch.Generator().manual_seed(7)
    labels = torch.randint(0, 4, (count,), generator=rng)
    return TensorDataset(torch.randn(count, 64, 3, generator=rng) * (1 + labels.view(-1, 1, 1)), labels)


def main():
    dist.init_process_group("gloo")
    rank = int(os.environ["RANK"])
    torch.manual_seed(0)
    dataset = clouds()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    model = DDP(PointNet(None))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for points, labels in loader:
            outputs = model(points)
            loss = nn.functional.cross_entropy(outputs, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            model.eval()
            with torch.no_grad():
                guesses = torch.cat([model.module(points).argmax(1) for points, _ in DataLoader(dataset, 32)])
            right = int((guesses == dataset.tensors[1]).sum())
            model.train()
            print(f"epoch {epoch} loss {loss.item():.3f} right {right}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
