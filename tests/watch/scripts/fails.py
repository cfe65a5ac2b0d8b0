# SPDX-License-Identifier: Apache-2.0
"""Ends with an exception whose traceback leads through the wrapped functions.

WHERE: dataset, forward, backward, hook. With CAUGHT=1 the script prints the traceback by itself.
"""
import os
import sys
import traceback

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

where = os.environ["WHERE"]


class Items(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if where == "dataset" and index == 5:
            raise KeyError("item 5 is broken")
        return torch.ones(3) * index


model = nn.Linear(4 if where == "forward" else 3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if where == "hook":
    sys.excepthook = lambda kind, error, trace: print("the script's own hook: %s" % error)


def train():
    for batch in DataLoader(Items(), batch_size=2):
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
        if where == "backward":
            try:
                loss.backward()
            except RuntimeError as error:
                raise ValueError("a second backward pass") from error
        if where == "hook":
            raise OSError("disk on fire")


try:
    train()
except Exception:
    if os.environ.get("CAUGHT") != "1":
        raise
    traceback.print_exc()
