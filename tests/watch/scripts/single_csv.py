# SPDX-License-Identifier: Apache-2.0
"""A classifier in one process, without torch.distributed: a table from a CSV text, validation, a scheduler."""
import csv
import io
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from truth import Truth


class Table(Dataset):
    def __init__(self, rows):
        text = io.StringIO("\n".join("%d,%d,%d" % (i, i * 7 % 11, (i * 7 % 11) > 5) for i in range(rows)))
        self.rows = [[float(value) for value in row] for row in csv.reader(text)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        truth.read(index)
        first, second, label = self.rows[index]
        return torch.tensor([first / 100, second / 11]), torch.tensor(label)


truth = Truth()
torch.manual_seed(3)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
workers = int(os.environ.get("WORKERS", "0"))
training = DataLoader(Table(50), batch_size=8, shuffle=True, num_workers=workers)
validation = DataLoader(Table(20), batch_size=8)
for epoch in range(2):
    model.train()
    for x, y in training:
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        loss.backward()
        truth.trained(x, loss, optimizer.param_groups[0]["lr"])
        optimizer.step()
    model.eval()
    with torch.no_grad():
        total = sum(float(model(x).sum()) for x, _ in validation)
    scheduler.step()
    print(json.dumps({"epoch": epoch, "total": total}))
truth.done(model)
