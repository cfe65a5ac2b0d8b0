# SPDX-License-Identifier: Apache-2.0
"""Finds parameters of wrapped models that get gradients and are in no optimizer."""
import time

from . import guard, observations, optimizers

HOOK = guard.Hook("unoptimized parameters")
MAX_NAMES = 20
READ_VALUES = 8  # number of values compared of a parameter on the CPU, to detect an update through .data

_before = {}  # id of a parameter -> its state at the previous check
_reported = {}  # number of a model -> number of its tensors in the latest report


def check(models):
    """Checks the parameters of the models after steps 2, 4, 8, 16, ... of all optimizers together. Called after each
    optimizer step.
    """
    step = optimizers.steps_begun()
    if step >= 2 and not step & (step - 1):
        HOOK.call(_check, models, step)


def _check(models, step):
    held = {id(one) for optimizer in list(optimizers.held) for group in optimizer.param_groups
            for one in group["params"]}
    states = {}
    for number, reference in enumerate(models):
        model = reference()
        if model is None or number >= 100:
            continue
        trainable = [(name, one) for name, one in model.module.named_parameters() if one.requires_grad]
        left = [(name, one) for name, one in trainable if one.grad is not None and id(one) not in held]
        states.update((id(one), _state_of(one)) for _, one in left)
        # Omit parameters that have changed since the previous check: the script updates them by itself.
        same = [(name, one) for name, one in left if _before.get(id(one)) == states[id(one)]]
        if _reported.get(number) == len(same) and step != 16:
            continue
        _reported[number] = len(same)
        observations.note("fact", time.monotonic_ns(), "unoptimized", {
            "model": number, "after_step": step, "trainable_tensors": len(trainable), "tensors": len(same),
            "parameters": sum(one.numel() for _, one in same), "names": [name for name, _ in same[:MAX_NAMES]]})
    _before.clear()
    _before.update(states)


def _state_of(parameter):
    values = None
    if parameter.device.type == "cpu" and type(parameter.detach()).__name__ in ("Tensor", "Parameter"):
        values = parameter.detach().reshape(-1)[:READ_VALUES].tolist()
    return parameter._version, values
