# SPDX-License-Identifier: Apache-2.0
"""Trains with a given number of steps in each epoch."""
import itertools

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

BATCH = 16


def steps_per_epoch(batches, ranks):
    return batches // ranks


def main():
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(30)
    rng = torch.Generator().manual_seed(30)
    tokens = torch.randint(0, 100, (640, 10), generator=rng)
    dataset = TensorDataset(tokens, (tokens[:, 0] > 50).long())
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=BATCH, sampler=sampler)
    steps = steps_per_epoch(len(dataset) // BATCH, ranks)
    net = nn.Sequential(nn.EmbeddingBag(100, 24), nn.ReLU(), nn.Linear(24, 2))
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=steps)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in itertools.islice(loader, steps):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            warmup.step()
        if rank == 0:
            print(f"epoch {epoch}: {steps} steps, loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
