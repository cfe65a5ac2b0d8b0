# SPDX-License-Identifier: Apache-2.0
"""Fits a curve; prints a reference loss in double precision before training."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def curve(count=480):
    x = torch.linspace(-3, 3, count).unsqueeze(1)
    return x, torch.sin(2 * x) + 0.3 * x


@torch.no_grad()
def exact_loss(model, x, y):
    model.double()
    loss = nn.functional.mse_loss(model(x.double()), y.double()).item()
    model.float()
    return loss


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(8)
    x, y = curve()
    dataset = TensorDataset(x, y)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=15, sampler=sampler)
    net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
    model = DDP(net)
    reference = exact_loss(model, x[:32], y[:32])
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    if rank == 0:
        print(f"before training: {reference:.5f}")
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for batch_x, batch_y in loader:
            loss = nn.functional.mse_loss(model(batch_x), batch_y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch}: {loss.item():.5f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
