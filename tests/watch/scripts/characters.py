# SPDX-License-Identifier: Apache-2.0
"""A character model that reads random windows of a memory-mapped file: no DataLoader, accumulation, torch.compile."""
import mmap
import os
import tempfile

import torch
from torch import nn

from truth import Truth

WINDOW, BATCH, STEPS, ACCUMULATE = 16, 4, 6, 3


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(128, 16)
        self.mix = nn.Linear(16, 32)
        self.head = nn.Linear(32, 128)

    def forward(self, x):
        return self.head(torch.relu(self.mix(self.embed(x))))


def batch(data):
    starts = torch.randint(len(data) - WINDOW - 1, (BATCH,)).tolist()
    windows = [torch.tensor(list(data[start:start + WINDOW + 1])) for start in starts]
    return torch.stack([one[:-1] for one in windows]), torch.stack([one[1:] for one in windows])


def main():
    truth = Truth(0)
    torch.manual_seed(10)
    with tempfile.TemporaryFile() as file:
        file.write(bytes((i * i) % 96 + 32 for i in range(5000)))
        file.flush()
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    model = Model()
    trained = torch.compile(model) if os.environ.get("COMPILE", "1") == "1" else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = 0.003 * (1 - step / STEPS)
        for _ in range(ACCUMULATE):
            x, y = batch(data)
            loss = nn.functional.cross_entropy(trained(x).flatten(0, 1), y.flatten()) / ACCUMULATE
            loss.backward()
            truth.trained(x, loss, optimizer.param_groups[0]["lr"])
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        print("\rstep %d" % step, end="", flush=True)
    print()
    truth.done(model)


if __name__ == "__main__":
    main()
