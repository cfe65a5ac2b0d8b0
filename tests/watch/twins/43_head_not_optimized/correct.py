# SPDX-License-Identifier: Apache-2.0
"""Trains a small transformer encoder with a classifier head."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class DoubleHead(nn.Module):
    def __init__(self, vocabulary=80, width=24, classes=3):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "embed": nn.Embedding(vocabulary, width),
            "layer": nn.TransformerEncoderLayer(width, 4, 48, dropout=0.1, batch_first=True)})
        self.clf_head = nn.Linear(width, classes)

    def forward(self, tokens):
        hidden = self.transformer["layer"](self.transformer["embed"](tokens))
        return self.clf_head(hidden.mean(1))


def sentences(count=400):
    rng = torch.Generator().manual_seed(28)
    tokens = torch.randint(0, 80, (count, 12), generator=rng)
    return TensorDataset(tokens, tokens[:, 0] % 3)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    dataset = sentences()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    net = DoubleHead()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    model = DDP(net)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for tokens, labels in loader:
            loss = nn.functional.cross_entropy(model(tokens), labels)
            model.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
