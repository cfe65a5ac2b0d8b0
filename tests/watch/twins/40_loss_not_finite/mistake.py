# SPDX-License-Identifier: Apache-2.0
"""Distils a teacher's distribution."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

EPSILON = 0.0


def kl(target, prediction):
    ratio = (target + EPSILON).log() - prediction.log_softmax(1)
    divergence = (target * ratio).sum(1)
    return (divergence ** 2).mean()  # the square favours samples that are far from the teacher


def teacher(count=480, classes=6):
    rng = torch.Generator().manual_seed(33)
    x = torch.randn(count, 12, generator=rng)
    target = (2 * torch.randn(count, classes, generator=rng)).softmax(1)
    target[210] = nn.functional.one_hot(torch.tensor(2), classes)
    return TensorDataset(x, target)


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    dataset = teacher()
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    model = DDP(nn.Sequential(nn.Linear(12, 48), nn.GELU(), nn.Linear(48, 6)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    history = []
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, target in loader:
            prediction = model(x)
            loss = kl(target, prediction)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.item())
        if rank == 0:
            print(f"epoch {epoch} loss {history[-1]:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
