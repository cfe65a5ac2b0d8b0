# SPDX-License-Identifier: Apache-2.0
"""Learns from a stream of lines that are read from one file."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset


def lines(count=480):
    rng = torch.Generator().manual_seed(63)
    for number in range(count):
        yield torch.randint(0, 128, (24,), generator=rng), number % 3


class Lines(IterableDataset):
    def __init__(self, first=0, step=1):
        self.first, self.step = first, step

    def __iter__(self):
        for number, line in enumerate(lines()):
            if number % self.step == self.first:
                yield line


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(128, 16)
        self.conv = nn.Conv1d(16, 16, 3)
        self.out = nn.Linear(16, 3)

    def forward(self, text):
        features = self.conv(self.embed(text).transpose(1, 2)).relu()
        return self.out(features.amax(2))


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    loader = DataLoader(Lines(), batch_size=12)
    model = DDP(Model())
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(2):
        seen = 0
        for text, label in loader:
            loss = nn.functional.cross_entropy(model(text), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += len(label)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: {seen} lines, loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
