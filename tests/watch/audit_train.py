# SPDX-License-Identifier: Apache-2.0
"""Trains two epochs with one trainer and one kind of loader, saves, resumes, and records each trained sample.

Started by tests/watch/audit, once in each rank. Checkpoints are saved at the end of epoch 0 and in the middle of epoch 1,
in the way that the documentation of each trainer describes. The record is the script's own: each sample carries its index.
"""
import argparse
import itertools
import json
import os
import sys
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Sampler, TensorDataset
from torch.utils.data.distributed import DistributedSampler

SAMPLES, BATCH, EPOCHS = 103, 4, 2
SEED = 11


class Shuffled(Sampler):
    """A user's sampler: shuffles by seed and epoch; with ranks > 1 it yields each rank's part, without padding."""

    def __init__(self, data, rank=0, ranks=1):
        self.length, self.rank, self.ranks, self.epoch = len(data), rank, ranks, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        generator = torch.Generator().manual_seed(SEED + self.epoch)
        order = torch.randperm(self.length, generator=generator).tolist()
        even = self.length - self.length % self.ranks
        return iter(order[self.rank:even:self.ranks])

    def __len__(self):
        return self.length // self.ranks


def dataset():
    torch.manual_seed(SEED)
    return TensorDataset(torch.randn(SAMPLES, 6), torch.randn(SAMPLES, 1), torch.arange(SAMPLES))


def network():
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))


class Record:
    """The batches that a rank has trained, by epoch."""

    def __init__(self):
        self.epochs = {}

    def add(self, epoch, indices):
        self.epochs.setdefault(epoch, []).append(indices.tolist())

    def write(self, folder, rank):
        with open(os.path.join(folder, "rank-%d.json" % rank), "w") as file:
            json.dump(self.epochs, file)


def plain(options, record):
    ranks, rank = int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"])
    dist.init_process_group("gloo")
    data = dataset()
    kind = {"num_workers": options.workers, "batch_size": BATCH}
    if options.loader == "own":
        sampler = Shuffled(data, rank, ranks)
        loader = DataLoader(data, sampler=sampler, **kind)
    elif options.loader == "stateful":
        from torchdata.stateful_dataloader import StatefulDataLoader
        from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler

        sampler = StatefulDistributedSampler(data, seed=SEED)
        loader = StatefulDataLoader(data, sampler=sampler, **kind)
    else:
        sampler = DistributedSampler(data, seed=SEED)
        loader = DataLoader(data, sampler=sampler, **kind)
    stateful = options.loader == "stateful"
    model = DistributedDataParallel(network())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    path = os.path.join(options.checkpoints, "%s-%d.pt" % ("%s", rank))
    first, done = 0, 0
    if options.resume:
        state = torch.load(path % options.resume)
        model.module.load_state_dict(state["model"])
        first, done = state["epoch"], state["done"]
        if stateful:
            loader.load_state_dict(state["loader"])

    def save(name, epoch, done):
        if not options.resume:
            state = {"model": model.module.state_dict(), "epoch": epoch, "done": done}
            if stateful:
                state["loader"] = loader.state_dict()
            torch.save(state, path % name)

    for epoch in range(first, EPOCHS):
        sampler.set_epoch(epoch)
        batches = loader if stateful else itertools.islice(loader, done, None)
        for number, (x, y, index) in enumerate(batches, start=done):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
            record.add(epoch, index)
            if epoch == 1 and number + 1 == options.middle:
                save("middle", epoch, number + 1)
        done = 0
        if epoch == 0:
            save("end", 1, 0)
    dist.destroy_process_group()
    return rank


def accelerate(options, record):
    from accelerate import Accelerator, DataLoaderConfiguration
    from accelerate.utils import set_seed

    set_seed(SEED)
    data = dataset()
    configuration = DataLoaderConfiguration(use_stateful_dataloader=options.loader == "stateful")
    accelerator = Accelerator(cpu=True, dataloader_config=configuration)
    kind = {"num_workers": options.workers, "batch_size": BATCH}
    loader = DataLoader(data, sampler=Shuffled(data), **kind) if options.loader == "own" else \
        DataLoader(data, shuffle=True, **kind)
    model = network()
    model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.01), loader)
    first, done = 0, 0
    if options.resume:
        accelerator.load_state(os.path.join(options.checkpoints, options.resume))
        first, done = 1, options.middle if options.resume == "middle" else 0

    def save(name):
        if not options.resume:
            accelerator.save_state(os.path.join(options.checkpoints, name))

    for epoch in range(first, EPOCHS):
        skips = done and options.loader != "stateful"  # a stateful loader continues by itself
        batches = accelerator.skip_first_batches(loader, done) if skips else loader
        for number, (x, y, index) in enumerate(batches, start=done):
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            record.add(epoch, index)
            if epoch == 1 and number + 1 == options.middle:
                save("middle")
        done = 0
        if epoch == 0:
            save("end")
    rank = accelerator.process_index
    accelerator.end_training()
    return rank


def lightning(options, record):
    import logging

    import lightning.pytorch as pl
    from lightning.pytorch.callbacks import ModelCheckpoint

    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = network()

        def training_step(self, batch, number):
            x, y, index = batch
            record.add(self.current_epoch, index)
            return nn.functional.mse_loss(self.net(x), y)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    pl.seed_everything(SEED, verbose=False)
    ranks = int(os.environ["WORLD_SIZE"])
    data = dataset()
    kind = {"num_workers": options.workers, "batch_size": BATCH}
    if options.loader == "own":
        loader = DataLoader(data, sampler=Shuffled(data), **kind)
    elif options.loader == "stateful":
        from torchdata.stateful_dataloader import StatefulDataLoader

        loader = StatefulDataLoader(data, shuffle=True, **kind)
    else:
        loader = DataLoader(data, shuffle=True, **kind)
    steps = options.batches + options.middle
    saves = [] if options.resume else [
        ModelCheckpoint(options.checkpoints, filename="middle", every_n_train_steps=steps, save_top_k=-1),
        ModelCheckpoint(options.checkpoints, filename="end-{epoch}", every_n_epochs=1, save_top_k=-1,
                        save_on_train_epoch_end=True)]
    trainer = pl.Trainer(max_epochs=EPOCHS, accelerator="cpu", devices=ranks, strategy="ddp", logger=False,
                         callbacks=saves, enable_checkpointing=bool(saves), enable_progress_bar=False,
                         enable_model_summary=False)
    names = {"": None, "middle": "middle.ckpt", "end": "end-epoch=0.ckpt"}
    name = names[options.resume]
    trainer.fit(Module(), loader, ckpt_path=name and os.path.join(options.checkpoints, name))
    return trainer.global_rank


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trainer", choices=["plain", "accelerate", "lightning"])
    parser.add_argument("loader", choices=["default", "stateful", "own"])
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--batches", type=int, required=True, help="batches of an epoch in each rank")
    parser.add_argument("--checkpoints", required=True)
    parser.add_argument("--records", required=True)
    parser.add_argument("--resume", choices=["", "end", "middle"], default="")
    options = parser.parse_args()
    options.middle = options.batches // 2
    record = Record()
    rank = {"plain": plain, "accelerate": accelerate, "lightning": lightning}[options.trainer](options, record)
    record.write(options.records, rank)


if __name__ == "__main__":
    sys.exit(main())
