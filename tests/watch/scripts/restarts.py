# SPDX-License-Identifier: Apache-2.0
"""Trains with DDP; at the first attempt of torchrun the last rank fails after four steps: torchrun --max-restarts 1.

It ends without a last report, or with FAIL=raise by an exception, so that all its steps are reported.
"""
import hashlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from truth import end_process

ATTEMPT = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(5)
    data = TensorDataset(torch.randn(80, 4), torch.randn(80, 1))
    sampler = DistributedSampler(data)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, (x, y) in enumerate(DataLoader(data, batch_size=4, sampler=sampler)):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        if ATTEMPT == 0 and dist.get_rank() == dist.get_world_size() - 1 and step == 3:
            if os.environ.get("FAIL") == "raise":
                raise RuntimeError("the first attempt fails on purpose")
            os._exit(3)
    weights = b"".join(one.detach().numpy().tobytes() for one in model.parameters())
    print("weights " + hashlib.sha256(weights).hexdigest()[:16], flush=True)
    dist.destroy_process_group()
    end_process()


if __name__ == "__main__":
    main()
