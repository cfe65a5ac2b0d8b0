# SPDX-License-Identifier: Apache-2.0
"""Accumulates gradients over four micro-batches."""
import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

ACCUMULATE = 4


def language_data(count=640, length=16):
    rng = torch.Generator().manual_seed(3)
    tokens = torch.randint(0, 64, (count, length + 1), generator=rng)
    return TensorDataset(tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous())


class LanguageModel(nn.Module):
    def __init__(self, vocabulary=64, width=32):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.block = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.head(self.block(self.embed(tokens), src_mask=mask, is_causal=True))


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    dataset = language_data()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    model = DDP(LanguageModel())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        optimizer.zero_grad()
        for number, (x, y) in enumerate(loader, start=1):
            last = number % ACCUMULATE == 0
            context = contextlib.nullcontext()
            with context:
                loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()) / ACCUMULATE
                loss.backward()
            if last:
                optimizer.step()
                optimizer.zero_grad()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {loss.item() * ACCUMULATE:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
