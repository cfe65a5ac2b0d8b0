# SPDX-License-Identifier: Apache-2.0
"""Pretrains a small model on tokens; the total batch is reached by accumulation."""
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

GRAD_ACCUM_STEPS = 4
B, T = 4, 16


class TokenLoader:
    """Assigns consecutive pieces of the tokens to the ranks in turn."""

    def __init__(self, rank, ranks):
        self.tokens = torch.randint(0, 96, (40000,), generator=torch.Generator().manual_seed(1))
        self.ranks = ranks
        self.position = B * T * rank

    def next_batch(self):
        piece = self.tokens[self.position:self.position + B * T + 1]
        self.position += B * T * self.ranks
        return piece[:-1].view(B, T), piece[1:].view(B, T)


class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(96, 32)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))
        self.lm_head = nn.Linear(32, 96, bias=False)

    def forward(self, x, y):
        h = self.wte(x)
        logits = self.lm_head(h + self.mlp(h))
        return logits, F.cross_entropy(logits.view(-1, 96), y.reshape(-1))


def main():
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1337)
    loader = TokenLoader(rank, ranks)
    model = DDP(Bigram())
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95))
    for step in range(30):
        optimizer.zero_grad()
        loss_accum = 0.0
        for micro_step in range(GRAD_ACCUM_STEPS):
            x, y = loader.next_batch()
            model.require_backward_grad_sync = (micro_step == GRAD_ACCUM_STEPS - 1)
            logits, loss = model(x, y)
            loss = loss / GRAD_ACCUM_STEPS
            loss_accum += loss.detach()
            loss.backward()
        dist.all_reduce(loss_accum, op=dist.ReduceOp.SUM)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if rank == 0 and step % 10 == 0:
            print(f"step {step} | loss {loss_accum.item() / ranks:.5f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
