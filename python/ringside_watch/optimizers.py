# SPDX-License-Identifier: Apache-2.0
"""Observes optimizer steps, learning rates and schedulers."""
import functools
import time
import weakref

from . import created, guard, observations, places, queueing, replicas, scalars, tensors
from .observations import Watching

HOOK = guard.Hook("optimizer")
SCHEDULERS = guard.Hook("scheduler")
GRADIENTS = guard.Hook("gradients")

_count = {"optimizers": 0, "inside": 0}

held = weakref.WeakSet()  # optimizers that have made a step

before_step = []  # functions called without arguments before each step
after_step = []  # functions called with the optimizer's number after each step

LOOKED_AT = 3  # number of first steps of an optimizer after which the next backward pass reports whether the script has
               # cleared the gradients
# Weak reference to the optimizer of the script, if it is the only one and has made one of its first steps since the last
# backward pass; otherwise None.
_last_stepped = {"optimizer": None}


class _Known:
    """State of an optimizer, kept in its attribute _ringside. Pickling an optimizer does not include this attribute."""

    def __init__(self, number):
        self.number = number
        self.steps = 0
        self.begin = None
        self.checks = replicas.Checks()


def patch(module):
    """Registers global hooks, or in PyTorch 1.13 wraps step() of each optimizer class when its first object is made."""
    if hasattr(module, "register_optimizer_step_pre_hook"):
        module.register_optimizer_step_pre_hook(_before_step_hook)
        module.register_optimizer_step_post_hook(_after_step_hook)
        return
    original = module.Optimizer._hook_for_profile

    @functools.wraps(original)
    @guard.transparent
    def hook_for_profile(self):
        original(self)
        HOOK.call(_wrap_step, type(self))

    module.Optimizer._hook_for_profile = hook_for_profile


def _wrap_step(kind):
    original = kind.step
    if getattr(original, "_ringside", False):
        return

    @functools.wraps(original)
    @guard.transparent
    def step(self, *args, **kwargs):
        HOOK.call(_begin_step, self)
        result = original(self, *args, **kwargs)
        HOOK.call(_end_step, self)
        return result

    step._ringside = True
    kind.step = step


def _before_step_hook(optimizer, args, kwargs):
    if guard.is_compiling():
        return
    HOOK.call(_begin_step, optimizer)


def _after_step_hook(optimizer, args, kwargs):
    if guard.is_compiling():
        return
    HOOK.call(_end_step, optimizer)


def _begin_step(optimizer):
    if Watching.on_training is not None:
        Watching.on_training()
    known = optimizer.__dict__.get("_ringside")
    if known is None:
        known = optimizer._ringside = _Known(_count["optimizers"])
        held.add(optimizer)
        _count["optimizers"] += 1
        observations.note("start", known.checks.before(optimizer, known.number))
    for function in before_step:
        function()
    if known.steps == 0:
        tensors.HOOK.call(tensors.measure_if_due, optimizer, known.number, 0)
    _count["inside"] += 1
    Watching.phase = "optimizer"
    known.begin = observations.now()


def _end_step(optimizer):
    known = optimizer.__dict__.get("_ringside")
    if known is None or known.begin is None:
        return
    known.steps += 1
    stamped, Watching.stamps_cpu = Watching.stamps_cpu, observations.is_traced(known.steps + 1)
    stamped = stamped or Watching.stamps_cpu
    end = (time.monotonic_ns(), time.thread_time_ns() if stamped else None)
    queued = queueing.stamp() if stamped else None
    Watching.phase = "idle"
    if known.steps == 1:  # reported after the first step and not before it, because a closure computes the first
                          # gradients within the step
        observations.note("fact", time.monotonic_ns(), "optimizer", _describe(optimizer, known.number))
    checksums = known.checks.after(optimizer, known.number, known.steps)
    observations.note("optimizer", known.begin[0], known.begin[1], end[0], end[1], known.number,
                      _learning_rate(optimizer.param_groups[0]), checksums, queued)
    known.begin = None
    if known.steps <= LOOKED_AT:
        _last_stepped["optimizer"] = weakref.ref(optimizer) if _count["optimizers"] == 1 else None
    tensors.HOOK.call(tensors.measure_if_due, optimizer, known.number, known.steps)
    if scalars.has_pending():
        scalars.poll()
    for function in after_step:
        function(known.number)


