# SPDX-License-Identifier: Apache-2.0
"""Trains with a cosine schedule and accumulation."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATION, EPOCHS = 4, 3


def pairs(count=640):
    rng = torch.Generator().manual_seed(25)
    x = torch.randn(count, 20, generator=rng)
    return TensorDataset(x, torch.tanh(x @ torch.randn(20, 5, generator=rng)))


def main():
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=ACCUMULATION)
    torch.manual_seed(4)
    loader = DataLoader(pairs(), batch_size=10, shuffle=True)
    model = nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS * len(loader) // ACCUMULATION)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for epoch in range(EPOCHS):
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch} loss {loss.item():.4f} lr {scheduler.get_last_lr()[0]:.2e}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
