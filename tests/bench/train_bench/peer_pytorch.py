# SPDX-License-Identifier: Apache-2.0
"""peer_pytorch.py WORKLOAD WORLD STEPS PORT [THREADS]: trains a workload of step_bench with PyTorch, DDP over Gloo, and
prints rank 0's steps per second and CPU microseconds per step, as step_bench does.

Uses the options of PyTorch that make it faster with one line: fused optimizers, scaled_dot_product_attention,
channels_last for deep CNNs, gradient_as_bucket_view.
"""
import os
import sys
import time

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional

WORDS = 64


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.heads = heads

    def forward(self, x):
        batch, positions, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, positions, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(batch, positions, width))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, positions, width=128, depth=4, heads=4):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(WORDS, width), nn.Embedding(positions, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, WORDS)

    def forward(self, x):
        x = self.tokens(x) + self.positions(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(x))).flatten(0, 1)


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.downsample = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = functional.relu(self.bn1(self.conv1(x)), inplace=True)
        return functional.relu(self.bn2(self.conv2(y)) + self.downsample(x), inplace=True)


def residual(width=64, depth=2):
    layers, inputs = [nn.Conv2d(3, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)], width
    for stage in range(3):
        for block in range(depth):
            layers.append(BasicBlock(inputs, width * 2**stage, 2 if stage > 0 and block == 0 else 1))
            inputs = width * 2**stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 10))


def simple_cnn():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 8 * 8, 512), nn.ReLU(), nn.Linear(512, 10))


def gelu_cnn():
    return nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.GELU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 5, padding=2), nn.GELU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 8 * 8, 10))


def mlp(*widths):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


IMAGE = (3, 32, 32)
# (model, samples per batch, shape of a sample, True for AdamW).
WORKLOADS = {
    "mlp": (lambda: mlp(64, 128, 10), 32, (64,), False),
    "mlp_1024": (lambda: mlp(1024, 4096, 4096, 10), 128, (1024,), False),
    "mlp_1024_adamw": (lambda: mlp(1024, 4096, 4096, 10), 128, (1024,), True),
    "cnn": (simple_cnn, 128, IMAGE, False),
    "cnn_b8": (simple_cnn, 8, IMAGE, False),
    "gelu_cnn": (gelu_cnn, 64, IMAGE, False),
    "residual": (residual, 32, IMAGE, False),
    "transformer": (lambda: Transformer(64), 16, 64, True),
    "transformer_256": (lambda: Transformer(256), 8, 256, True),
}


def optimizer_of(model, adamw):
    fused = {"fused": True} if int(torch.__version__.split(".")[0]) >= 2 else {}  # on CPUs since 2.4
    if adamw:
        return torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, **fused)
    return torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, **fused)


def batches_of(batch, shape, channels_last):
    count = 8
    if isinstance(shape, int):
        text = torch.randint(0, WORDS, (count, batch, shape + 1))
        return [(part[:, :-1].contiguous(), part[:, 1:].flatten()) for part in text]
    x = [torch.rand(batch, *shape) for _ in range(count)]
    if channels_last:
        x = [part.to(memory_format=torch.channels_last) for part in x]
    return [(part, torch.randint(0, 10, (batch,))) for part in x]


def train(rank, world, name, steps, port, threads, queue):
    torch.set_num_threads(threads)
    make_model, batch, shape, adamw = WORKLOADS[name]
    if world > 1:
        torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.manual_seed(0)
    channels_last = os.environ.get("PEER_CHANNELS_LAST", "0") == "1"
    model = make_model().to(memory_format=torch.channels_last) if channels_last else make_model()
    trained = model
    if world > 1:
        trained = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    optimizer = optimizer_of(model, adamw)
    batches = batches_of(batch, shape, channels_last)
    warm_up = max(2, steps // 10)
    for step in range(steps):
        if step == warm_up:
            begin, cpu = time.perf_counter(), time.process_time()
        x, y = batches[step % len(batches)]
        optimizer.zero_grad()
        functional.cross_entropy(trained(x), y).backward()
        optimizer.step()
    timed = steps - warm_up
    if rank == 0:
        queue.put((timed / (time.perf_counter() - begin), (time.process_time() - cpu) / timed * 1e6))


def main():
    name, world, steps, port = sys.argv[1], *map(int, sys.argv[2:5])
    threads = int(sys.argv[5]) if len(sys.argv) > 5 else max(1, len(os.sched_getaffinity(0)) // world)
    os.environ["OMP_NUM_THREADS"] = str(threads)  # limits the threads of BLAS, which torch.set_num_threads() does not
                                                  # limit
    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    ranks = [context.Process(target=train, args=(rank, world, name, steps, port, threads, queue)) for rank in range(world)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    if any(rank.exitcode for rank in ranks):
        sys.exit(1)
    print("%.2f %.2f" % queue.get())


if __name__ == "__main__":
    main()
