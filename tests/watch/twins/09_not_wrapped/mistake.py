# SPDX-License-Identifier: Apache-2.0
"""Tags sequences; the trainer class hides the loop."""
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Tagger(nn.Module):
    def __init__(self, vocabulary=200, tags=7):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 24)
        self.lstm = nn.LSTM(24, 24, batch_first=True)
        self.out = nn.Linear(24, tags)

    def forward(self, tokens):
        return self.out(self.lstm(self.embed(tokens))[0])


def average_gradients(model):
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()


class Trainer:
    def __init__(self, model, loader, sampler, distributed):
        self.model, self.loader, self.sampler = model, loader, sampler
        self.distributed = distributed
        self.optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

    def run_epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        for tokens, tags in self.loader:
            loss = nn.functional.cross_entropy(self.model(tokens).flatten(0, 1), tags.flatten())
            self.optimizer.zero_grad()
            loss.backward()
            if self.distributed:
                average_gradients(self.model)
            self.optimizer.step()
        return loss.item()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(6)
    tokens = torch.randint(0, 200, (480, 12))
    dataset = TensorDataset(tokens, tokens % 7)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    model = Tagger()
    trainer = Trainer(model, loader, sampler, distributed=False)
    for epoch in range(3):
        loss = trainer.run_epoch(epoch)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {loss:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
