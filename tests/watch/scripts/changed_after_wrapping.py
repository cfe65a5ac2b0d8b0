# SPDX-License-Identifier: Apache-2.0
"""Changes a model after DistributedDataParallel has wrapped it, and trains a loss function that is not wrapped."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from truth import Truth, end_process


class Centres(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.scale = nn.Linear(1, 1)
        self.centres = nn.Parameter(torch.ones(count, 4))

    def forward(self, x):
        return self.scale((x.unsqueeze(1) - self.centres).square().mean().reshape(1, 1)).sum()


truth = Truth(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(6)
net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 4))
net[0].weight.requires_grad_(False)
model = DDP(net)
loss_function = Centres(3)
more = nn.ParameterList([nn.Parameter(torch.ones(2))])
optimizer = torch.optim.SGD([*net.parameters(), *loss_function.parameters(), *more.parameters()], lr=0.01)
net[2].float()
model.double()
model.float()
for step in range(8):
    if step == 5:
        net[0].weight.requires_grad_(True)
    optimizer.zero_grad()
    loss = loss_function(model(torch.randn(6, 3))) + more[0].square().sum()
    loss.backward()
    optimizer.step()
truth.done(net, loss_function)
dist.destroy_process_group()
end_process()
