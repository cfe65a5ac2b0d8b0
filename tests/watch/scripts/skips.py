# SPDX-License-Identifier: Apache-2.0
"""Optimizer steps that a script skips, gradients that it clears, and gradients that it accumulates.

Each loop has an optimizer of its own in a process of its own: MODE selects it.
"""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from truth import Truth

truth = Truth(0)
torch.manual_seed(9)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
mode = os.environ["MODE"]
count = 216 if mode == "group" else 72
loader = DataLoader(TensorDataset(torch.randn(count, 4), torch.randint(0, 2, (count,))), batch_size=3)


def loss_of(batch):
    return nn.functional.cross_entropy(model(batch[0]), batch[1])


for number, batch in enumerate(loader):
    if mode == "guard":  # the next zero_grad() clears the gradients of every third batch
        optimizer.zero_grad()
        loss_of(batch).backward()
        if number % 3 == 1:
            continue
        optimizer.step()
    elif mode == "zeros":  # as above, by writing zeros
        loss_of(batch).backward()
        if number % 3 != 1:
            optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    elif mode == "group":  # accumulates three batches, and leaves out every fourth group
        (loss_of(batch) / 3).backward()
        if number % 3 == 2:
            if number % 12 != 11:
                optimizer.step()
            optimizer.zero_grad(set_to_none=False)
    elif mode == "each":  # clears the gradients in each micro-batch
        optimizer.zero_grad()
        loss_of(batch).backward()
        if number % 4 == 3:
            optimizer.step()
    elif mode == "accumulates":
        (loss_of(batch) / 4).backward()
        if number % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
truth.done(model)
