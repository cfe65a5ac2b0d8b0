# SPDX-License-Identifier: Apache-2.0
"""An autoencoder for sensor readings."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

CONFIG = {"nodes": 1, "gpus_per_node": 4, "epochs": 3, "batch_size": 16, "lr": 2e-3}


class Autoencoder(nn.Module):
    def __init__(self, width=24, code=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, 16), nn.ReLU(), nn.Linear(16, code))
        self.decoder = nn.Sequential(nn.Linear(code, 16), nn.ReLU(), nn.Linear(16, width))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def readings(count=960):
    rng = torch.Generator().manual_seed(21)
    base = torch.randn(count, 6, generator=rng)
    return TensorDataset(base @ torch.randn(6, 24, generator=rng))


def build_loader(dataset, config):
    world_size = config["nodes"] * config["gpus_per_node"]
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=dist.get_rank(), seed=4)
    return DataLoader(dataset, batch_size=config["batch_size"], sampler=sampler, drop_last=True), sampler


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(4)
    dataset = readings()
    loader, sampler = build_loader(dataset, CONFIG)
    model = DDP(Autoencoder())
    optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
    for epoch in range(CONFIG["epochs"]):
        sampler.set_epoch(epoch)
        losses = []
        for (x,) in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), x)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        mean = torch.stack(losses).mean()
        dist.all_reduce(mean)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} reconstruction {mean.item() / dist.get_world_size():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
