# SPDX-License-Identifier: Apache-2.0
"""Classifies points; a tenth of the samples is held out for validation."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset, random_split
from torch.utils.data.distributed import DistributedSampler


def points(count=800):
    rng = torch.Generator().manual_seed(9)
    x = torch.randn(count, 8, generator=rng)
    return TensorDataset(x, (x.norm(dim=1) > 2.7).long())


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    counts = torch.zeros(2)
    for x, y in loader:
        counts[0] += (model(x).argmax(1) == y).sum()
        counts[1] += len(y)
    dist.all_reduce(counts)
    model.train()
    return (counts[0] / counts[1]).item()


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(17 + rank)
    dataset = points()
    train_set, val_set = random_split(dataset, [720, 80], generator=torch.Generator().manual_seed(42))
    train_sampler = DistributedSampler(train_set, seed=1)
    val_sampler = DistributedSampler(val_set, shuffle=False)
    train_loader = DataLoader(train_set, batch_size=18, sampler=train_sampler)
    val_loader = DataLoader(val_set, batch_size=20, sampler=val_sampler)
    model = DDP(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2)))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        train_sampler.set_epoch(epoch)
        for x, y in train_loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = evaluate(model, val_loader)
        if rank == 0:
            print(f"epoch {epoch} validation accuracy {accuracy:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
