# SPDX-License-Identifier: Apache-2.0
"""Deeper models in PyTorch, for deeper_models_test.cpp.

reference_models.py pass SETTINGS.json -> initial weights, loss, gradients and buffers of one training pass, then the loss
in evaluation mode
reference_models.py train SETTINGS.json -> losses of SGD steps on that one batch
reference_models.py count SETTINGS.json -> number of parameters, names of the state_dict
"""
import json
import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(x)) + shortcut)


class ResidualCNN(nn.Module):
    def __init__(self, channels, classes, width, depth):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        inputs = width
        for stage in range(3):
            outputs, blocks = width * 2**stage, []
            for block in range(depth):
                blocks.append(BasicBlock(inputs, outputs, 2 if stage > 0 and block == 0 else 1))
                inputs = outputs
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean((2, 3)))


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        batch, positions, width = x.shape
        q, k, v = self.qkv(x).view(batch, positions, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        later = torch.ones(positions, positions, dtype=torch.bool).triu(1)
        shares = scores.masked_fill(later, -torch.inf).softmax(-1)
        return self.proj((shares @ v).transpose(1, 2).reshape(batch, positions, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = CausalSelfAttention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, words, positions, width, depth, heads):
        super().__init__()
        self.token_embedding = nn.Embedding(words, width)
        self.position_embedding = nn.Embedding(positions, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words)

    def forward(self, x):
        x = self.token_embedding(x) + self.position_embedding(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(x)))


class Residual(nn.Module):
    """The residual block of a list of layers."""

    def __init__(self, body, shortcut):
        super().__init__()
        self.body, self.shortcut = body, shortcut

    def forward(self, x):
        return self.body(x) + (self.shortcut(x) if self.shortcut else x)


class GlobalAveragePool(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


def sequential(layers, x, classes):
    """Returns the module for a list of layers, and its output for x."""
    modules = []
    for entry in layers:
        kind, width = entry["kind"], x.shape[1]
        if kind == "residual":
            body, _ = sequential(entry["layers"], x, classes)
            shortcut = sequential(entry["shortcut"], x, classes)[0] if entry.get("shortcut") else None
            modules.append(Residual(body, shortcut))
        else:
            modules.append({
                "linear": lambda: nn.Linear(width, entry.get("out", classes)),
                "conv2d": lambda: nn.Conv2d(width, entry["out"], entry["kernel"], entry.get("stride", 1),
                                            entry.get("padding", 0), bias=entry.get("bias", True)),
                "batch_norm2d": lambda: nn.BatchNorm2d(width), "layer_norm": lambda: nn.LayerNorm(width),
                "relu": nn.ReLU, "gelu": nn.GELU, "flatten": nn.Flatten, "dropout": lambda: nn.Dropout(0),
                "max_pool2d": lambda: nn.MaxPool2d(entry["kernel"]),
                "global_average_pool": GlobalAveragePool}[kind]())
        state = torch.get_rng_state()
        with torch.no_grad():
            x = modules[-1].eval()(x)
        modules[-1].train()
        torch.set_rng_state(state)
    return nn.Sequential(*modules), x


def make(settings):
    """Returns the model and one batch for it: randn images of seed 5 with labels 0, 1, 2, ..., or tokens (7 i + 3 t + t
    t) mod V.
    """
    classes, rows = settings["classes"], settings["rows"]
    torch.manual_seed(0)
    if settings["model"] == "transformer":
        positions = settings["positions"]
        model = Transformer(classes, positions, settings["width"], settings["depth"], settings["heads"])
        i, t = torch.arange(rows)[:, None], torch.arange(positions + 1)[None]
        tokens = (7 * i + 3 * t + t * t) % classes
        return model, tokens[:, :-1], tokens[:, 1:].flatten()
    if settings["model"] == "residual_cnn":
        model = ResidualCNN(settings["image"][0], classes, settings["width"], settings["depth"])
    else:
        model, _ = sequential(settings["layers"], torch.zeros(1, *settings["image"]), classes)
    torch.manual_seed(5)
    return model, torch.randn(rows, *settings["image"]), torch.arange(rows) % classes


def loss_of(model, x, y):
    output = model(x)
    return functional.cross_entropy(output.reshape(-1, output.shape[-1]), y)


def flat(tensors):
    return torch.cat([tensor.detach().flatten().float() for tensor in tensors]).tolist()


def one_pass(model, x, y):
    initial = flat(model.parameters())
    loss = loss_of(model, x, y)
    loss.backward()
    result = {"initial": initial, "loss": loss.item(), "gradients": flat(p.grad for p in model.parameters()),
              "buffers": flat([torch.zeros(0), *model.buffers()])}
    model.eval()
    return {**result, "evaluated": loss_of(model, x, y).item()}


def train(settings, model, x, y):
    precision = {"float": torch.float32, "double": torch.float64}[settings["precision"]]
    model = model.to(precision)
    x = x.to(precision) if x.is_floating_point() else x
    optimizer = torch.optim.SGD(model.parameters(), lr=settings["lr"], momentum=0.9)
    losses = []
    for _ in range(settings["steps"]):
        optimizer.zero_grad()
        loss = loss_of(model, x, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses}


def main():
    torch.set_num_threads(1)
    command, argument = sys.argv[1:]
    settings = json.loads(pathlib.Path(argument).read_text())
    parts = make(settings)
    if command == "count":
        model = parts[0]
        answer = {"parameters": sum(p.numel() for p in model.parameters()), "names": list(model.state_dict())}
    else:
        answer = one_pass(*parts) if command == "pass" else train(settings, *parts)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
