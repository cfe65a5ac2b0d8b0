# SPDX-License-Identifier: Apache-2.0
"""Observes fully_shard (FSDP2) through the methods of its parameter groups."""
import time
import zlib

from . import guard, observations, places, traces

HOOK = guard.Hook("fully_shard")
FUNCTION = guard.Hook("fully_shard call")

_numbers = {}  # (number of the process group, kind) -> number of the latest collective
_reported = set()


def patch(module):
    """Wraps the methods that wait for all-gathers and that reduce gradients."""
    group = module.FSDPParamGroup
    _wrap_with_times(group, "wait_for_unshard", traces.ALL_GATHER)
    _wrap_with_times(group, "post_backward", traces.REDUCE_SCATTER)


def _wrap_with_times(group, name, kind):
    def before(args, kwargs):
        if name == "wait_for_unshard" and getattr(args[0], "_all_gather_result", True) is None:
            return None  # no collective is in progress, so there is nothing to wait for
        return observations.now()

    def after(begin, args, result):
        _queue_collective(args[0], kind, begin)

    guard.wrap(group, name, HOOK, before=before, after=after)


def _queue_collective(group, kind, begin):
    name = getattr(group, "_module_fqn", None) or "root"
    number = _numbers[(name, kind)] = _numbers.get((name, kind), 0) + 1
    identity = 1 + zlib.crc32(("fsdp %s %d" % (name, kind)).encode())
    if (name, kind) not in _reported:
        _reported.add((name, kind))
        observations.note("fact", time.monotonic_ns(), "shard_group", {
            "name": name, "group": identity, "kind": "all_gather" if kind == traces.ALL_GATHER else "reduce_scatter",
            "bytes": _bytes_of_group(group), "tensors": len(getattr(group, "fsdp_params", ()))})
    waits = kind == traces.ALL_GATHER
    observations.note("collective", begin[0], begin[1], *observations.now(), identity, number,
                      kind, _bytes_of_group(group), waits)


def _bytes_of_group(group):
    total = 0
    for one in getattr(group, "fsdp_params", ()):
        size, kind = getattr(one, "_orig_size", None), getattr(one, "orig_dtype", None)
        total += size.numel() * getattr(kind, "itemsize", 4) if hasattr(size, "numel") else 0
    return total


def patch_function(module):
    guard.wrap(module, "fully_shard", FUNCTION, before=_class_of_module, after=_note_fully_shard)


def _class_of_module(args, kwargs):
    """Returns the class name of a module, which fully_shard is about to replace, and the ranks of the mesh."""
    if not args or not hasattr(args[0], "parameters"):
        return None
    mesh = getattr(kwargs.get("mesh"), "mesh", None)
    return type(args[0]).__qualname__, None if mesh is None else mesh.flatten().tolist()


def _note_fully_shard(known, args, result):
    module, (name, ranks) = args[0], known
    observations.note("fact", time.monotonic_ns(), "data_parallel", {
        "kind": "fully_shard", "where": places.user_line(2), "module": name, "ranks": ranks,
        "parameters": sum(one.numel() for one in module.parameters())})


def patch_old(module):
    """Reports the use of FullyShardedDataParallel (FSDP1). The times of its wrapped modules are not observed."""
    guard.wrap(module.FullyShardedDataParallel, "__init__", FUNCTION, after=_wrapped_old)


def has_old():
    """True if the script uses FullyShardedDataParallel (FSDP1)."""
    return "fsdp1" in _reported


def _wrapped_old(_, args, result):
    if "fsdp1" in _reported:
        return  # the wrapped module is a part of a model that was reported before
    _reported.add("fsdp1")
    observations.note("fact", time.monotonic_ns(), "data_parallel", {
        "kind": "fsdp1", "where": places.user_line(2), "module": type(args[0].module).__qualname__,
        "parameters": sum(one.numel() for one in args[0].parameters())})
