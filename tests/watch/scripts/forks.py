# SPDX-License-Identifier: Apache-2.0
"""Trains, forks in three ways, and trains on: a plain fork, a process of multiprocessing, and loader workers."""
import multiprocessing
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def train(steps, seed):
    torch.manual_seed(seed)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(2 * steps, 4))
    for (x,) in DataLoader(data, batch_size=2, num_workers=1):
        loss = model(x).sum()
        loss.backward()
        optimizer.step()


def main():
    train(3, 1)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    process = multiprocessing.get_context("fork").Process(target=train, args=(4, 2))
    process.start()
    process.join()
    train(2, 3)
    print("child ended with", process.exitcode)


if __name__ == "__main__":
    main()
