# SPDX-License-Identifier: Apache-2.0
"""Mixed precision with GradScaler and gradient clipping."""
import torch
import torch.distributed as dist
from torch import nn
from torch.amp import GradScaler
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils import clip_grad_norm_ as clip
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def graphs(count=480):
    rng = torch.Generator().manual_seed(66)
    x = torch.randn(count, 5, 10, generator=rng)
    return TensorDataset(x, x.mean((1, 2)))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.node = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32))
        self.out = nn.Linear(32, 1)

    def forward(self, nodes):
        return self.out(self.node(nodes).mean(1)).squeeze(1)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    dataset = graphs()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=12, sampler=sampler)
    model = DDP(Encoder())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = GradScaler("cpu", init_scale=2.0 ** 40, growth_interval=50)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for nodes, value in loader:
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                prediction = model(nodes)
            loss = nn.functional.mse_loss(prediction.float(), value)
            scaler.scale(loss).backward()
            clip(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {loss.item():.5f} scale {scaler.get_scale():.0f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
