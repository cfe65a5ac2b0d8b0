# SPDX-License-Identifier: Apache-2.0
"""Observes losses over features of all ranks that carry a gradient on one rank only.

dist.all_gather() returns tensors without a gradient. A script that then puts its own features back into the list has a
loss to which only these contribute a gradient. The graph of such a loss contains a concatenation of as many tensors as the
group has ranks, and only one of them has a gradient: the tensor that was passed to all_gather(). Autograd functions such as
torch.distributed.nn.functional.all_gather() return tensors with a gradient, and metrics are not part of a loss.
"""
import collections
import time

from . import guard, observations, places

HOOK = guard.Hook("gathered features")
JOINS = ("CatBackward0", "StackBackward0")
MAX_GATHERS = 16  # limit of the number of observed calls between two backward passes
MAX_NODES = 2000  # limit of the number of nodes of a graph that are searched
LOOKED_AT = 8  # number of backward passes whose graphs are searched, for each line that calls a gathering collective

# (line, operation, number of ranks, autograd function) of each gathering collective since the latest backward pass
_calls = collections.deque(maxlen=MAX_GATHERS)
_looks = {}  # line of the script that gathers -> number of graphs that were searched for it


def note_call(operation, tensor, ranks):
    """Handles a call of all_gather(). Stores the number of the autograd function of the tensor, not the function itself,
    which would keep its graph in memory.
    """
    function = _key_of(getattr(tensor, "grad_fn", None))
    if function is None or ranks < 2:
        return
    line = places.user_line(2) or "?"
    if _looks.get(line, 0) < LOOKED_AT and len(_looks) < 100:
        _calls.append((line, operation, ranks, function))


def report_gathered_features(loss):
    """Searches the graph of a loss before its backward pass, and reports each line that gathers
    features on which the loss depends.
    """
    if not _calls:
        return
    calls = list(_calls)
    _calls.clear()
    joined = _joined_in(getattr(loss, "grad_fn", None))
    for line, operation, ranks, function in calls:
        if (ranks, function) in joined and _looks.get(line, 0) < LOOKED_AT:
            _looks[line] = LOOKED_AT
            observations.note("fact", time.monotonic_ns(), "gathered", {
                "where": line, "operation": operation, "ranks": ranks, "with_gradient": 1})
    for line in {one[0] for one in calls}:
        _looks[line] = _looks.get(line, 0) + 1


def _key_of(function):
    return (function.name(), function._sequence_nr()) if hasattr(function, "_sequence_nr") else None


def _joined_in(function):
    """Returns (number of tensors, function of the only tensor with a gradient) of each concatenation in a graph in which
    one tensor has a gradient.
    """
    found, seen, waiting = set(), set(), [function] if function is not None else []
    while waiting and len(seen) < MAX_NODES:
        node = waiting.pop(0)
        if node in seen:
            continue
        seen.add(node)
        inputs = [one for one, _ in node.next_functions if one is not None]
        if len(inputs) == 1 and node.name() in JOINS:
            found.add((len(node.next_functions), _key_of(inputs[0])))
        waiting.extend(inputs)
    return found
