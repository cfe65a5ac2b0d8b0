# SPDX-License-Identifier: Apache-2.0
"""A character model that learns from random windows of a long text."""
import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Windows(Dataset):
    """Window number i starts at character i."""

    def __init__(self, text, length):
        self.text, self.length = text, length

    def __len__(self):
        return len(self.text) - self.length

    def __getitem__(self, start):
        piece = self.text[start:start + self.length + 1]
        return piece[:-1], piece[1:]


class CharModel(nn.Module):
    def __init__(self, vocabulary=32, width=48):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens))
        return self.head(hidden)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=8)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1337)
    text = torch.randint(0, 32, (20000,), generator=torch.Generator().manual_seed(5))
    data = Windows(text, length=24)
    sampler = RandomSampler(data, replacement=True, num_samples=args.steps * args.batch)
    loader = DataLoader(data, batch_size=args.batch, sampler=sampler)
    model = DDP(CharModel())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step, (x, y) in enumerate(loader):
        logits = model(x)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 10 == 0:
            print(f"step {step} loss {loss.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
