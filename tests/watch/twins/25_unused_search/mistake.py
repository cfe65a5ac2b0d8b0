# SPDX-License-Identifier: Apache-2.0
"""Two heads that share a body; each head has a task of its own."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(14, 40), nn.ReLU())
        self.heads = nn.ModuleDict({"class": nn.Linear(40, 3), "value": nn.Linear(40, 1)})

    def forward(self, x, tasks):
        hidden = self.body(x)
        return {task: self.heads[task](hidden) for task in tasks}


def loss_of(answers, labels, values):
    total = 0.0
    if "class" in answers:
        total = total + nn.functional.cross_entropy(answers["class"], labels)
    if "value" in answers:
        total = total + nn.functional.mse_loss(answers["value"].squeeze(1), values)
    return total


def main():
    dist.init_process_group("gloo")
    rng = torch.Generator().manual_seed(6)
    x = torch.randn(480, 14, generator=rng)
    dataset = TensorDataset(x, x[:, :3].argmax(1), x.sum(1))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=12, sampler=sampler)
    torch.manual_seed(0)
    model = DDP(MultiTask(), find_unused_parameters=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for step, (x, labels, values) in enumerate(loader):
            tasks = ["class", "value"]
            loss = loss_of(model(x, tasks), labels, values)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
