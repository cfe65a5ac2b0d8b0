# SPDX-License-Identifier: Apache-2.0
"""A small transformer under fully_shard (FSDP2) with gradient clipping."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from truth import Truth, end_process

LAYERS = 2


def main():
    dist.init_process_group("gloo")
    truth = Truth(dist.get_rank())
    torch.manual_seed(2)
    tokens = torch.randint(0, 50, (64, 12))
    model = nn.Sequential(nn.Embedding(50, 32), *[nn.TransformerEncoderLayer(32, 2, 64, batch_first=True)
                                                  for _ in range(LAYERS)], nn.Linear(32, 50))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for layer in model:
        if isinstance(layer, nn.TransformerEncoderLayer):
            fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.002)
    dataset = TensorDataset(tokens, torch.arange(64))
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset))
    indices = truth.more["indices"] = [[]]
    for x, index in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), x.flatten())
        loss.backward()
        truth.trained(x, loss, optimizer.param_groups[0]["lr"])
        indices[0].append(index.tolist())
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    truth.done(model)
    dist.destroy_process_group()
    end_process()


if __name__ == "__main__":
    main()
