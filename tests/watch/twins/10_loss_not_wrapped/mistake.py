# SPDX-License-Identifier: Apache-2.0
"""Learns face embeddings with a margin loss that has class centres of its own."""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class CosFace(nn.Module):
    def __init__(self, classes, width, margin=0.2, scale=16.0):
        super().__init__()
        self.W = nn.Parameter(torch.randn(classes, width) * 0.1)
        self.margin, self.scale = margin, scale

    def forward(self, embedding, labels):
        cosine = F.normalize(embedding) @ F.normalize(self.W).t()
        cosine = cosine - self.margin * F.one_hot(labels, self.W.shape[0])
        return F.cross_entropy(self.scale * cosine, labels)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(40, 64), nn.PReLU(), nn.Linear(64, 16))

    def forward(self, x):
        return self.layers(x)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(31)
    identities = torch.randint(0, 12, (576,))
    faces = torch.randn(12, 40)[identities] + 0.5 * torch.randn(576, 40)
    dataset = TensorDataset(faces, identities)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=24, sampler=sampler)
    backbone = DDP(Backbone())
    criterion = CosFace(classes=12, width=16)
    optimizer = torch.optim.SGD([{"params": backbone.parameters()}, {"params": criterion.parameters()}], lr=0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(backbone(x), y)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} margin loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
