# SPDX-License-Identifier: Apache-2.0
"""Evaluates after each of two epochs, and combines the results by functional collectives, which are also compiled.
Prints the graph breaks.
"""
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch import nn
from torch._dynamo.utils import counters
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

from truth import Truth, end_process

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(3)
data = TensorDataset(torch.randn(16, 4), torch.randn(16, 1))
model = DistributedDataParallel(nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile(backend="eager", fullgraph=True)
def combined(value):
    return functional.all_reduce(value * 2, "sum", dist.group.WORLD)


for epoch in range(2):
    for x, y in DataLoader(data, batch_size=8):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    dist.barrier()
    with torch.no_grad():
        total = sum(nn.functional.mse_loss(model.module(x), y) for x, y in DataLoader(data, batch_size=8))
    print("%.6f" % functional.all_reduce(total, "sum", dist.group.WORLD).item())
    print("%.6f" % combined(total).item())
    gathered = functional.all_gather_tensor(total.reshape(1), 0, dist.group.WORLD)
    print(len(gathered))
print("graph breaks %s, graphs %d" % (dict(counters["graph_break"]), counters["stats"]["unique_graphs"]))
Truth(0).done(model)
dist.destroy_process_group()
end_process()
