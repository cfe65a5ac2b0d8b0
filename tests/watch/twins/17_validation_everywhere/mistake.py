# SPDX-License-Identifier: Apache-2.0
"""Trains and validates a classifier after each epoch."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def dataset(count, seed):
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 16, generator=rng)
    return TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())


def train(model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def validate(model, val_loader, total):
    model.eval()
    correct = torch.zeros(1)
    with torch.no_grad():
        for x, y in val_loader:
            correct += (model(x).argmax(1) == y).sum()
    return correct.item() / total


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    train_set, val_set = dataset(800, 1), dataset(400, 2)
    train_sampler = DistributedSampler(train_set)
    train_loader = DataLoader(train_set, batch_size=20, sampler=train_sampler)
    val_loader = DataLoader(val_set, batch_size=50)
    model = DDP(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 2)))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    best = 0.0
    for epoch in range(3):
        train_sampler.set_epoch(epoch)
        train(model, train_loader, optimizer)
        accuracy = validate(model, val_loader, len(val_set))
        best = max(best, accuracy)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: validation accuracy {accuracy:.3f} (best {best:.3f})")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
