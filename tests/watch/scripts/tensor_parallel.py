# SPDX-License-Identifier: Apache-2.0
"""A two-layer network split by columns and rows over all ranks; every rank reads the same data on purpose."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.utils.data import DataLoader, TensorDataset

from truth import Truth, end_process


def main():
    dist.init_process_group("gloo")
    truth = Truth(dist.get_rank())
    torch.manual_seed(6)
    x, y = torch.randn(40, 16), torch.randn(40, 4)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    indices = truth.more["indices"] = [[]]
    for batch, target, index in DataLoader(TensorDataset(x, y, torch.arange(40)), batch_size=8, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(batch), target)
        loss.backward()
        truth.trained(batch, loss, 0.05)
        indices[0].append(index.tolist())
        optimizer.step()
    truth.done(model)
    dist.destroy_process_group()
    end_process()


if __name__ == "__main__":
    main()
