# SPDX-License-Identifier: Apache-2.0
"""Runs the same experiment in PyTorch, for training_parity_test.cpp.

reference_training.py train SETTINGS.json  -> {"losses": [[rank 0, rank 1, ...] per step], "parameters": [...]}
reference_training.py gradients SETTINGS.json  -> {"initial": [...], "loss": .., "gradients": [...]} of a SimpleCNN
reference_training.py evaluate MODEL.safetensors  -> {"loss": .., "accuracy": ..} on the validation digits

Ranks run one after the other in this process: per-rank mean gradients, each multiplied by float(1/N), then summed, as
DistributedDataParallel does.
"""
import gzip
import json
import pathlib
import struct
import sys

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR
from torch.utils.data import DataLoader, TensorDataset, random_split
from torch.utils.data.distributed import DistributedSampler

DIGITS = pathlib.Path(__file__).resolve().parents[3] / "resources" / "data" / "digits.csv.gz"


def digits():
    with gzip.open(DIGITS, "rt") as file:
        rows = torch.tensor([[float(value) for value in line.split(",")] for line in file])
    whole = TensorDataset(rows[:, :64] / 16, rows[:, 64].long())
    return random_split(whole, [1437, 360], generator=torch.Generator().manual_seed(0))


def synthetic():
    torch.manual_seed(0)
    x, y = torch.randn(1024, 10), torch.randn(1024, 10)
    # 20 percent, rounded up, are kept for validation.
    return random_split(TensorDataset(x, y), [819, 205], generator=torch.Generator().manual_seed(0))


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))


class ToyModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(10, 10)

    def forward(self, x):
        return self.linear(x)


class SimpleCNN(torch.nn.Module):
    def __init__(self, channels=3, height=32, width=32, classes=10):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(channels, 32, 3, padding=1)
        self.conv2 = torch.nn.Conv2d(32, 64, 3, padding=1)
        self.pool = torch.nn.MaxPool2d(2)
        self.fc1 = torch.nn.Linear(64 * (height // 2 // 2) * (width // 2 // 2), 512)
        self.fc2 = torch.nn.Linear(512, classes)
        self.image = (channels, height, width)

    def forward(self, x):
        x = x.reshape(-1, *self.image)
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def make_model(name):
    return {"toy_linear": ToyModel, "mlp": mlp, "simple_cnn": lambda: SimpleCNN(1, 8, 8)}[name]()


def sequential(settings):
    """Returns the module for a list of layers. The input size of each layer is determined by running the layers before
    it.
    """
    layers, x = [], torch.zeros(1, *settings["image"])
    for entry in settings["layers"]:
        kind, width = entry["kind"], x.shape[1]
        layers.append({
            "linear": lambda: torch.nn.Linear(width, entry.get("out", settings["classes"])),
            "conv2d": lambda: torch.nn.Conv2d(width, entry["out"], entry["kernel"], entry.get("stride", 1),
                                              entry.get("padding", 0)),
            "max_pool2d": lambda: torch.nn.MaxPool2d(entry["kernel"]),
            "relu": torch.nn.ReLU, "gelu": torch.nn.GELU, "flatten": torch.nn.Flatten,
            "layer_norm": lambda: torch.nn.LayerNorm(width)}[kind]())
        x = layers[-1](x)
    return torch.nn.Sequential(*layers)


def gradients(settings):
    """Returns the initial weights and the gradients of the first batch: randn images of seed 5 with labels 0, 1, 2, ...
    """
    torch.manual_seed(0)
    model = sequential(settings) if "layers" in settings else SimpleCNN(*settings["image"], settings["classes"])
    initial = torch.cat([p.detach().flatten() for p in model.parameters()])
    torch.manual_seed(5)
    x = torch.randn(settings["rows"], *settings["image"])
    loss = torch.nn.functional.cross_entropy(model(x), torch.arange(settings["rows"]) % settings["classes"])
    loss.backward()
    return {"initial": initial.tolist(), "loss": loss.item(),
            "gradients": torch.cat([p.grad.flatten() for p in model.parameters()]).tolist()}


def average_gradients(model, loss_of, batches, accumulate):
    """Runs the backward passes of each rank's micro-batches. Leaves the average gradients in .grad and returns the
    losses of the ranks.
    """
    losses, share = [], 1 / len(batches)
    total = [torch.zeros_like(p) for p in model.parameters()]
    for micro_batches in batches:
        model.zero_grad()
        loss_sum = 0
        for x, y in micro_batches:
            loss = loss_of(model(x), y)
            (loss / accumulate).backward()
            loss_sum += loss.item() * len(x)
        losses.append(loss_sum / sum(len(x) for x, _ in micro_batches))
        for sum_, parameter in zip(total, model.parameters()):
            sum_ += parameter.grad * share
    for sum_, parameter in zip(total, model.parameters()):
        parameter.grad = sum_
    return losses


def train(settings):
    toy = settings["model"] == "toy_linear"
    training, _ = synthetic() if toy else digits()
    loss_of = torch.nn.MSELoss() if toy else torch.nn.CrossEntropyLoss()
    torch.manual_seed(settings["seed"])
    model = make_model(settings["model"])
    optimizers = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
    optimizer = optimizers[settings["optimizer"]](model.parameters(), **settings["options"])
    schedulers = []
    if settings["warmup_epochs"]:
        schedulers.append(LinearLR(optimizer, total_iters=settings["warmup_epochs"]))
    if settings["cosine"]:
        schedulers.append(CosineAnnealingLR(optimizer, settings["epochs"]))
    accumulate = settings["accumulate_steps"]
    world = settings["world_size"]
    samplers = [DistributedSampler(training, world, rank, seed=settings["seed"]) for rank in range(world)]
    loaders = [DataLoader(training, settings["batch_size"], sampler=sampler) for sampler in samplers]
    losses = []
    for epoch in range(settings["epochs"]):
        for sampler in samplers:
            sampler.set_epoch(epoch)
        micro_batches = [list(loader) for loader in loaders]
        for first in range(0, len(micro_batches[0]), accumulate):
            batches = [rank[first:first + accumulate] for rank in micro_batches]
            losses.append(average_gradients(model, loss_of, batches, accumulate))
            if settings["clip_grad_norm"]:
                torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip_grad_norm"])
            optimizer.step()
        for scheduler in schedulers:
            scheduler.step()
    parameters = torch.cat([p.detach().flatten() for p in model.parameters()])
    return {"losses": losses, "parameters": parameters.tolist()}


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header, values = json.loads(data[8:8 + length]), data[8 + length:]
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = torch.frombuffer(bytearray(values[begin:end]), dtype=torch.float32).reshape(entry["shape"])
    return tensors


def evaluate(path):
    model = mlp()
    model.load_state_dict(read_safetensors(path))
    _, validation = digits()
    x, y = next(iter(DataLoader(validation, len(validation))))
    output = model(x)
    loss = torch.nn.functional.cross_entropy(output, y)
    return {"loss": loss.item(), "accuracy": (output.argmax(1) == y).float().mean().item()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    command, argument = sys.argv[1:]
    if command == "evaluate":
        print(json.dumps(evaluate(argument)))
    else:
        settings = json.loads(pathlib.Path(argument).read_text())
        print(json.dumps(train(settings) if command == "train" else gradients(settings)))
