# SPDX-License-Identifier: Apache-2.0
"""Trains on a loss over the features of the global batch: gathered.py [--fixed]. All ranks together read 16 samples a step.

dist.all_gather() passes no gradient on, so that with W ranks and DDP's mean each gradient is 1/W of the one of a single
process. With --fixed, the loss is multiplied by W.
"""
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from truth import end_process

BATCH = 16


def gather(features):
    parts = [torch.zeros_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, features.detach())
    parts[dist.get_rank()] = features
    return torch.cat(parts)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(8)
    size = dist.get_world_size()
    data = TensorDataset(torch.randn(128, 12, dtype=torch.float64))
    sampler = DistributedSampler(data, shuffle=False)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 6)).double())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for (x,) in DataLoader(data, batch_size=BATCH // size, sampler=sampler):
        features = nn.functional.normalize(gather(model(x)), dim=1)
        spread = (features @ features.T).square().mean()
        loss = spread * size if "--fixed" in sys.argv else spread
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()
    end_process()


if __name__ == "__main__":
    main()
