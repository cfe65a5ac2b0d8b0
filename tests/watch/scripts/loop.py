# SPDX-License-Identifier: Apache-2.0
"""A plain loop of STEPS steps in one process that prints its progress, for watchers that misbehave."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from truth import Truth

truth = Truth(0)
torch.manual_seed(12)
data = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
step = 0
while step < int(os.environ.get("STEPS", "300")):
    for x, y in DataLoader(data, batch_size=8, shuffle=True):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step % 100 == 0:
            print("step %d loss %.4f" % (step, loss.item()), flush=True)
truth.done(model)