def _learning_rate(group):
    rate = group.get("lr", 0.0)
    if isinstance(rate, (int, float)):
        return float(rate)
    if getattr(getattr(rate, "device", None), "type", "") == "cpu" and rate.numel() == 1:
        return float(rate)
    return 0.0  # the value is on a device: reading it would make the script wait


def _describe(optimizer, number):
    kind = type(optimizer)
    parameters = [one for group in optimizer.param_groups for one in group["params"]]
    groups = [{"lr": _learning_rate(group), "tensors": len(group["params"]),
               "parameters": sum(one.numel() for one in group["params"])} for group in optimizer.param_groups[:64]]
    return {"id": number, "class": "%s.%s" % (kind.__module__, kind.__qualname__), "where": places.user_line(2),
            "with_gradient": sum(one.grad is not None for one in parameters),
            "sharded": sum(not replicas.is_whole(one) for one in parameters), "groups": groups,
            "unwrapped": _lines_of_unwrapped_modules(optimizer, number)}


def _lines_of_unwrapped_modules(optimizer, number):
    """Returns the lines that created modules whose parameters are in no wrapped model. For each line, adds the name of
    the first of these parameters.
    """
    lines = {}
    for name, parameter in replicas.parameters_of(optimizer, number):
        line = None if id(parameter) in replicas.names else created.line_of_parameter(parameter)
        if line is not None and len(lines) < 20:
            lines.setdefault(line, name)
    return [{"where": line, "parameter": name} for line, name in lines.items()]


def read_gradients():
    """Reports, before a backward pass, whether the script has cleared the gradients of the previous step."""
    reference, _last_stepped["optimizer"] = _last_stepped["optimizer"], None
    optimizer = reference() if reference is not None else None
    if optimizer is None:
        return
    gradients = [one.grad for group in optimizer.param_groups for one in group["params"] if one.grad is not None]
    gradients = [getattr(one, "_local_tensor", one) for one in gradients]  # replaces each DTensor by the part that this
                                                                           # rank holds
    if any(type(one).__name__ != "Tensor" or one.is_sparse or one.device.type != "cpu" for one in gradients):
        return  # reading a value on a device would make the script wait
    smallest = sorted(gradients, key=lambda one: one.numel())[:4]
    observations.note("fact", time.monotonic_ns(), "gradients", {
        "after_step": optimizer._ringside.steps, "cleared": not any(bool((one != 0).any()) for one in smallest)})


def steps_begun():
    """Returns the number of steps that all optimizers together have begun."""
    return _count["inside"]


def patch_schedulers(module):
    """Wraps step() of each scheduler class that defines a step() of its own."""
    base = getattr(module, "LRScheduler", None) or getattr(module, "_LRScheduler", None)
    for name in dir(module):
        kind = getattr(module, name)
        if isinstance(kind, type) and "step" in vars(kind) and (issubclass(kind, base) or name == "ReduceLROnPlateau"):
            _wrap_scheduler(kind)


_schedulers = {"depth": 0, "known": weakref.WeakSet(), "stepped": weakref.WeakSet()}


def _wrap_scheduler(kind):
    original = kind.step

    @functools.wraps(original)
    @guard.transparent
    def step(self, *args, **kwargs):
        outer, _schedulers["depth"] = _schedulers["depth"], _schedulers["depth"] + 1
        try:
            return original(self, *args, **kwargs)
        finally:
            _schedulers["depth"] = outer
            # a scheduler whose step() is called by another scheduler, such as ChainedScheduler, is not counted
            if outer == 0:
                SCHEDULERS.call(_scheduler_stepped, self)

    kind.step = step


def _scheduler_stepped(scheduler):
    if scheduler in _schedulers["known"]:
        observations.note("scheduler")
        if scheduler not in _schedulers["stepped"]:
            _schedulers["stepped"].add(scheduler)
            observations.note("fact", time.monotonic_ns(), "scheduler_step", {"where": places.user_line(2)})
        return
    _schedulers["known"].add(scheduler)  # first call of step(): made by the scheduler's constructor, so it does not
                                         # count as a scheduler step
    kind = type(scheduler)
    observations.note("fact", time.monotonic_ns(), "scheduler",
                      {"class": "%s.%s" % (kind.__module__, kind.__qualname__), "where": places.user_line(2)})
