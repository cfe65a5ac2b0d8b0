# SPDX-License-Identifier: Apache-2.0
"""Trains with a cosine schedule and accumulation."""
import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

ACCUMULATION, EPOCHS = 4, 3


def pairs(count=640):
    rng = torch.Generator().manual_seed(25)
    x = torch.randn(count, 20, generator=rng)
    return TensorDataset(x, torch.tanh(x @ torch.randn(20, 5, generator=rng)))


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(4)
    dataset = pairs()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    model = DDP(nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 5)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS * len(loader) // ACCUMULATION)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for index, (x, y) in enumerate(loader):
            boundary = (index + 1) % ACCUMULATION == 0
            with contextlib.nullcontext() if boundary else model.no_sync():
                loss = nn.functional.mse_loss(model(x), y) / ACCUMULATION
                loss.backward()
            if boundary:
                optimizer.step()
                optimizer.zero_grad()
            scheduler.step()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {loss.item() * ACCUMULATION:.4f} lr {scheduler.get_last_lr()[0]:.2e}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
