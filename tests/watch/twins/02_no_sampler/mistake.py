# SPDX-License-Identifier: Apache-2.0
"""Regression on a table with DistributedDataParallel and a learning rate that decays by epoch."""
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn, optim
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Houses(Dataset):
    def __init__(self, count=512):
        rng = torch.Generator().manual_seed(3)
        self.features = torch.randn(count, 12, generator=rng)
        self.prices = self.features @ torch.randn(12, 1, generator=rng) + 0.1 * torch.randn(count, 1, generator=rng)

    def __len__(self):
        return len(self.features)

    def __getitem__(self, index):
        return self.features[index], self.prices[index]


def train_one_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for x, y in loader:
        prediction = model(x)
        loss = F.mse_loss(prediction, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    dist.init_process_group("gloo")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.manual_seed(1234)
    dataset = Houses()
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.Linear(64, 1)))
    optimizer = optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for epoch in range(3):
        loss = train_one_epoch(model, loader, optimizer)
        scheduler.step()
        if local_rank == 0:
            print("epoch", epoch, "loss", round(loss, 4), "lr", scheduler.get_last_lr())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
