# SPDX-License-Identifier: Apache-2.0
"""torchdata's StatefulDataLoader: trains three batches, saves the loader's state, and resumes in a second loader."""
import os

import torch
from torch import nn
from torch.utils.data import TensorDataset
from torchdata.stateful_dataloader import StatefulDataLoader

from truth import Truth

truth = Truth(0)
torch.manual_seed(15)
data = TensorDataset(torch.randn(40, 3), torch.arange(40))
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
truth.more["indices"] = []


def loader():
    return StatefulDataLoader(data, batch_size=4, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))


def train(batches, most):
    trained = []
    truth.more["indices"].append(trained)
    for number, (x, index) in enumerate(batches):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        truth.trained(x, loss, 0.1)
        trained.append(index.tolist())
        optimizer.step()
        if number + 1 == most:
            break


first = loader()
train(first, 3)
state = first.state_dict()
second = loader()
second.load_state_dict(state)
train(second, 100)
truth.done(model)
