# SPDX-License-Identifier: Apache-2.0
"""Observes whether the script itself changes gradients between a backward pass and the optimizer step, for example by
dividing them by the number of micro-batches.

Compares the version counters of two gradients, which PyTorch increments at each change in place. No value is read. Changes
by GradScaler and by PyTorch's clipping functions do not count. Works only if the script has a single optimizer, after its
first step. Not observed: gradients of parameters that are DTensors, and scripts with FullyShardedDataParallel (FSDP1), whose
own clipping method changes the gradients.
"""
import sys
import time
import weakref

from . import observations, optimizers
from .observations import Watching

LOOKED_AT = 16  # number of steps after which gradients are no longer observed

# "known": (weak reference to a parameter, identity of its gradient, version) of each observed gradient
_state = {"known": (), "reported": False}


def forget():
    _state["known"] = ()


def store():
    """Stores the versions of two gradients. Called after each change that PyTorch itself has made."""
    _state["known"] = ()
    # the optimizer itself uses the gradients of its closure
    if _state["reported"] or Watching.phase == "optimizer" or len(optimizers.held) != 1 \
            or optimizers.steps_begun() > LOOKED_AT:
        return
    for optimizer in optimizers.held:
        groups = optimizer.param_groups
        chosen = (_first_with_gradient(groups), _first_with_gradient(reversed(groups), -1))
        _state["known"] = [one for one in chosen if one is not None]


def _first_with_gradient(groups, order=1):
    for group in groups:
        for parameter in group["params"][::order]:
            version = _version_of(parameter.grad)
            if version is not None:
                return (weakref.ref(parameter), *version)
    return None


def _version_of(gradient):
    """Returns (identity, version) of a gradient, or None if it has no version counter or there is no gradient."""
    if type(gradient).__name__ != "Tensor" or gradient.is_inference():
        return None
    return gradient._cdata, gradient._version


def compare():
    """Reports a change of gradients since the latest call of store(). Must be called before each clipping, unscaling and
    optimizer step.
    """
    known, _state["known"] = _state["known"], ()
    if not known or _state["reported"] or Watching.phase == "optimizer":
        return
    for reference, identity, version in known:
        parameter = reference()
        now = _version_of(parameter.grad) if parameter is not None else None
        if now is not None and now != (identity, version) and not _has_old_fsdp():
            _state["reported"] = True
            observations.note("fact", time.monotonic_ns(), "gradients_changed", {"after_step": optimizers.steps_begun()})
            return


def _has_old_fsdp():
    module = sys.modules.get("ringside_watch.fully_sharded")
    return module is not None and module.has_old()
