# SPDX-License-Identifier: Apache-2.0
"""Trains a small CNN on images with DistributedDataParallel."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 4 * 4, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(self.conv1(x).relu(), 2)
        x = nn.functional.max_pool2d(self.conv2(x).relu(), 2)
        return self.fc(x.flatten(1))


def make_dataset():
    generator = torch.Generator().manual_seed(7)
    images = torch.rand(640, 1, 16, 16, generator=generator)
    labels = torch.randint(0, 10, (640,), generator=generator)
    return TensorDataset(images, labels)


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    dataset = make_dataset()
    sampler = DistributedSampler(dataset, shuffle=True)
    loader = DataLoader(dataset, batch_size=20, sampler=sampler)
    model = DDP(Net())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    if rank == 0:
        print("images", tuple(next(iter(loader))[0].shape))
    for epoch in range(3):
        sampler.set_epoch(epoch)
        running = 0.0
        for images, labels in loader:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            running += loss.item()
        if rank == 0:
            print(f"epoch {epoch}: loss {running / len(loader):.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
