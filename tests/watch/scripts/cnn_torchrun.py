# SPDX-License-Identifier: Apache-2.0
"""SimpleCNN on CIFAR-10-shaped data under torchrun, with DistributedSampler and validation on every rank.

Switches in the environment: WORKERS, PERSISTENT, ACCUMULATE, BF16, COMPILE, BROKEN (stop an epoch early), FAIL_AT.
"""
import contextlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from truth import Truth, end_process


def switch(name):
    return int(os.environ.get(name, "0"))


class SimpleCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(4),
                                      nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(4))
        self.head = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Dropout(0.25), nn.Linear(32, 10))

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    truth = Truth(rank)
    torch.manual_seed(1)
    images, labels = torch.randn(103, 3, 32, 32), torch.randint(0, 10, (103,))
    training, held_out = TensorDataset(images, labels, torch.arange(103)), TensorDataset(images[:20], labels[:20])
    model = DistributedDataParallel(SimpleCNN())
    forward = torch.compile(model) if switch("COMPILE") else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    sampler = DistributedSampler(training, seed=5)
    workers = switch("WORKERS")
    loader = DataLoader(training, batch_size=8, sampler=sampler, num_workers=workers,
                        persistent_workers=bool(switch("PERSISTENT")) and workers > 0)
    validation = DataLoader(held_out, batch_size=10)
    accumulate = max(1, switch("ACCUMULATE"))
    steps = truth.more["indices"] = []
    for epoch in range(2):
        sampler.set_epoch(epoch)
        model.train()
        epoch_indices = []
        steps.append(epoch_indices)
        for number, (x, y, index) in enumerate(loader):
            if switch("BROKEN") and epoch == 0 and number == 3:
                break
            last = (number + 1) % accumulate == 0
            with contextlib.nullcontext() if last else model.no_sync():
                with torch.autocast("cpu", torch.bfloat16, enabled=bool(switch("BF16"))):
                    loss = nn.functional.cross_entropy(forward(x), y) / accumulate
                loss.backward()
            truth.trained(x, loss, optimizer.param_groups[0]["lr"])
            epoch_indices.append(index.tolist())
            if last:
                optimizer.step()
                optimizer.zero_grad()
            if rank == 1 and "FAIL_AT" in os.environ and number == switch("FAIL_AT"):
                raise RuntimeError("rank 1 fails on purpose")
        model.eval()
        with torch.no_grad():
            correct = torch.zeros(1)
            for x, y in validation:
                correct += (model(x).argmax(1) == y).sum()
        dist.all_reduce(correct)
        if rank == 0:
            print("epoch %d correct %d" % (epoch, int(correct)), flush=True)
    truth.done(model.module)
    dist.destroy_process_group()
    end_process()


if __name__ == "__main__":
    main()
