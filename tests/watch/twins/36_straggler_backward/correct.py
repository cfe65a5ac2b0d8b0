# SPDX-License-Identifier: Apache-2.0
"""Records gradient statistics by hooks in the backward pass."""
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(30, 200)
        self.trunk = nn.Sequential(nn.ReLU(), nn.Linear(200, 200), nn.ReLU())
        self.head = nn.Linear(200, 2)

    def forward(self, x):
        return self.head(self.trunk(self.stem(x)))


class Statistics:
    """Writes the norm of each gradient to a slow store."""

    def __init__(self, seconds):
        self.seconds, self.norms = seconds, []

    def __call__(self, module, grad_input, grad_output):
        self.norms.append(grad_output[0].norm())
        if self.seconds:
            time.sleep(self.seconds)


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    rng = torch.Generator().manual_seed(40)
    x = torch.randn(640, 30, generator=rng)
    dataset = TensorDataset(x, (x.sum(1) > 0).long())
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    torch.manual_seed(0)
    model = DDP(Wide())
    statistics = Statistics(seconds=0.05)
    model.module.trunk.register_full_backward_hook(statistics)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch, target in loader:
            loss = nn.functional.cross_entropy(model(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} loss {loss.item():.3f} mean norm {torch.stack(statistics.norms).mean().item():.5f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
