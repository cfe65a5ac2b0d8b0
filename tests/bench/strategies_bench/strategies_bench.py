# SPDX-License-Identifier: Apache-2.0
"""Compares sharded and pipelined training with PyTorch's fully_shard and torch.distributed.pipelining over Gloo. Runs
both alternately.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "train_bench"))
import train_bench  # noqa: E402

BATCH_64 = "loader.batch_size=64"
PIPELINE = ("parallel.strategy=pipeline", "pipeline.schedule=1f1b", "pipeline.micro_batches=8", BATCH_64)
# Name: (workload, ranks, steps of Ringside, steps of PyTorch, settings, strategy and batch of PyTorch).
CASES = {
    "fsdp, MLP 64-128-10": ("mlp", 4, 20000, 800, ("parallel.strategy=fsdp",), ("fsdp", 32)),
    "fsdp, MLP 1024-4096-4096-10": ("mlp_1024", 2, 24, 16, ("parallel.strategy=fsdp", BATCH_64), ("fsdp", 64)),
    "ddp, MLP 1024-4096-4096-10": ("mlp_1024", 2, 24, 16, (BATCH_64,), ("ddp", 64)),
    "1f1b, MLP 1024-4096-4096-10": ("mlp_1024", 2, 24, 16, PIPELINE, ("1f1b", 64)),
}


def has_peer():
    """True if PyTorch has fully_shard, which exists since 2.6."""
    code = "from torch.distributed.fsdp import fully_shard"
    return subprocess.run([train_bench.peer_python(), "-c", code], capture_output=True).returncode == 0


def compare(program, name, rounds, scale):
    """Returns the best steps per second of Ringside and of PyTorch."""
    workload, ranks, ours, theirs, settings, (strategy, batch) = CASES[name]
    ours, theirs = (max(10, int(steps * scale)) for steps in (ours, theirs))
    best = [0.0, 0.0]
    for turn in range(rounds):
        port = 30500 + 10 * list(CASES).index(name) + turn
        best[0] = max(best[0], train_bench.measure([program, ranks, ours, workload, 0, *settings], None)[0])
        best[1] = max(best[1], train_bench.measure([train_bench.peer_python(), HERE / "peer_strategies.py", strategy, workload,
                                                    batch, ranks, theirs, port], None)[0])
    return best


def idle_shares(program, steps):
    """Returns the idle share of 1F1B with two equal stages and 8 micro-batches, measured from spans; the formula gives
    1/9. Each stage has two of four large layers. The first layer, whose backward pass computes only the gradients of
    its weights, is small.
    """
    settings = ["dataset.kind=synthetic", "dataset.shape=blobs", "dataset.size=2000", "dataset.features=64",
                "model.hidden=[2048,2048,2048,2048,2048]", "parallel.world_size=2", "loader.drop_last=true", "optimizer.lr=0.001",
                f"training.max_steps={steps}", "telemetry.trace=phases", "parallel.device=cpu", *PIPELINE]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([program, "run", "--quiet", "--out", scratch + "/run",
                        *(word for setting in settings for word in ("--set", setting))], check=True, capture_output=True)
        return json.loads(pathlib.Path(scratch, "run/summary.json").read_text())["idle_share"]
