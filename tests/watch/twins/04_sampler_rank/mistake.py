# SPDX-License-Identifier: Apache-2.0
"""Fine-tunes a small text classifier; started by torchrun."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Reviews(Dataset):
    def __init__(self, count=600, length=20, vocabulary=500):
        rng = torch.Generator().manual_seed(11)
        self.tokens = torch.randint(1, vocabulary, (count, length), generator=rng)
        self.labels = (self.tokens.float().mean(1) > vocabulary / 2).long()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {"tokens": self.tokens[index], "label": self.labels[index]}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.EmbeddingBag(500, 32)
        self.classifier = nn.Linear(32, 2)

    def forward(self, tokens):
        return self.classifier(self.embedding(tokens))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch_size", type=int, default=15)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    dataset = Reviews()
    train_sampler = DistributedSampler(dataset, num_replicas=dist.get_world_size(), rank=args.local_rank)
    train_loader = DataLoader(dataset, batch_size=args.batch_size, sampler=train_sampler)
    model = DDP(Classifier())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(args.epochs):
        train_sampler.set_epoch(epoch)
        for batch in train_loader:
            loss = nn.functional.cross_entropy(model(batch["tokens"]), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if int(os.environ["RANK"]) == 0:
            print("epoch", epoch, "last loss", loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
