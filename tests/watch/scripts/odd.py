# SPDX-License-Identifier: Apache-2.0
"""Ordinary uses of loaders and optimizers that break simple assumptions.

Each section has data and a loader of its own.
"""
import queue
import threading
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset, TensorDataset, random_split

from truth import Truth

warnings.filterwarnings("ignore")
truth = Truth(0)
torch.manual_seed(17)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def numbered(count):
    return TensorDataset(torch.randn(count, 2), torch.arange(count))


def update(x, step=True):
    loss = model(x.reshape(-1, 2)).square().mean()
    loss.backward()
    if step:
        optimizer.step()
        optimizer.zero_grad()


class Stream(IterableDataset):
    def __iter__(self):
        return iter([torch.ones(2) * i for i in range(6)])


class ByName(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, name):
        return torch.ones(2) * len(name)


def iterable():  # loader 0
    for x in DataLoader(Stream(), batch_size=2, num_workers=2):
        update(x)


def no_batches():  # loader 1
    trained = truth.more["no_batches"] = []
    for x, index in DataLoader(numbered(5), batch_size=None):
        update(x)
        trained.append(int(index))


def own_sampler():  # loader 2
    trained = truth.more["own_sampler"] = []
    for x, index in DataLoader(numbered(9), batch_sampler=[[8, 1], [3], [0, 8, 2]]):
        update(x)
        trained.append(index.tolist())


def names():  # loader 3
    for x in DataLoader(ByName(), sampler=["a", "bb", "ccc", "dddd"], batch_size=2):
        update(x)


def loss_over_two_batches():  # loader 4
    trained = truth.more["loss_over_two_batches"] = []
    loader = iter(DataLoader(numbered(12), batch_size=2))
    for (x, first), (y, second) in zip(loader, loader):
        update(torch.cat([x, y]))
        trained.append(first.tolist() + second.tolist())


def zipped_loaders():  # loaders 5 and 6
    trained = truth.more["zipped_loaders"] = [[], []]
    for (x, first), (y, second) in zip(DataLoader(numbered(6), batch_size=2), DataLoader(numbered(9), batch_size=3)):
        update(torch.cat([x, y]))
        trained[0].extend(first.tolist())
        trained[1].extend(second.tolist())


def skipped_batches():  # loader 7
    trained = truth.more["trained"] = []
    skipped = truth.more["skipped"] = []
    for number, (x, index) in enumerate(DataLoader(numbered(10), batch_size=2)):
        if number < 2:
            skipped.append(index.tolist())
            continue
        update(x)
        trained.extend(index.tolist())


def closures():  # loader 8
    lbfgs = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)
    trained = truth.more["closures"] = []
    for x, index in DataLoader(numbered(4), batch_size=2):
        def closure():
            lbfgs.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            truth.more["calls"] = truth.more.get("calls", 0) + 1
            return loss

        lbfgs.step(closure)
        trained.extend(index.tolist())


def subsets():  # loaders 9 and 10, over parts of one data set
    whole = numbered(10)
    train, test = random_split(whole, [7, 3], generator=torch.Generator().manual_seed(1))
    inner = Subset(train, [0, 2, 4])
    truth.more["subsets"] = [list(test.indices), [0, 2, 4], list(train.indices)]
    for x, _ in DataLoader(test, batch_size=3):
        update(x)
    for x, _ in DataLoader(inner, batch_size=3):
        update(x)


def out_of_order():  # loader 11
    for x, _ in DataLoader(numbered(8), batch_size=2, num_workers=2, in_order=False):
        update(torch.zeros_like(x))  # the order of the batches is different in each run


def a_pass_for_each_batch():  # loader 12, with workers that stay
    trained = truth.more["a_pass_for_each_batch"] = []
    loader = DataLoader(numbered(8), batch_size=2, shuffle=True, num_workers=1, persistent_workers=True)
    iter(loader)  # nothing is taken from this one
    for _ in range(3):
        x, index = next(iter(loader))
        update(x)
        trained.append(index.tolist())


def prefetched_batches():  # loader 13
    trained = truth.more["prefetched_batches"] = [[], []]
    loader = DataLoader(numbered(7), batch_size=2, shuffle=True)
    for epoch in range(2):
        batches = iter(loader)
        following = next(batches)
        while following is not None:
            (x, index), following = following, next(batches, None)
            update(x)
            trained[epoch].extend(index.tolist())


def batches_of_a_thread():  # loader 14
    trained = truth.more["batches_of_a_thread"] = [[], []]
    loader = DataLoader(numbered(7), batch_size=2, shuffle=True)
    for epoch in range(2):
        fetched = queue.Queue(2)

        def fetch():
            for batch in loader:
                fetched.put(batch)
            fetched.put(None)

        thread = threading.Thread(target=fetch)
        thread.start()
        for x, index in iter(fetched.get, None):
            update(x)
            trained[epoch].extend(index.tolist())
        thread.join()


def data_created_again():  # loader 15 with equal data in three epochs, loader 16 with other data
    trained = truth.more["data_created_again"] = []
    for offset in (0, 0, 0, 20):
        whole = TensorDataset(torch.ones(8, 2), torch.arange(8) + offset)
        part = Subset(whole, [5, 1, 3, 0])
        for x, index in DataLoader(part, batch_size=2, shuffle=True):
            update(x)
            trained.append((index - offset).tolist())
        del whole, part


for section in (iterable, no_batches, own_sampler, names, loss_over_two_batches, zipped_loaders, skipped_batches,
                closures, subsets, out_of_order, a_pass_for_each_batch, prefetched_batches,
                batches_of_a_thread, data_created_again):
    section()
truth.done(model)
