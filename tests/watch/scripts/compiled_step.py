# SPDX-License-Identifier: Apache-2.0
"""Compiles a whole step, backward pass and optimizer included, and an optimizer alone; prints the graph breaks."""
import torch
from torch import nn
from torch._dynamo.utils import counters

from truth import Truth

torch.manual_seed(13)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
first = torch.optim.SGD(model.parameters(), lr=0.1)
second = torch.optim.Adam(model.parameters(), lr=0.01)


def step(x, y):
    loss = nn.functional.mse_loss(model(x), y)
    first.zero_grad()
    loss.backward()
    first.step()
    return loss


@torch.compile(backend="eager")
def update():
    second.step()


compiled = torch.compile(step, backend="eager")
for _ in range(4):
    compiled(torch.randn(6, 4), torch.randn(6, 1))
    update()
breaks = {reason.splitlines()[0]: count for reason, count in sorted(counters["graph_break"].items())}
print("graph breaks %s, graphs %d" % (breaks, counters["stats"]["unique_graphs"]))
Truth(0).done(model)
