# SPDX-License-Identifier: Apache-2.0
"""Installs all hooks of this process."""
import os

from . import importing, observations
from .observations import Watching

# Module that is patched after its import -> functions of this package that patch it.
PATCHES = (
    ("torch.utils.data.distributed", "created", "patch_sampler"),
    ("torch.utils.data.dataloader", "loaders", "patch"),
    ("torch.utils.data.dataloader", "created", "patch_loader"),
    ("torch.utils.data.dataset", "created", "patch_subset"),
    ("torch.nn.modules.module", "created", "patch_module"),
    ("accelerate.data_loader", "loaders", "patch_accelerate"),
    ("torch.optim.optimizer", "optimizers", "patch"),
    ("torch.optim.lr_scheduler", "optimizers", "patch_schedulers"),
    ("torch.autograd", "losses", "patch_autograd"),
    ("torch._tensor", "losses", "patch_tensor"),
    ("torch.amp.grad_scaler", "losses", "patch_scaler"),
    ("torch.cuda.amp.grad_scaler", "losses", "patch_scaler"),
    ("torch.nn.utils.clip_grad", "clipping", "patch"),
    ("torch.nn.parallel.distributed", "data_parallel", "patch"),
    ("torch.nn.modules.module", "data_parallel", "patch_module"),
    ("torch.distributed.fsdp._fully_shard._fsdp_param_group", "fully_sharded", "patch"),
    ("torch.distributed._composable.fsdp._fsdp_param_group", "fully_sharded", "patch"),
    ("torch.distributed.fsdp._fully_shard._fully_shard", "fully_sharded", "patch_function"),
    ("torch.distributed.fsdp.fully_sharded_data_parallel", "fully_sharded", "patch_old"),
    ("torch.distributed.distributed_c10d", "collectives", "patch"),
    ("torch.distributed._functional_collectives", "collectives", "patch_functional"),
    ("torch.distributed.pipelining.schedules", "pipelines", "patch"),
    ("torch.multiprocessing.spawn", "failures", "patch_spawn"),
    ("torch.utils.tensorboard.writer", "logged", "patch_tensorboard"),
    ("tensorboardX.writer", "logged", "patch_tensorboard"),
    ("lightning.pytorch.core.module", "logged", "patch_lightning"),
    ("pytorch_lightning.core.module", "logged", "patch_lightning"),
    ("torch.serialization", "tensors", "patch_save"),
    ("torch", "losses", "patch_compile"),
    ("torch", "failures", "patch_torch"),
)


def _patching(module, function):
    """Returns a function that patches a module. It imports the code of the patch only when it is called."""

    def apply(patched):
        import importlib

        getattr(importlib.import_module("ringside_watch." + module), function)(patched)

    return apply


def install():
    """Installs the hooks. Later calls do nothing."""
    if Watching.on or os.environ.get("RINGSIDE_WATCH_OFF"):
        return
    from . import process

    Watching.on = True
    Watching.on_training = process.training_begins
    Watching.on_process_group = process.joins_group
    Watching.on_failure = process.become_rank_to_report_exception
    for name, module, function in PATCHES:
        importing.after_import(name, _patching(module, function))
    importing.install()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=process.after_fork)
    observations.clear()
