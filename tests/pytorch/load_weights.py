# SPDX-License-Identifier: Apache-2.0
"""load_weights.py BIN_DIR DIGITS: trains with Ringside, loads the final weights into PyTorch and validates there.

The weights are read by the safetensors package where it is installed, and by a few lines here in any case.
"""
import csv
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch

RANKS = 2
EPOCHS = 3


def train(bin_dir, run):
    command = [bin_dir / "ringsidectl", "run", "--quiet", "--out", run, "--set", f"training.epochs={EPOCHS}",
               "--set", f"parallel.world_size={RANKS}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)
    return json.loads((run / "summary.json").read_text())


def read_by_hand(path):
    """Reads a safetensors file: the length of the header, the header as JSON, and the numbers."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    weights, end = {}, 0
    for name, entry in json.loads(content[8:start]).items():
        if name == "__metadata__":
            continue
        assert entry["dtype"] == "F32", entry
        first, last = entry["data_offsets"]
        weights[name] = numpy.frombuffer(content[start + first:start + last], "<f4").reshape(entry["shape"])
        end = max(end, start + last)
    assert end == len(content)
    return weights


def read_by_package(path):
    try:
        from safetensors.numpy import load_file
    except ImportError:
        print("safetensors is not installed: read by hand only")
        return None
    return load_file(path)


def validation_part(digits):
    """Returns the validation samples, split as documented: a fifth of a permutation seeded with 0."""
    with gzip.open(digits, "rt") as file:
        rows = torch.tensor([[float(cell) for cell in row] for row in csv.reader(file)])
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(0))
    part = rows[order[len(rows) - math.ceil(len(rows) * 0.2):]]
    return part[:, :64] / 16, part[:, 64].long()


def validate(weights, x, y):
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    model.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in weights.items()})  # strict
    with torch.no_grad():
        output = model(x)
    return (output.argmax(1) == y).sum().item(), torch.nn.functional.cross_entropy(output, y).item()


def main():
    bin_dir, digits = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        run = pathlib.Path(scratch) / "run"
        summary = train(bin_dir, run)
        path = sorted((run / "checkpoints").glob("step-*"))[-1] / "model.safetensors"
        weights, packaged = read_by_hand(path), read_by_package(path)
    if packaged is not None:
        assert packaged.keys() == weights.keys()
        assert all(numpy.array_equal(packaged[name], weights[name]) for name in weights)
    hits, loss = validate(weights, *validation_part(digits))
    expected = summary["final"]["val_exact"]
    assert hits == round(expected["accuracy"] * expected["samples"]), (hits, expected)
    assert abs(loss - expected["loss"]) < 1e-5, (loss, expected)
    print(f"{hits} of {expected['samples']} right, loss {loss:.6f}: as in the run")


if __name__ == "__main__":
    main()
