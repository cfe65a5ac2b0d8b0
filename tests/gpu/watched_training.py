# SPDX-License-Identifier: Apache-2.0
"""A PyTorch script that trains on a GPU, for tests/gpu/watch_check.py. It is independent of the watch.

Arguments: MODE STEPS. Prints the hash of the weights, and writes to the file in the variable TRUTH, if it is set, the
losses of all steps, the samples of each step and the median step time without the first fifth of the steps.
"""
import hashlib
import json
import os
import statistics
import sys
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # deterministic cuBLAS

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402
from torch.utils.data.distributed import DistributedSampler  # noqa: E402

MODE, STEPS = sys.argv[1], int(sys.argv[2])
SAMPLES, BATCH = 640, 32


class Images(Dataset):
    """Images that also return their index."""

    def __init__(self):
        generator = torch.Generator().manual_seed(3)
        self.images = torch.randn(SAMPLES, 3, 32, 32, generator=generator)
        self.labels = torch.randint(0, 10, (SAMPLES,), generator=generator)

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        return self.images[index], self.labels[index], index


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(4),
                                  nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(4))
        self.head = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


def wrap(model):
    if MODE in ("ddp", "gloo"):
        return nn.parallel.DistributedDataParallel(model)
    if MODE == "fsdp":
        from torch.distributed.fsdp import fully_shard
        fully_shard(model.body)
        fully_shard(model.head)
        fully_shard(model)
    return torch.compile(model) if MODE == "compile" else model


def write_truth(losses, samples, times):
    path = os.environ.get("TRUTH")
    if not path:
        return
    kept = times[len(times) // 5:]
    with open("%s-%s" % (path, os.environ.get("RANK", "0")), "w") as file:
        json.dump({"losses": [float(one) for one in losses], "samples": samples, "step_ms": statistics.median(kept) * 1e3},
                  file)


def main():
    torch.backends.cudnn.deterministic = True
    distributed = MODE in ("ddp", "gloo", "fsdp")
    if distributed:
        dist.init_process_group("gloo" if MODE == "gloo" else "nccl")
    torch.cuda.set_device(0)
    torch.manual_seed(1)
    data = Images()
    model = wrap(Network().cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda", enabled=MODE == "fp16")
    sampler = DistributedSampler(data, seed=5) if distributed else None
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler, shuffle=sampler is None, drop_last=True, pin_memory=True,
                        num_workers=2 if MODE == "workers" else 0, persistent_workers=MODE == "workers",
                        generator=torch.Generator().manual_seed(7))
    losses, samples, times, epoch = [], [], [], 0
    while len(losses) < STEPS:
        if sampler:
            sampler.set_epoch(epoch)
        epoch += 1
        for x, y, index in loader:
            start = time.perf_counter()
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            with torch.autocast("cuda", torch.float16 if MODE == "fp16" else torch.bfloat16,
                                enabled=MODE in ("fp16", "bf16")):
                loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.detach())
            samples.append(index.tolist())
            if len(losses) == STEPS:
                break
            if STEPS > 100:
                torch.cuda.synchronize()
                times.append(time.perf_counter() - start)
    if MODE == "abrupt":
        os.environ.pop("TRUTH", None)
        return  # ends without waiting for the GPU
    sha = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        value = value.full_tensor() if hasattr(value, "full_tensor") else value
        sha.update(name.encode() + value.detach().float().cpu().numpy().tobytes())
    sys.stdout.write("weights %s\n" % sha.hexdigest()[:24])
    sys.stdout.flush()
    write_truth(losses, samples, times or [0])
    if distributed:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
