# SPDX-License-Identifier: Apache-2.0
"""Observes collectives and messages of torch.distributed that the script itself calls, and the creation of process
groups.
"""
import functools
import os
import sys
import time
import zlib

from . import gathered, guard, observations, places, traces
from .observations import Watching

HOOK = guard.Hook("collectives")
GROUPS = guard.Hook("process group")

# Name of a function -> (number of its CollectiveKind or None, position of the tensor whose size is reported).
OPERATIONS = {
    "all_reduce": (traces.ALL_REDUCE, 0), "broadcast": (traces.BROADCAST, 0), "all_gather": (traces.ALL_GATHER, 1),
    "all_gather_into_tensor": (traces.ALL_GATHER, 1), "reduce_scatter": (traces.REDUCE_SCATTER, 0),
    "reduce_scatter_tensor": (traces.REDUCE_SCATTER, 1), "barrier": (traces.BARRIER, None), "reduce": (None, 0),
    "gather": (None, 0), "scatter": (None, 0), "all_to_all": (None, 0), "all_to_all_single": (None, 1),
    "all_gather_object": (None, None), "gather_object": (None, None), "broadcast_object_list": (None, None),
    "scatter_object_list": (None, None), "monitored_barrier": (traces.BARRIER, None),
}
# function -> name of its second argument, the tensor of this rank
GATHERS = {"all_gather": "tensor", "all_gather_into_tensor": "input_tensor"}
MESSAGES = {"send": "dst", "recv": "src", "isend": "dst", "irecv": "src", "batch_isend_irecv": None}

BARRIERS = ("barrier", "monitored_barrier")
# Functions of torch.distributed._functional_collectives, which do not call the functions above. They are only counted.
FUNCTIONAL = ("all_reduce", "all_reduce_coalesced", "broadcast", "all_gather_tensor", "all_gather_tensor_autograd",
              "all_gather_single", "all_gather_single_autograd", "all_gather_single_coalesced",
              "all_gather_into_tensor_coalesced", "reduce_scatter_tensor", "reduce_scatter_tensor_autograd",
              "reduce_scatter_single", "reduce_scatter_single_autograd", "reduce_scatter_single_coalesced",
              "reduce_scatter_tensor_coalesced", "all_to_all_single", "all_to_all_single_autograd")

# "barriers": number of calls in _counts that combine no values; "functional": number of functional collectives
_state = {"depth": 0, "dist": None, "barriers": 0, "functional": 0}
_counts = {}  # number of a process group -> number of its latest collective
_messages = {}  # (number of a process group, operation, peer) -> number of the latest message
_groups = {}  # id of a process group object -> number of the group


def number_of_latest(group):
    return _counts.get(group, 0)


def number_of_calls():
    """Returns the number of collectives and messages that the script has called on this rank, in all process groups,
    without barriers, which combine no values.
    """
    return sum(list(_counts.values())) + sum(list(_messages.values())) + _state["functional"] - _state["barriers"]


def patch(module):
    """Wraps the functions of torch.distributed before any other module can import them."""
    _state["dist"] = module
    guard.wrap(module, "init_process_group", GROUPS, after=_note_group_created)
    for name, (kind, position) in OPERATIONS.items():
        if hasattr(module, name):
            _wrap_operation(module, name, kind, position)
    for name, peer in MESSAGES.items():
        if hasattr(module, name):
            _wrap_message(module, name, peer)


def patch_functional(module):
    for name in FUNCTIONAL:
        if hasattr(module, name):
            _wrap_functional(module, name)


def _wrap_functional(module, name):
    original = getattr(module, name)

    @guard.transparent
    def ringside_functional(*args, **kwargs):
        if not guard.is_compiling():
            HOOK.call(_count_functional, sys._getframe(1).f_code.co_filename)
        return original(*args, **kwargs)

    _install(module, name, original, ringside_functional)


def _count_functional(caller):
    """Counts a functional collective, unless PyTorch itself calls it, as DTensor does many times per step."""
    if not _is_in_torch(caller):
        _state["functional"] += 1


@functools.lru_cache(maxsize=1000)
def _is_in_torch(filename):
    return filename.startswith(os.path.dirname(sys.modules["torch"].__file__) + os.sep)


def _note_group_created(_, args, result):
    dist = _state["dist"]
    rank, size = dist.get_rank(), dist.get_world_size()
    if Watching.on_process_group is not None:
        Watching.on_process_group(rank, size)
    torch = sys.modules.get("torch")
    observations.note("fact", time.monotonic_ns(), "process_group_created", {
        "backend": str(dist.get_backend()), "rank": rank, "world_size": size, "where": places.user_line(2),
        "torch": getattr(torch, "__version__", ""), "launcher_rank": _number_in_environment("RANK"),
        "launcher_world_size": _number_in_environment("WORLD_SIZE")})


