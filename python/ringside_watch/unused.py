# SPDX-License-Identifier: Apache-2.0
"""Observes gradients that a script clears before an optimizer step has used them.

A backward pass with such gradients trains nothing: the script has skipped the optimizer step, for example because a
loss was not finite, or it clears the gradients in each micro-batch. Without this observation, the next step would look
like one that accumulates the gradients of several micro-batches.

Works only if the script has a single optimizer, after its first step. The gradients are cleared if a parameter of the
optimizer has a gradient after a backward pass, but no gradient or only zeros before the next one. Zeros are detected on
the CPU only.
"""
import weakref

from . import guard, optimizers
from .observations import Watching

HOOK = guard.Hook("unused gradients")
MAX_VALUES = 4096  # limit of the number of values of the parameter whose gradient is read
LOOKED_AT = 16  # number of consecutive backward passes without cleared gradients, after which values are no longer read

_state = {"parameter": None, "steps": 0, "accumulates": False, "reads": LOOKED_AT}


def before_backward():
    """Returns whether the script has cleared the gradients of the backward passes since the latest optimizer step."""
    reference, _state["parameter"] = _state["parameter"], None
    parameter = reference() if reference is not None else None
    if parameter is None or optimizers.steps_begun() != _state["steps"]:
        return False
    reads = _state["accumulates"] and _reads(parameter.grad)
    _state["accumulates"] = True
    if parameter.grad is None:
        return True
    if not reads:
        return False
    cleared = not bool(parameter.grad.any())
    _state["reads"] = LOOKED_AT if cleared else _state["reads"] - 1
    return cleared


def after_backward():
    """Chooses the parameter whose gradient before_backward() checks."""
    # the optimizer itself uses the gradients of its closure
    if Watching.phase == "optimizer" or len(optimizers.held) != 1:
        return
    _state["steps"] = optimizers.steps_begun()
    for optimizer in optimizers.held:
        for group in optimizer.param_groups:
            for one in group["params"]:
                if one.grad is None:
                    continue
                if _state["accumulates"] and _reads(one.grad) and not bool(one.grad.any()):
                    continue
                _state["parameter"] = weakref.ref(one)
                return


def _reads(gradient):
    return (_state["reads"] > 0 and type(gradient).__name__ == "Tensor" and not gradient.is_sparse
            and gradient.device.type == "cpu" and gradient.numel() <= MAX_VALUES)
