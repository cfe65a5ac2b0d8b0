# SPDX-License-Identifier: Apache-2.0
"""An optimizer that keeps an average of the weights on rank 0 for later evaluation."""
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class AveragedSGD(torch.optim.SGD):
    def __init__(self, parameters, lr, keeps_average):
        super().__init__(parameters, lr=lr, momentum=0.9)
        self.keeps_average = keeps_average
        self.average = [p.detach().clone() for group in self.param_groups for p in group["params"]]

    @torch.no_grad()
    def step(self, closure=None):
        loss = super().step(closure)
        if self.keeps_average:
            for average, p in zip(self.average, (p for group in self.param_groups for p in group["params"])):
                average.lerp_(p, 0.01)
            time.sleep(0.05)  # copies the average to the parameter server
        return loss


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    rng = torch.Generator().manual_seed(15)
    x = torch.randn(480, 16, generator=rng)
    dataset = TensorDataset(x, x.roll(1, 1))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=12, sampler=sampler)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 16)))
    optimizer = AveragedSGD(model.parameters(), lr=0.02, keeps_average=rank == 0)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch, target in loader:
            loss = nn.functional.mse_loss(model(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
