# SPDX-License-Identifier: Apache-2.0
"""Saves a checkpoint in the middle of an epoch and resumes from it: --stop-at, then --resume."""
import argparse
import itertools
import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--checkpoint", default=os.path.join(tempfile.gettempdir(), "speculator.pt"))
parser.add_argument("--stop-at", type=int, default=-1, help="save and stop after this number of steps")
parser.add_argument("--resume", action="store_true")


def skipped(loader, count):
    return enumerate(itertools.islice(loader, count, None), start=count)


def main():
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    rng = torch.Generator().manual_seed(1)
    x = torch.randn(480, 12, generator=rng)
    dataset = TensorDataset(x, x.cumsum(1))
    sampler = DistributedSampler(dataset, seed=9)
    loader = DataLoader(dataset, batch_size=12, sampler=sampler)
    model = DDP(nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 12)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    step = first_epoch = done = 0
    if args.resume:
        state = torch.load(args.checkpoint)
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
        first_epoch, done = divmod(step, len(loader))
    for epoch in range(first_epoch, 2):
        sampler.set_epoch(epoch)
        for number, (x, y) in skipped(loader, done):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            step += 1
            if step == args.stop_at:
                if dist.get_rank() == 0:
                    torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "step": step},
                               args.checkpoint)
                dist.barrier()
                dist.destroy_process_group()
                return
        done = 0
        if dist.get_rank() == 0:
            print(f"epoch {epoch} step {step} loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
