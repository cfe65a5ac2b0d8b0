# SPDX-License-Identifier: Apache-2.0
"""Trains on files that are listed when the data set is made."""
import os
import random
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


def write_files(folder, count=300):
    rng = torch.Generator().manual_seed(13)
    for number in range(count):
        torch.save({"x": torch.randn(16, generator=rng), "y": number % 4}, os.path.join(folder, f"{number:04d}.pt"))


class Files(Dataset):
    def __init__(self, folder):
        self.files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        random.Random(2024).shuffle(self.files)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        item = torch.load(self.files[index])
        return item["x"], item["y"]


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    name = [tempfile.mkdtemp() if rank == 0 else None]
    dist.broadcast_object_list(name, src=0)
    if rank == 0:
        write_files(name[0])
    dist.barrier()
    dataset = Files(name[0])
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            print("epoch", epoch, "loss", loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
