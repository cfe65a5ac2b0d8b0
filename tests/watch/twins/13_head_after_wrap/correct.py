# SPDX-License-Identifier: Apache-2.0
"""Fine-tunes a pretrained network for another number of classes."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Pretrained(nn.Module):
    def __init__(self, classes=100):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU())
        self.head = nn.Linear(40, classes)

    def forward(self, x):
        return self.head(self.features(x))


def load_pretrained():
    torch.manual_seed(1)
    return Pretrained()


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    rng = torch.Generator().manual_seed(18)
    x = torch.randn(480, 20, generator=rng)
    dataset = TensorDataset(x, (x[:, :5].argmax(1)))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=12, sampler=sampler)
    net = load_pretrained()
    net.head = nn.Linear(40, 5)
    model = DDP(net)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05, momentum=0.9)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch, target in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(batch), target)
            loss.backward()
            optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
