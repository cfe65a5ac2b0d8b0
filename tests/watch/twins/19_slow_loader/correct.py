# SPDX-License-Identifier: Apache-2.0
"""Classifies images that are expensive to decode."""
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Photos(Dataset):
    def __init__(self, count=480):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        time.sleep(0.003)  # reads and decodes a file
        rng = torch.Generator().manual_seed(index)
        return torch.rand(3, 24, 24, generator=rng), index % 5


def make_model():
    return nn.Sequential(
        nn.Conv2d(3, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 24, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(24 * 16, 5))


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    dataset = Photos()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, num_workers=6, persistent_workers=True,
                        prefetch_factor=4)
    model = DDP(make_model())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        start = time.perf_counter()
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            seconds = time.perf_counter() - start
            print(f"epoch {epoch}: loss {loss.item():.4f}, {len(dataset) / seconds:.0f} images/s")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
