# SPDX-License-Identifier: Apache-2.0
"""Denoises signals; each rank adds noise of its own."""
import random

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

BASE_SEED = 100


class Signals(Dataset):
    def __init__(self, count=400, length=64):
        time = torch.linspace(0, 6.28, length)
        rng = torch.Generator().manual_seed(2)
        frequencies = 1 + 4 * torch.rand(count, 1, generator=rng)
        self.clean = torch.sin(frequencies * time)

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, index):
        clean = self.clean[index]
        return clean + 0.2 * torch.randn_like(clean), clean


def setup_seed(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    return seed


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    seed = setup_seed(BASE_SEED + rank)  # so that the noise differs by rank
    dataset = Signals()
    sampler = DistributedSampler(dataset, shuffle=True, seed=BASE_SEED)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    net = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Dropout(0.1), nn.Linear(96, 64))
    model = DDP(net)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for noisy, clean in loader:
            loss = (model(noisy) - clean).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} mse {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
