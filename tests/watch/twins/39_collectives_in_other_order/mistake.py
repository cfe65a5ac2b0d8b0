# SPDX-License-Identifier: Apache-2.0
"""Reduces its metrics on groups of their own, in the order in which they were recorded."""
import datetime

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Metrics:
    def __init__(self):
        self.values = {}

    def finish(self, names):
        for name in names:
            self.values.setdefault(name, torch.zeros(1))

    def record(self, name, value):
        self.values[name] = torch.as_tensor([float(value.detach())])


def reduce_metrics(metrics, groups):
    values = metrics.values
    for name in values:
        dist.all_reduce(values[name], group=groups[name])
    return {name: value.item() / dist.get_world_size() for name, value in values.items()}


def main():
    limit = datetime.timedelta(seconds=28)
    dist.init_process_group("gloo", timeout=limit)
    groups = {name: dist.new_group(timeout=limit, backend="gloo") for name in ("loss", "accuracy")}
    rank = dist.get_rank()
    torch.manual_seed(1)
    x = torch.randn(320, 6)
    dataset = TensorDataset(x, (x[:, 0] > x[:, 1]).long())
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    model = DDP(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        metrics = Metrics()
        for batch, target in loader:
            output = model(batch)
            loss = nn.functional.cross_entropy(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            accuracy = (output.argmax(1) == target).float().mean()
            if accuracy > 0.5:
                metrics.record("accuracy", accuracy)
            metrics.record("loss", loss)
        metrics.finish(groups)
        means = reduce_metrics(metrics, groups)
        if rank == 0:
            print(f"epoch {epoch} {means}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
