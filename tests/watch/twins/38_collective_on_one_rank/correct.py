# SPDX-License-Identifier: Apache-2.0
"""Saves a checkpoint after each epoch."""
import datetime
import io
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def save_checkpoint(net, epoch):
    if dist.get_rank() == 0:
        torch.save({"epoch": epoch, "weights": net.state_dict()}, io.BytesIO())
        time.sleep(3)  # copies the file to the archive
    dist.barrier()


def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=28))
    rank = dist.get_rank()
    torch.manual_seed(3)
    x = torch.randn(320, 8)
    dataset = TensorDataset(x, x.abs())
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        loss = train(model, loader, optimizer)
        if rank == 0:
            print(f"epoch {epoch} loss {loss:.4f}", flush=True)
        save_checkpoint(net, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
