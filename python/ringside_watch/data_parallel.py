# SPDX-License-Identifier: Apache-2.0
"""Observes DistributedDataParallel through the logging data that it collects about itself.

Its forward() is not wrapped, so that torch.compile compiles models as without the watch.
"""
import time
import weakref
import zlib

from . import guard, observations, optimizers, places, replicas, unoptimized

HOOK = guard.Hook("data parallel")
# separate hook: without it, findings about replicas that differ lack only the line and the cause
CONVERSIONS = guard.Hook("changes of models wrapped in DDP")
ON_DEVICE_EVERY = 50  # interval, in steps, between two steps whose times are measured on a GPU; each measurement makes
                      # the host wait for the GPU
MAX_NAMES = 64
MAX_CONVERSIONS = 20

_models = []  # weak references to models that DistributedDataParallel wraps
_last = {}  # id of a model -> number of its forward passes whose gradients DDP has reduced, up to the latest optimizer
            # step
_unused = {}  # id of a model -> bytes of unused parameters, as reported last
_frozen = {}  # id of a model -> [(name, weak reference)] of the parameters that had requires_grad=False when it was wrapped


_converted = {}  # number of a model -> (data type and device before, the same after) of its latest conversion
_counts = {"conversions": 0}  # number of reported conversions
_frozen_until = {"step": 0}  # latest step after which frozen parameters were looked up


def patch_module(module):
    """Wraps the function with which double(), to() and similar convert the parameters of a module."""
    guard.wrap(module.Module, "_apply", CONVERSIONS, before=_before_conversion, after=_after_conversion)


def _before_conversion(args, kwargs):
    """Returns (weak reference, data type and device) of each wrapped model, or None if no model is wrapped."""
    return [(reference, _type_of(reference())) for reference in _models] or None


def _after_conversion(before, args, result):
    for number, (reference, known) in enumerate(before):
        now = _type_of(reference())
        if known is None or now is None or now == known or _converted.get(number) == (known, now):
            # the model was not converted, or a nested call for one of its modules has already reported the conversion
            continue
        _converted[number] = (known, now)
        if _counts["conversions"] < MAX_CONVERSIONS:
            _counts["conversions"] += 1
            observations.note("fact", time.monotonic_ns(), "converted", {
                "model": number, "where": places.user_line(2), "from": known, "to": now})


def _type_of(model):
    """Returns data type and device of the first parameter of a wrapped model: "float32 on cpu"."""
    first = next(model.module.parameters(), None) if model is not None else None
    return None if first is None else "%s on %s" % (str(first.dtype).replace("torch.", ""), first.device)


def patch(module):
    guard.wrap(module.DistributedDataParallel, "__init__", HOOK, after=_note_model_wrapped)
    optimizers.after_step.append(_after_step)


def _note_model_wrapped(_, args, result):
    model = args[0]
    on_device = any(one.device.type != "cpu" for one in model.module.parameters())
    if hasattr(model, "_set_ddp_runtime_logging_sample_rate"):
        model._set_ddp_runtime_logging_sample_rate(ON_DEVICE_EVERY if on_device else 1)
    _models.append(weakref.ref(model))
    for name, parameter in model.module.named_parameters():
        replicas.names[id(parameter)] = name
    frozen = [(name, weakref.ref(one)) for name, one in model.module.named_parameters() if not one.requires_grad]
    if frozen:
        _frozen[id(model)] = frozen
    if not getattr(model, "broadcast_buffers", True):
        reference = weakref.ref(model)
        replicas.buffers.append(lambda: reference().module.named_buffers() if reference() is not None else ())
    observations.note("fact", time.monotonic_ns(), "data_parallel", describe(model))


def is_evaluating():
    """Returns whether a model that DistributedDataParallel wraps is in evaluation mode (model.eval())."""
    models = [reference() for reference in _models]
    return any(not model.training for model in models if model is not None)


def describe(model):
    """Returns facts about a wrapped model: its module and parameters, the options of the wrapper and its ranks."""
    module = model.module
    parameters = list(module.parameters())
    facts = {"kind": "ddp", "where": places.user_line(2), "module": type(module).__qualname__,
             "parameters": sum(one.numel() for one in parameters), "tensors": len(parameters),
             "trainable_tensors": sum(one.requires_grad for one in parameters),
             "types": sorted({str(one.dtype).replace("torch.", "") for one in parameters}),
             "devices": sorted({str(one.device) for one in parameters}), "batch_norms": batch_norms(module)}
    for name in ("find_unused_parameters", "broadcast_buffers", "gradient_as_bucket_view", "static_graph"):
        value = getattr(model, name, None)
        if isinstance(value, bool):
            facts[name] = value
    import torch.distributed as dist

    facts["ranks"] = group_ranks(dist, model.process_group)
    facts["group"] = group_number(model)
    facts["ignored"] = len(getattr(model, "parameters_to_ignore", ()))
    return facts


