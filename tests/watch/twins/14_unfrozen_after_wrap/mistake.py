# SPDX-License-Identifier: Apache-2.0
"""Gradual unfreezing: the head alone in the first epoch, the whole network afterwards."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv1d(1, 6, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(8), nn.Flatten())
        self.head = nn.Linear(48, 3)

    def forward(self, x):
        return self.head(self.backbone(x))


def set_trainable(module, trainable):
    for parameter in module.parameters():
        parameter.requires_grad = trainable


def make_data():
    rng = torch.Generator().manual_seed(14)
    labels = torch.randint(0, 3, (480,), generator=rng)
    waves = torch.sin(torch.linspace(0, 6, 40) * (1 + labels.unsqueeze(1))) + 0.3 * torch.randn(480, 40, generator=rng)
    return TensorDataset(waves.unsqueeze(1), labels)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(2)
    dataset = make_data()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=20, sampler=sampler)
    net = Network()
    set_trainable(net.backbone, False)
    model = DDP(net)
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        if epoch == 1:
            set_trainable(model.module.backbone, True)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
