# SPDX-License-Identifier: Apache-2.0
"""Runs one small training that reaches every hook, once for each way in which a hook can fail.

FAILURES: "kind" raises in the queue for one kind of observation, "function" in one function of the package, "hook" in
everything that one hook calls. Without it the training runs once. Prints the hash of the weights of each run.
"""
import hashlib
import importlib
import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.tensorboard import SummaryWriter

from truth import end_process

KINDS = ("fact", "batch", "pass_end", "backward", "optimizer", "scheduler", "collective", "logged", "synchronized",
         "ddp", "skipped", "hook_failed")
FUNCTIONS = ("samplers.describe_loader", "samplers.describe_pass", "samplers.describe", "datasets.describe",
             "datasets.fingerprint_batch", "datasets.checksum", "places.user_line", "places.relative", "scalars.read",
             "replicas.parameters_of", "replicas.checksum", "losses._user_line", "collectives.group_number",
             "data_parallel.describe", "data_parallel.gradient_bytes", "optimizers._learning_rate", "clipping._clipped",
             "losses._names_of", "unoptimized._check", "report.whole_numbers", "epochs.add_to_hash", "traces.trace",
             "steps_report.combined")
IN_SENDER = FUNCTIONS[-4:]  # these run in the sender thread


def train():
    torch.manual_seed(14)
    x, y = torch.randn(32, 4), torch.randn(32, 1)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
        for step, (a, b) in enumerate(DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)):
            loss = nn.functional.mse_loss(model(a), b)
            if step == 2:
                loss = loss * float("inf")
            scaler.scale(loss).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1e6)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            scheduler.step()
            total = torch.ones(1)
            dist.all_reduce(total)
            writer.add_scalar("loss", loss.item(), step)
    weights = b"".join(one.detach().numpy().tobytes() for one in model.parameters())
    print(hashlib.sha256(weights).hexdigest()[:24], flush=True)


def fail_in_spawned_process(rank):
    raise ValueError("fails on purpose")


def use_the_rest(folder):
    """Reaches the hooks that train() does not reach. Prints nothing."""
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.pipelining import PipelineStage, ScheduleGPipe

    spawn = importlib.import_module("torch.multiprocessing.spawn")
    dist.destroy_process_group()
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    DistributedDataParallel(nn.Linear(2, 2)).float()
    sharded = fully_shard(nn.Linear(2, 2))
    sharded(torch.ones(1, 2)).sum().backward()
    dist.all_gather([torch.empty(1)], torch.ones(1))
    ScheduleGPipe(PipelineStage(nn.Linear(2, 2), 0, 1, torch.device("cpu")), 1)
    torch.save({}, os.path.join(folder, "checkpoint"))
    importlib.import_module("pytorch_lightning.core.module").LightningModule().log("loss", 1.0)
    try:
        spawn._wrap(fail_in_spawned_process, 0, (), os.path.join(folder, "error"))
    except SystemExit:
        pass


def make_lightning(folder):
    """Adds a package with the names of Lightning's to the path, because Lightning takes many seconds to load."""
    package = os.path.join(folder, "pytorch_lightning")
    os.makedirs(os.path.join(package, "core"))
    module = "class LightningModule:\n    def log(self, name, value):\n        pass\n"
    for path, text in (("__init__.py", ""), ("core/__init__.py", ""), ("core/module.py", module)):
        with open(os.path.join(package, path), "w") as file:
            file.write(text)
    sys.path.insert(0, folder)


def run_with_each_hook_broken():
    guard = importlib.import_module("ringside_watch.guard")
    with tempfile.TemporaryDirectory() as folder:
        make_lightning(folder)
        train()
        use_the_rest(folder)  # loads the modules of all hooks
        for name in sorted(guard.hooks, key=lambda one: one == "process"):
            break_hook(guard, name)
            count_steps_anew()
            train()
            use_the_rest(folder)
            if name != "process":  # its hook is reached at the end of the process
                del guard.hooks[name].call
            for hook in guard.hooks.values():
                hook.on = True


def count_steps_anew():
    """The hook of unoptimized parameters looks at them after certain numbers of steps."""
    importlib.import_module("ringside_watch.optimizers")._count["inside"] = 0


def break_hook(guard, name):
    def fail(*args):
        raise ArithmeticError(name + " fails")

    hook = guard.hooks[name]
    hook.call = lambda function, *args: guard.Hook.call(hook, fail, *args)


def break_kind(kind):
    observations = importlib.import_module("ringside_watch.observations")
    original = observations.note

    def note(*item):
        if item[0] == kind:
            raise ArithmeticError("the queue fails for " + kind)
        original(*item)

    observations.note = note
    return lambda: setattr(observations, "note", original)


def break_function(name):
    module_name, function = name.split(".")
    module = importlib.import_module("ringside_watch." + module_name)
    original = getattr(module, function)

    def fail(*args, **kwargs):
        raise ArithmeticError(name + " fails")

    setattr(module, function, fail)
    return lambda: setattr(module, function, original)


def wait_for_report_of(name):
    """The sender thread must have met the failure before it is repaired."""
    report = importlib.import_module("ringside_watch.process").Process.sender._report
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not any(name in text for text in list(report._failures)):
        time.sleep(0.005)


def main():
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["PORT"], RANK="0", WORLD_SIZE="1")
    dist.init_process_group("gloo")
    ways = {"kind": (break_kind, KINDS), "function": (break_function, FUNCTIONS)}.get(os.environ.get("FAILURES"))
    if os.environ.get("FAILURES") == "hook":
        run_with_each_hook_broken()
    elif ways is None:
        train()
    else:
        guard = importlib.import_module("ringside_watch.guard")
        for name in ways[1]:
            restore = ways[0](name)
            count_steps_anew()
            train()
            if name in IN_SENDER:
                wait_for_report_of(name)
            restore()
            for hook in guard.hooks.values():
                hook.on = True
    dist.destroy_process_group()
    end_process()


if __name__ == "__main__":
    main()