def group_ranks(dist, group):
    """Returns the global ranks of a process group."""
    if hasattr(dist, "get_process_group_ranks"):
        return list(dist.get_process_group_ranks(group))
    return list(range(dist.get_world_size(group)))


def batch_norms(module):
    """Returns the number of batch normalisation layers by class."""
    found = {}
    for layer in module.modules():
        name = type(layer).__name__
        if "BatchNorm" in name:
            found[name] = found.get(name, 0) + 1
    return found


def _after_step(number):
    if _models:
        HOOK.call(_queue_previous_times)
        unoptimized.check(_models)
        if _frozen:
            CONVERSIONS.call(_report_unfrozen, optimizers.steps_begun())


def _report_unfrozen(step):
    """Reports parameters that were frozen when their model was wrapped and require gradients now. Checks after steps 1,
    2, 4, 8, ... and after every 64th step.
    """
    if step & (step - 1) and step % 64:
        return
    before, _frozen_until["step"] = _frozen_until["step"], step
    single = len(optimizers.held) == 1  # with several optimizers, `step` counts the steps of all of them
    for reference in _models:
        model = reference()
        frozen = _frozen.get(id(model), ()) if model is not None else ()
        names = [name for name, one in frozen if one() is not None and one().requires_grad]
        if names:
            del _frozen[id(model)]
            observations.note("fact", time.monotonic_ns(), "unfrozen", {
                "after_step": step, "frozen_after_step": before if single else None, "tensors": len(names),
                "names": names[:MAX_NAMES]})


def _queue_previous_times():
    """Queues the communication times of the previous iteration. DDP publishes them one iteration late."""
    for reference in _models:
        model = reference()
        logger = getattr(model, "logger", None)
        if logger is None:
            continue
        data = logger._get_ddp_logging_data().ints_map
        iteration = data.get("iteration", 0)
        first, total = id(model) not in _last, synchronized_forwards(model, iteration)
        count, _last[id(model)] = total - _last.get(id(model), 0), total
        if count == 0 and not first:
            continue
        observations.note("synchronized", count)
        begin, end = data.get("backward_comm_time_start", 0), data.get("backward_comm_time_end", 0)
        if begin > 0 and end >= begin and not first:
            offset = time.time_ns() - time.monotonic_ns()
            observations.note("ddp", {
                "group": group_number(model), "number": iteration, "bytes": gradient_bytes(model),
                "compute_end": data.get("backward_compute_time_end", 0) - offset, "comm_begin": begin - offset,
                "comm_end": end - offset})
        unused = data.get("unused_parameter_size", 0)
        if iteration == 3 or first or unused != _unused.get(id(model)):
            _unused[id(model)] = unused
            _note_buckets(model, iteration)


def synchronized_forwards(model, iteration):
    """Returns the number of forward passes whose gradients DDP reduces. The logging data of DDP counts a forward pass
    only during the next one, so this function adds 1 to the count.
    """
    if iteration > 0:
        return iteration + 1
    return int(getattr(model, "_lazy_init_ran", True) and getattr(model, "require_forward_param_sync", True))


def _note_buckets(model, iteration):
    """Reports the buckets and the unused parameters that the logging data of DDP contains."""
    logged = model.logger._get_ddp_logging_data()
    data, texts = logged.ints_map, logged.strs_map
    observations.note("fact", time.monotonic_ns(), "buckets", {
        "iteration": iteration, "has_rebuilt": data.get("has_rebuilt_buckets", 0),
        "sizes": texts.get("rebuilt_bucket_sizes") or texts.get("bucket_sizes", ""),
        "unused_parameter_bytes": data.get("unused_parameter_size", 0),
        "comm_hook": texts.get("comm_hook", ""),
        "join": bool(getattr(getattr(model, "_join_config", None), "enable", False))})


def group_number(model):
    """Returns the number of the wrapper's process group for its gradients, which is equal on all ranks of the group."""
    import torch.distributed as dist

    return 1 + zlib.crc32(repr(("ddp", group_ranks(dist, model.process_group))).encode())


_bytes = {}


def gradient_bytes(model):
    size = _bytes.get(id(model))
    if size is None:
        size = _bytes[id(model)] = sum(
            one.numel() * one.element_size() for one in model.module.parameters() if one.requires_grad)
    return size
