# SPDX-License-Identifier: Apache-2.0
"""Predicts molecular energies; 20 % of the molecules are for validation."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, Subset
from torch.utils.data.distributed import DistributedSampler


class Molecules(Dataset):
    def __init__(self, count=600):
        rng = torch.Generator().manual_seed(44)
        self.charges = torch.rand(count, 18, generator=rng)
        self.energy = (self.charges ** 2).sum(1, keepdim=True)

    def __len__(self):
        return len(self.energy)

    def __getitem__(self, index):
        return self.charges[index], self.energy[index]


def split(dataset, share=0.2):
    held_out = int(len(dataset) * share)
    order = torch.randperm(len(dataset), generator=torch.Generator().manual_seed(0)).tolist()
    train_set = Subset(dataset, order[held_out:])
    val_set = Subset(dataset, order[:held_out])
    return train_set, val_set


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(5)
    train_set, val_set = split(Molecules())
    sampler = DistributedSampler(train_set)
    train_loader = DataLoader(train_set, batch_size=16, sampler=sampler)
    val_loader = DataLoader(val_set, batch_size=20, sampler=DistributedSampler(val_set, shuffle=False))
    model = DDP(nn.Sequential(nn.Linear(18, 64), nn.SiLU(), nn.Linear(64, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for charges, energy in train_loader:
            loss = nn.functional.huber_loss(model(charges), energy)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            error = sum((model(charges) - energy).abs().sum() for charges, energy in val_loader)
        dist.all_reduce(error)
        if rank == 0:
            print(f"epoch {epoch}: mean absolute error {error.item() / len(val_set):.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
