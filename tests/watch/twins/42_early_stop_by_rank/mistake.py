# SPDX-License-Identifier: Apache-2.0
"""Stops when the validation loss has not improved for two epochs."""
import datetime

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class EarlyStopping:
    def __init__(self, patience=2, enough=0.02):
        self.patience, self.enough, self.best, self.waited = patience, enough, float("inf"), 0

    def step(self, value):
        if value < self.best - self.enough:
            self.best, self.waited = value, 0
        else:
            self.waited += 1
        return self.waited >= self.patience


def data(count, seed):
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 7, generator=rng)
    return TensorDataset(x, x @ torch.arange(1.0, 8.0) / 5 + torch.linspace(-1, 1, count) ** 3)


@torch.no_grad()
def score(net, loader, everywhere):
    sums = torch.zeros(2)
    for x, y in loader:
        sums += torch.stack([(net(x).squeeze(1) - y).pow(2).sum(), torch.tensor(float(len(y)))])
    if everywhere:
        dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=25))
    rank = dist.get_rank()
    torch.manual_seed(10)
    train, val = data(320, 1), data(80, 2)
    sampler = DistributedSampler(train)
    loader = DataLoader(train, batch_size=16, sampler=sampler)
    val_loader = DataLoader(val, batch_size=20, sampler=list(range(rank * 40, rank * 40 + 40)))
    net = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1))
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    stopper = EarlyStopping()
    for epoch in range(40):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if stopper.step(score(net, val_loader, everywhere=False)):
            print(f"rank {rank} stops after epoch {epoch}, best {stopper.best:.4f}", flush=True)
            break
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
