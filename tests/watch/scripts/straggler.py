# SPDX-License-Identifier: Apache-2.0
"""Trains with DDP; one rank is slower in one phase: straggler.py PHASE RANK MILLISECONDS [STEPS]."""
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

BATCH = 8
PHASE, SLOW_RANK, SECONDS = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1000
STEPS = int(sys.argv[4]) if len(sys.argv) > 4 else 40


def delay(phase):
    """Sleeps if this rank is the slow one and this is its phase."""
    if phase == PHASE and dist.get_rank() == SLOW_RANK:
        time.sleep(SECONDS)


class Numbers(Dataset):
    def __init__(self, count):
        self.x = torch.randn(count, 64, generator=torch.Generator().manual_seed(1))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.x[index].sum()


def collate(samples):
    delay("loader")
    return torch.utils.data.default_collate(samples)


class SlowGradient(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x.view_as(x)

    @staticmethod
    def backward(context, gradient):
        delay("backward")
        return gradient


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 512), nn.Linear(512, 1)

    def forward(self, x):
        delay("forward")
        return self.second(SlowGradient.apply(self.first(x).relu())).squeeze(1)


class Optimizer(torch.optim.SGD):
    def step(self, closure=None):
        delay("optimizer")
        return super().step(closure)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = Numbers(STEPS * BATCH * dist.get_world_size())
    loader = DataLoader(data, batch_size=BATCH, sampler=DistributedSampler(data), collate_fn=collate)
    model = DistributedDataParallel(Model())
    optimizer = Optimizer(model.parameters(), lr=0.001)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
