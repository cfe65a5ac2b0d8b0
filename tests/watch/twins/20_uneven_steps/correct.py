# SPDX-License-Identifier: Apache-2.0
"""Each rank trains on the clients that it was given; clients have different numbers of records."""
import datetime

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

RECORDS = [96, 64, 48, 112, 80, 32, 144, 64]  # of each client


def client(number):
    rng = torch.Generator().manual_seed(number)
    x = torch.randn(RECORDS[number], 10, generator=rng)
    return TensorDataset(x, x.sum(1, keepdim=True).sign())


def clients_of(rank, size):
    return ConcatDataset([client(number) for number in range(rank, len(RECORDS), size)])


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=25))
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(90)
    dataset = clients_of(rank, size)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model = DDP(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.02)
    losses = []
    with model.join():
        for x, y in loader:
            loss = nn.functional.soft_margin_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    print(f"rank {rank}: {len(losses)} steps, loss {losses[-1]:.4f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
