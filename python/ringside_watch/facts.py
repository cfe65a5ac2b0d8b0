# SPDX-License-Identifier: Apache-2.0
"""Facts about the process, and about the hooks that have observed something. Of the environment variables, only
the launcher and the numbers that it has set (ranks, world size, restarts) are reported.
"""
import os
import platform
import sys

from . import __version__, guard, places

LAUNCHERS = (("TORCHELASTIC_RUN_ID", "torchrun"), ("SLURM_PROCID", "srun"), ("OMPI_COMM_WORLD_RANK", "mpirun"),
             ("PMI_RANK", "mpirun"))

# Hooks that a script need not use -> explanation for the user of what the watch cannot observe without them.
WITHOUT = {
    "loader": "no DataLoader: samples are not seen",
    "optimizer": "no optimizer: steps are not seen",
    "backward": "no backward pass of PyTorch: losses are not seen",
    "data parallel": "no DistributedDataParallel: times of gradient all-reduces are not seen",
    "fully_shard": "no fully_shard: the times of FSDP parameter groups are not seen",
    "collectives": "the script has called no collective or message outside of compiled code",
    "tensorboard": "no SummaryWriter: the script's own scalars are not seen",
    "lightning log": "no LightningModule",
}


def launcher():
    for name, kind in LAUNCHERS:
        if name in os.environ:
            return kind
    return "python"


def version_of(module):
    return str(getattr(sys.modules.get(module), "__version__", "")) or None


def _number(name):
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else None


def process(known):
    """Returns the facts that identify the rank, and the versions of its software."""
    script = places.script()
    facts = {"watch": __version__, "world_size": known.world_size, "distributed": known.distributed,
             "script": places.relative(script) if script else None, "launcher": launcher(),
             "local_rank": _number("LOCAL_RANK"), "restart": _number("TORCHELASTIC_RESTART_COUNT"),
             "python": platform.python_version(), "torch": version_of("torch")}
    for module in ("accelerate", "lightning", "pytorch_lightning", "transformers", "deepspeed", "horovod", "mpi4py"):
        if version_of(module):
            facts[module] = version_of(module)
    torch = sys.modules.get("torch")
    if torch is not None:
        facts["threads"] = torch.get_num_threads()
    return facts


def observed_hooks():
    """Returns the names of the hooks that have observed something, and for each other hook the reason why it has
    observed nothing.
    """
    missing = [{"what": name, "why": why} for name, why in guard.unavailable.items()]
    for name, why in WITHOUT.items():
        hook = guard.hooks.get(name)
        if name not in guard.unavailable and (hook is None or not hook.used):
            missing.append({"what": name, "why": why})
    return {"seen": sorted(name for name, hook in guard.hooks.items() if hook.used and hook.on),
            "unavailable": missing}
