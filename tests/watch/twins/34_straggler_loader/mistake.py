# SPDX-License-Identifier: Apache-2.0
"""Reads feature files; the folder of the second process is on another disk."""
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

READ_SECONDS = [0.0005, 0.0068]  # of one file in the folders of rank 0 and rank 1


class Features(Dataset):
    def __init__(self, delay, count=480):
        rng = torch.Generator().manual_seed(80)
        self.x = torch.randn(count, 64, generator=rng)
        self.y = self.x[:, :10].argmax(1)
        self.delay = delay

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        time.sleep(self.delay)
        return self.x[index], self.y[index]


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    dataset = Features(READ_SECONDS[rank])
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    model = DDP(nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        start = time.perf_counter()
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} loss {loss.item():.3f} {time.perf_counter() - start:.2f} s")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
