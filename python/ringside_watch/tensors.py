# SPDX-License-Identifier: Apache-2.0
"""Measures norms and sums of weights and averaged gradients, for the comparison of two runs.

Checksums show whether replicas are equal to the last bit. Two runs on different numbers of ranks differ in the last
bits, so their tensors are compared by norms and sums. These are measured at few steps: before the first step, after
steps 1, 2, 4, 8, ... of each optimizer, and when the script saves a checkpoint, so that a run that continues from the
checkpoint can be compared from there. Of a large tensor, evenly spaced values are read.
"""
import time
import weakref

from . import guard, observations, replicas, scalars

HOOK = guard.Hook("norms of weights and gradients")
MAX_VALUES = 1 << 18  # limit of the number of values read of one tensor
MAX_CHECKPOINTS = 500

_optimizers = weakref.WeakKeyDictionary()  # optimizer -> number of the optimizer
_saved = {}  # number of an optimizer -> its latest step after which the script called torch.save
_checkpoints = [0]


def is_due(step):
    return step & (step - 1) == 0


def _sampled(tensor):
    flat = tensor.detach().reshape(-1)
    step = -(-flat.numel() // MAX_VALUES)
    return flat[::step] if step > 1 else flat


def _norm_and_sum(torch, tensor):
    """Returns the norm and the sum of a tensor as two scalar tensors."""
    values = _sampled(tensor).float()
    return [torch.linalg.vector_norm(values), values.sum()]


def _gradient(parameter):
    gradient = parameter.grad
    return gradient if gradient is not None and replicas.is_whole(gradient) else None


def measure_if_due(optimizer, number, step):
    """Reports norms and sums of the optimizer's parameters and gradients if the schedule selects this step. Called after
    each step of an optimizer, and with step 0 before its first step.
    """
    if step == 0:
        _optimizers[optimizer] = number
    if is_due(step):
        _measure_all(optimizer, number, step, False)


def patch_save(module):
    """Wraps torch.save, which all trainers call to save the state of the optimizer in a checkpoint."""
    guard.wrap(module, "save", HOOK, after=_measure_after_torch_save)


def _measure_after_torch_save(_, args, result):
    """Computes norms and sums of the parameters of all optimizers after a call of torch.save, at most once for each
    step, because a checkpoint can consist of several files.
    """
    if _checkpoints[0] >= MAX_CHECKPOINTS:
        return
    for optimizer, number in list(_optimizers.items()):
        step = optimizer.__dict__["_ringside"].steps
        if step == 0 or _saved.get(number) == step:
            continue
        _saved[number] = step
        _checkpoints[0] += 1
        _measure_all(optimizer, number, step, True)


def _measure_all(optimizer, number, step, saved):
    import torch

    found, left_out = [], 0
    for group in optimizer.param_groups:
        left_out += sum(not replicas.is_whole(one) or one.is_complex() for one in group["params"])
    for name, parameter in replicas.parameters_of(optimizer, number):
        if not parameter.is_complex():
            found.append((name, parameter))
    left_out += max(0, len(found) - replicas.MAX_NAMES)
    found = found[:replicas.MAX_NAMES]
    facts = {"optimizer": number, "step": step, "saved": saved, "left_out": left_out, "names": [name for name, _ in found],
             "sizes": [parameter.numel() for _, parameter in found]}
    gradients = [_gradient(parameter) if step > 0 else None for _, parameter in found]
    facts["has_gradient"] = [gradient is not None for gradient in gradients]
    scalars_of_all = []
    for _, parameter in found:
        scalars_of_all += _norm_and_sum(torch, parameter)
    for gradient in gradients:
        if gradient is not None:
            scalars_of_all += _norm_and_sum(torch, gradient)
    devices = {one.device for one in scalars_of_all}
    if len(devices) != 1:  # not measured: there is no tensor, or the model is on several devices
        return
    values = torch.stack(scalars_of_all)
    values = values.tolist() if values.device.type == "cpu" else scalars.read_list(values)
    if values is not None:
        observations.note("tensors", time.monotonic_ns(), facts, values)


def facts_of_tensors(facts, values):
    """Returns the facts "tensors": norms and sums of weights and of gradients; null for a tensor without a gradient."""
    numbers = [value if value == value and abs(value) != float("inf") else None for value in values]
    count = len(facts["names"])
    result = {key: value for key, value in facts.items() if key != "has_gradient"}
    result["norm"], result["sum"] = numbers[0:2 * count:2], numbers[1:2 * count:2]
    result["gradient_norm"], result["gradient_sum"] = [], []
    at = 2 * count
    for has_gradient in facts["has_gradient"]:
        result["gradient_norm"].append(numbers[at] if has_gradient else None)
        result["gradient_sum"].append(numbers[at + 1] if has_gradient else None)
        at += 2 * has_gradient
    return result
