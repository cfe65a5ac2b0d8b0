# SPDX-License-Identifier: Apache-2.0
"""peer_pytorch.py RANKS: prints the wall clock at the end of the first step of PyTorch DDP over Gloo."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, ranks):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    trained = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    torch.nn.functional.cross_entropy(trained(torch.rand(32, 64)), torch.randint(0, 10, (32,))).backward()
    optimizer.step()
    if rank == 0:
        print(time.time(), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.update(MASTER_ADDR="127.0.0.1", GLOO_SOCKET_IFNAME="lo")
    mp.spawn(run, args=(int(sys.argv[1]),), nprocs=int(sys.argv[1]))
