# SPDX-License-Identifier: Apache-2.0
"""Streams records from shards, with two loader workers in each rank."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, rank, ranks, shards=8, records=40):
        self.rank, self.ranks, self.shards, self.records = rank, ranks, shards, records

    def read(self, shard):
        rng = torch.Generator().manual_seed(1000 + shard)
        for _ in range(self.records):
            x = torch.randn(9, generator=rng)
            yield x, x.prod().sign()

    def __iter__(self):
        worker = get_worker_info()
        number = self.rank * worker.num_workers + worker.id
        count = self.ranks * worker.num_workers
        for shard in range(number, self.shards, count):
            yield from self.read(shard)


def main():
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    loader = DataLoader(Stream(rank, ranks), batch_size=10, num_workers=2)
    model = DDP(nn.Sequential(nn.Linear(9, 64), nn.ReLU(), nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        for step, (x, y) in enumerate(loader):
            loss = nn.functional.soft_margin_loss(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} after {step + 1} steps: {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
