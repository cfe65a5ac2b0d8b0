# SPDX-License-Identifier: Apache-2.0
"""Trains a vocoder-like network with an iterator that is made by hand."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Vocoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose1d(8, 8, 4, stride=2, padding=1)
        self.layers = nn.Sequential(nn.LeakyReLU(0.2), nn.Conv1d(8, 8, 3, padding=1), nn.LeakyReLU(0.2),
                                    nn.Conv1d(8, 1, 3, padding=1))

    def forward(self, mel):
        return self.layers(self.up(mel))


def train_epoch(model, optimizer, batches):
    total, count = 0.0, 0
    while True:
        batch = next(batches, None)
        if batch is None:
            return total / count
        mel, wave = batch
        optimizer.zero_grad()
        loss = nn.functional.l1_loss(model(mel), wave)
        loss.backward()
        optimizer.step()
        total, count = total + loss.item(), count + 1


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(12)
    rng = torch.Generator().manual_seed(12)
    dataset = TensorDataset(torch.randn(320, 8, 16, generator=rng), torch.randn(320, 1, 32, generator=rng))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, num_workers=0)
    model = DDP(Vocoder())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.5, 0.9))
    for epoch in range(3):
        batches = iter(loader)
        sampler.set_epoch(epoch)
        first = train_epoch(model, optimizer, batches)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: {first:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