def _number_in_environment(name):
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else None


def group_number(group):
    """Returns the number of a process group: 0 for all ranks, otherwise a number that is equal on all ranks of the
    group.
    """
    dist = _state["dist"]
    if group is None or group is dist.group.WORLD:
        return 0
    number = _groups.get(id(group))
    if number is None:
        ranks = dist.get_process_group_ranks(group) if hasattr(dist, "get_process_group_ranks") else ()
        description = repr((sorted(ranks), _name_of(group)))
        number = _groups[id(group)] = 1 + zlib.crc32(description.encode())
        observations.note("fact", time.monotonic_ns(), "group", {"group": number, "ranks": list(ranks)[:4096]})
    return number


def _name_of(group):
    """Returns PyTorch's name of a process group, which is equal on all its ranks. Two groups of the same ranks have
    different names.
    """
    try:
        return str(getattr(group, "group_name", ""))
    except RuntimeError:
        return ""


def _begin_collective(operation, group, peer):
    number = group_number(group)
    count = _counts[number] = _counts.get(number, 0) + 1
    _state["barriers"] += operation in BARRIERS
    begin = observations.now()
    token = (number, count, begin, Watching.phase, Watching.inside)
    Watching.inside = (operation, number, count, peer, begin[0])
    Watching.phase = "waiting"
    return token


def _end_call(token, kind, size):
    number, count, begin, phase, inside = token
    Watching.inside, Watching.phase = inside, phase
    observations.note("collective", begin[0], begin[1], *observations.now(), number, count,
                      kind, size, True)


def _note_gather(name, args, kwargs, group):
    tensor = args[1] if len(args) > 1 else kwargs.get(GATHERS[name])
    gathered.note_call(name, tensor, _state["dist"].get_world_size(group))


def _bytes_of_buffer(args, kwargs, position):
    if position is None:
        return 0
    value = args[position] if position < len(args) else next(iter(kwargs.values()), None)
    values = value if isinstance(value, (list, tuple)) else [value]
    return sum(one.numel() * one.element_size() for one in values if hasattr(one, "element_size"))


def _group_of(original):
    """Returns a function that returns the argument `group` of a call of `original`."""
    while hasattr(original, "__wrapped__"):
        original = original.__wrapped__
    code = getattr(original, "__code__", None)
    names = code.co_varnames[:code.co_argcount] if code is not None else ()
    position = names.index("group") if "group" in names else len(names)
    return lambda args, kwargs: kwargs.get("group", args[position] if position < len(args) else None)


def _wrap_operation(module, name, kind, position):
    original = getattr(module, name)
    group_of = _group_of(original)

    @guard.transparent
    def ringside_collective(*args, **kwargs):
        if _state["depth"] or not (Watching.on and HOOK.on):
            return original(*args, **kwargs)
        token = HOOK.call(_begin_collective, name, group_of(args, kwargs), None)
        size = HOOK.call(_bytes_of_buffer, args, kwargs, position) or 0
        if name in GATHERS:
            gathered.HOOK.call(_note_gather, name, args, kwargs, group_of(args, kwargs))
        _state["depth"] += 1
        try:
            return original(*args, **kwargs)
        finally:
            _state["depth"] -= 1
            if token is not None:
                HOOK.call(_end_call, token, kind, size)

    _install(module, name, original, ringside_collective)


def _wrap_message(module, name, peer):
    original = getattr(module, name)
    group_of = _group_of(original)

    @guard.transparent
    def ringside_message(*args, **kwargs):
        if _state["depth"] or not (Watching.on and HOOK.on):
            return original(*args, **kwargs)
        other = kwargs.get(peer, args[1] if peer and len(args) > 1 else None)
        token = HOOK.call(_begin_message, name, group_of(args, kwargs), other if isinstance(other, int) else None)
        _state["depth"] += 1
        try:
            return original(*args, **kwargs)
        finally:
            _state["depth"] -= 1
            if token is not None:
                HOOK.call(_end_call, token, None, 0)

    _install(module, name, original, ringside_message)


def _begin_message(operation, group, peer):
    """Numbers a message by operation and peer, because the ranks of a group exchange different messages."""
    number = group_number(group)
    key = (number, operation, peer)
    count = _messages[key] = _messages.get(key, 0) + 1
    begin = observations.now()
    token = (number, count, begin, Watching.phase, Watching.inside)
    Watching.inside = (operation, number, count, peer, begin[0])
    Watching.phase = "waiting"
    return token


def _install(module, name, original, wrapper):
    functools.update_wrapper(wrapper, original)
    setattr(module, name, wrapper)
