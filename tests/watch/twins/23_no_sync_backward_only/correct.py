# SPDX-License-Identifier: Apache-2.0
"""Accumulates with a context that decides about synchronisation."""
import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def sync_context(model, last):
    return contextlib.nullcontext() if last else model.no_sync()


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.vision = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 32))
        self.action = nn.Linear(32, 6)

    def forward(self, frames):
        return self.action(self.vision(frames).relu())


def demonstrations(count=384):
    rng = torch.Generator().manual_seed(55)
    return TensorDataset(torch.rand(count, 3, 16, 16, generator=rng), torch.randn(count, 6, generator=rng))


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    dataset = demonstrations()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    model = DDP(Actor())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    accumulate = 3
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for number, (frames, actions) in enumerate(loader, start=1):
            last = number % accumulate == 0
            with sync_context(model, last):
                loss = nn.functional.mse_loss(model(frames), actions) / accumulate
                loss.backward()
            if last:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {accumulate * loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
