# SPDX-License-Identifier: Apache-2.0
"""A classifier with Accelerate: prepared model, optimizer, loaders and scheduler, accumulation, gathered metrics."""
import os

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from truth import Truth, end_process


def main():
    accelerate = int(os.environ.get("ACCUMULATE", "1"))
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=accelerate)
    truth = Truth(accelerator.process_index)
    torch.manual_seed(8)
    x, y = torch.randn(103, 6), torch.randint(0, 3, (103,))
    loader = DataLoader(TensorDataset(x, y, torch.arange(103)), batch_size=8, shuffle=True)
    validation = DataLoader(TensorDataset(x[:30], y[:30]), batch_size=8)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.99)
    model, optimizer, loader, validation, scheduler = accelerator.prepare(model, optimizer, loader, validation,
                                                                          scheduler)
    indices = truth.more["indices"] = []
    for epoch in range(2):
        model.train()
        indices.append([])
        for batch, target, index in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(batch), target)
                accelerator.backward(loss)
                truth.trained(batch, loss, optimizer.param_groups[0]["lr"])
                indices[-1].append(index.tolist())
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        model.eval()
        seen = 0
        for batch, target in validation:
            with torch.no_grad():
                answer = model(batch)
            seen += len(accelerator.gather_for_metrics(answer.argmax(1)))
        accelerator.print("epoch %d seen %d" % (epoch, seen))
    truth.done(accelerator.unwrap_model(model))
    accelerator.end_training()
    end_process()


if __name__ == "__main__":
    main()
