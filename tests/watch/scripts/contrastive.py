# SPDX-License-Identifier: Apache-2.0
"""Learns embeddings by a contrastive loss over the features of all ranks. MODE selects how they are gathered."""
import os
import warnings

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as differentiable
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from truth import Truth, end_process


warnings.simplefilter("ignore", FutureWarning)


def put_back(features):
    gathered = [torch.zeros_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, features)
    gathered[dist.get_rank()] = features
    return torch.cat(gathered)


def with_gradient(features):
    return torch.cat(differentiable.all_gather(features))


def for_a_metric(features):
    put_back(features).std()
    return torch.cat([torch.zeros_like(features), 2 * features])  # joins the features with a queue


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    gather = {"put_back": put_back, "with_gradient": with_gradient, "for_a_metric": for_a_metric}[os.environ["MODE"]]
    truth = Truth(rank)
    torch.manual_seed(2)
    data = torch.randn(64, 12)
    dataset = TensorDataset(data, data + 0.1 * torch.randn(64, 12))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    model = DDP(nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 8)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for first, second in loader:
            one, two = F.normalize(model(torch.cat([first, second]))).chunk(2)
            one, two = one.contiguous(), two.contiguous()
            logits = gather(one) @ gather(two).t() / 0.2
            loss = F.cross_entropy(logits, torch.arange(len(logits)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    truth.done(model.module)
    dist.destroy_process_group()
    end_process()


main()
