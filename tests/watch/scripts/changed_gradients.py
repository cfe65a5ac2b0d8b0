# SPDX-License-Identifier: Apache-2.0
"""Accumulates gradients under DistributedDataParallel: changed_gradients.py. MODE selects what happens to the gradients
between the backward pass and the optimizer step.
"""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

from truth import Truth, end_process

mode = os.environ["MODE"]
dist.init_process_group("gloo")
torch.manual_seed(3 + dist.get_rank())
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
if mode.startswith("sharded"):
    model = fully_shard(net)
else:
    model = DistributedDataParallel(net, gradient_as_bucket_view=mode == "bucket_view")
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, fused="fused" in mode)
if mode == "closure":
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.01, max_iter=2)
scaler = torch.amp.GradScaler("cpu", init_scale=4.0, enabled="scaler" in mode)


def backward():
    loss = nn.functional.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)) / 2
    scaler.scale(loss).backward()
    return loss


def closure():
    optimizer.zero_grad()
    return backward()


for step in range(5):
    if mode == "closure":
        optimizer.step(closure)
        continue
    for _ in range(2):
        backward()
    if "unscaled" in mode:
        scaler.unscale_(optimizer)
    if mode == "divided" and step == 2:
        for one in net.parameters():
            one.grad /= 4
    if mode == "replaced":
        for one in net.parameters():
            one.grad = one.grad / 4
    if "clipped" in mode:
        nn.utils.clip_grad_norm_(net.parameters(), 0.01, foreach="foreach" in mode)
        nn.utils.clip_grad_value_(net.parameters(), 0.001)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=mode != "bucket_view")
if not mode.startswith("sharded"):
    Truth(dist.get_rank()).done(net)
dist.destroy_process_group()
end_process()
