# SPDX-License-Identifier: Apache-2.0
"""Observes gradients that a script clears before an optimizer step has used them.

A backward pass with such gradients trains nothing: the script has skipped the optimizer step, for example because a
loss was not finite, or it clears the gradients in each micro-batch. Without this observation, the next step would look
like one that accumulates the gradients of several micro-batches.

Works only if the script has a single optimizer, after its first step. One parameter of the optimizer is checked: the
gradients are cleared if it has a gradient after a backward pass, but no gradient or only zeros before the next one.
Zeros are detected only in small gradients on the CPU. If none of the first parameters has a small gradient on the CPU,
it is not known whether the script has set an existing gradient to zero.
"""
import itertools
import weakref

from . import guard, optimizers
from .observations import Watching

HOOK = guard.Hook("unused gradients")
MAX_VALUES = 4096  # limit of the number of values of the parameter whose gradient is read
MAX_CANDIDATES = 16  # number of first parameters with a gradient, among which a readable gradient is searched
LOOKED_AT = 16  # number of consecutive backward passes without cleared gradients, after which values are no longer read

_state = {"parameter": None, "steps": 0, "accumulates": False, "reads": LOOKED_AT}


def before_backward():
    """Returns whether the script has cleared the gradients of the backward passes since the latest optimizer step; None if
    this is not known.
    """
    reference, _state["parameter"] = _state["parameter"], None
    parameter = reference() if reference is not None else None
    if parameter is None or optimizers.steps_begun() != _state["steps"]:
        return False
    accumulated, _state["accumulates"] = _state["accumulates"], True
    if parameter.grad is None:
        return True
    if not accumulated or _state["reads"] <= 0:
        return False
    if not _is_readable(parameter.grad):
        return None
    cleared = not bool(parameter.grad.any())
    _state["reads"] = LOOKED_AT if cleared else _state["reads"] - 1
    return cleared


def after_backward():
    """Chooses the parameter whose gradient before_backward() checks."""
    # the optimizer itself uses the gradients of its closure
    if Watching.phase == "optimizer" or len(optimizers.held) != 1:
        return
    _state["steps"] = optimizers.steps_begun()
    chosen = None
    for one in itertools.islice(_with_gradient(), MAX_CANDIDATES):
        if _is_readable(one.grad) and not (_state["accumulates"] and _state["reads"] > 0 and not bool(one.grad.any())):
            chosen = one
            break
        if chosen is None and not _is_readable(one.grad):
            chosen = one
    _state["parameter"] = weakref.ref(chosen) if chosen is not None else None


def _with_gradient():
    """Generates the parameters of the optimizer that have a gradient."""
    for optimizer in optimizers.held:
        for group in optimizer.param_groups:
            for one in group["params"]:
                if one.grad is not None:
                    yield one


def _is_readable(gradient):
    return (type(gradient).__name__ == "Tensor" and not gradient.is_sparse and gradient.device.type == "cpu"
            and gradient.numel() <= MAX_VALUES)
