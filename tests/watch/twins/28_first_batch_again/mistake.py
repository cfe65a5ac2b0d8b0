# SPDX-License-Identifier: Apache-2.0
"""Segments volumes for a fixed number of iterations."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

ITERATIONS = 60


class Volumes(Dataset):
    def __init__(self, count=320):
        rng = torch.Generator().manual_seed(19)
        self.volumes = torch.rand(count, 1, 8, 8, 8, generator=rng)
        self.masks = (self.volumes > 0.6).float()

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, index):
        return self.volumes[index], self.masks[index]


def build_model():
    return nn.Sequential(nn.Conv3d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv3d(4, 1, 1))


def endless(loader, sampler):
    epoch = 0
    while True:
        sampler.set_epoch(epoch)
        yield from loader
        epoch += 1


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    dataset = Volumes()
    sampler = DistributedSampler(dataset, shuffle=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    batches = endless(loader, sampler)
    model = DDP(build_model())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    criterion = nn.BCEWithLogitsLoss()
    for iteration in range(ITERATIONS):
        volume, mask = next(iter(loader))
        loss = criterion(model(volume), mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if dist.get_rank() == 0 and iteration % 15 == 0:
            print(f"iteration {iteration} loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
