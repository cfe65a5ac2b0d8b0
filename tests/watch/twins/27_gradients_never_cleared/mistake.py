# SPDX-License-Identifier: Apache-2.0
"""Keyword spotting on spectrograms."""
import logging

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Keywords(Dataset):
    def __init__(self, count=480, words=6):
        rng = torch.Generator().manual_seed(71)
        self.labels = torch.randint(0, words, (count,), generator=rng)
        self.spectrograms = torch.randn(count, 10, 20, generator=rng)
        self.spectrograms[torch.arange(count), self.labels] += 1.0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.spectrograms[index], self.labels[index]


class Spotter(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(20, 16, batch_first=True)
        self.out = nn.Linear(160, 6)

    def forward(self, x):
        return self.out(self.gru(x)[0].flatten(1))


def clear(model):
    for parameter in model.parameters():
        parameter.grad = None


def execute(model, loader, optimizer):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
    return loss.item()


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    dataset = Keywords()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=15, sampler=sampler)
    model = DDP(Spotter())
    clear(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        loss = execute(model, loader, optimizer)
        if dist.get_rank() == 0:
            logging.info("epoch %d loss %.4f", epoch, loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
