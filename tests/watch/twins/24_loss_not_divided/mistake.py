# SPDX-License-Identifier: Apache-2.0
"""A sparse autoencoder with a large effective batch."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

GRADIENT_ACCUMULATION_STEPS = 8


class SparseAutoencoder(nn.Module):
    def __init__(self, width=32, dictionary=96):
        super().__init__()
        self.encoder = nn.Linear(width, dictionary)
        self.decoder = nn.Linear(dictionary, width, bias=False)

    def forward(self, x):
        code = torch.relu(self.encoder(x))
        return self.decoder(code), code


def criterion(x, reconstruction, code):
    return (reconstruction - x).pow(2).mean() + 1e-3 * code.abs().mean()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(3)
    activations = torch.randn(1024, 32)
    dataset = TensorDataset(activations)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    model = DDP(SparseAutoencoder())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for number, (x,) in enumerate(loader):
            sync = (number + 1) % GRADIENT_ACCUMULATION_STEPS == 0
            model.require_backward_grad_sync = sync
            reconstruction, code = model(x)
            loss = criterion(x, reconstruction, code)
            loss.backward()
            if sync:
                optimizer.step()
                optimizer.zero_grad()
        if dist.get_rank() == 0:
            print("epoch", epoch, "reconstruction", (reconstruction - x).pow(2).mean().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
