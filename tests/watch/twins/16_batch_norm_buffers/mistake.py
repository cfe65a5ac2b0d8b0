# SPDX-License-Identifier: Apache-2.0
"""A small residual network with batch norm; all ranks evaluate their part of the test set."""
import io

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        return (x + self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))).relu()


def images(count, seed):
    rng = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 4, (count,), generator=rng)
    return TensorDataset(torch.randn(count, 3, 12, 12, generator=rng) + labels.view(-1, 1, 1, 1), labels)


def accuracy(model, loader):
    model.eval()
    correct = torch.zeros(1)
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum()
    model.train()
    dist.all_reduce(correct)
    return correct.item()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    train, test = images(320, seed=1), images(80, seed=2)
    sampler = DistributedSampler(train)
    loader = DataLoader(train, batch_size=16, sampler=sampler)
    test_loader = DataLoader(test, batch_size=20, sampler=DistributedSampler(test, shuffle=False))
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), Block(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))
    model = DistributedDataParallel(net, broadcast_buffers=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        correct = accuracy(model, test_loader)
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), io.BytesIO())
            print(f"epoch {epoch}: {correct:.0f} of {len(test)} right")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
