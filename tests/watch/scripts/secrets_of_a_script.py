# SPDX-License-Identifier: Apache-2.0
"""Trains on data that contain DATA_VALUE in each sample and in each label, with API_TOKEN in the environment."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

value = float(os.environ["DATA_VALUE"])
assert os.environ["API_TOKEN"]
torch.manual_seed(1)
data = TensorDataset(torch.full((16, 3), value, dtype=torch.float64), torch.full((16,), int(value)))
model = nn.Linear(3, 2).double()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-12)
for x, y in DataLoader(data, batch_size=4):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x / value), y % 2).backward()
    optimizer.step()
print("trained")
