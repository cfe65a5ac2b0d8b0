# SPDX-License-Identifier: Apache-2.0
"""Loops that fetch several batches before they train on the first one, and loops that skip several batches.

Each loop has a loader of its own, with another batch size, and notes the samples of each backward pass.
"""
import collections
import itertools

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from truth import Truth

truth = Truth(0)
torch.manual_seed(4)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = TensorDataset(torch.randn(22, 2), torch.arange(22))


def train(name, batch):
    x, index = batch
    model(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    truth.more.setdefault(name, []).append(index.tolist())


def copied(batch):
    return [one.clone() for one in batch]


def prefetched(loader, count, change=lambda batch: batch):
    waiting = collections.deque()
    for batch in loader:
        waiting.append(change(batch))
        if len(waiting) > count:
            yield waiting.popleft()
    while waiting:
        yield waiting.popleft()


def two_epochs(name, batch_size, *options):
    loader = DataLoader(dataset, batch_size=batch_size)
    for _ in range(2):
        for batch in prefetched(loader, *options):
            train(name, batch)


def endless():
    loader = DataLoader(dataset, batch_size=6)
    batches = prefetched(itertools.chain.from_iterable(loader for _ in range(3)), 2)
    for batch in batches:
        train("endless", batch)


def groups():
    loader = DataLoader(dataset, batch_size=7)
    for _ in range(2):
        batches = iter(loader)
        while group := list(itertools.islice(batches, 3)):
            for batch in group:
                train("groups", batch)


def resumed():
    loader = DataLoader(dataset, batch_size=1)
    for epoch in range(2):
        for number, batch in enumerate(loader):
            if epoch > 0 or number > 3:
                train("resumed", batch)


two_epochs("two_ahead", 4, 2)  # loader 0
two_epochs("copies", 5, 3, copied)  # loader 1
endless()  # loader 2
groups()  # loader 3
resumed()  # loader 4
truth.done(model)
