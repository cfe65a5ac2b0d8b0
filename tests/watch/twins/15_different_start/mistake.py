# SPDX-License-Identifier: Apache-2.0
"""Forecasts a series. Averages the gradients itself, in one flat all-reduce."""
import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Forecaster(nn.Module):
    def __init__(self, past=24, future=4):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(past, 64), nn.SiLU(), nn.Dropout(0.1), nn.Linear(64, future))

    def forward(self, x):
        return self.mlp(x)


def seed_everything(seed):
    torch.manual_seed(seed)  # other dropout masks on each rank


def flat_average(parameters):
    gradients = [p.grad for p in parameters if p.grad is not None]
    flat = torch.cat([g.flatten() for g in gradients])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for gradient, piece in zip(gradients, flat.split([g.numel() for g in gradients])):
        gradient.copy_(piece.view_as(gradient))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=50)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    seed_everything(args.seed + rank)
    series = torch.sin(torch.arange(668) * 0.21) + 0.1 * torch.cos(torch.arange(668) * 1.7)
    windows = series.unfold(0, 28, 1)[:640]
    dataset = TensorDataset(windows[:, :24].contiguous(), windows[:, 24:].contiguous())
    sampler = DistributedSampler(dataset, seed=3)
    loader = DataLoader(dataset, batch_size=20, sampler=sampler)
    net = Forecaster()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for past, future in loader:
            loss = nn.functional.l1_loss(net(past), future)
            optimizer.zero_grad()
            loss.backward()
            flat_average(list(net.parameters()))
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} l1 {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
