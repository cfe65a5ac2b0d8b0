# SPDX-License-Identifier: Apache-2.0
"""Reports which of the latest batches still exist at a backward pass.

A script that prefetches batches holds them until it has trained on them; a script that skips batches drops them. Used by
batches.py. Batches are observed by weak references to their tensors, which does not keep them in memory.
"""
import collections
import sys
import weakref

from . import guard

HOOK = guard.Hook("batches still in memory")
MAX_BATCHES = 16  # number of latest batches that are observed
MAX_TENSORS = 4  # limit of the number of observed tensors of a batch
MAX_DEPTH = 3  # limit of the nesting of lists and dictionaries in a batch

_latest = collections.deque(maxlen=MAX_BATCHES)  # (key of the batch, weak references to its tensors)
_fetched = {"since": 0}  # number of batches that were fetched since the latest backward pass
_looks = {"left": 0}  # number of coming backward passes at which the batches that are still in memory are reported
_several = set()  # loaders of which several batches were fetched before a backward pass


def batch_fetched(loader, number_of_pass, number_in_pass, data):
    """Handles a batch that the training thread has fetched."""
    _fetched["since"] += 1
    if number_in_pass >= MAX_BATCHES and loader not in _several:
        return
    found = []
    _collect(data, sys.modules["torch"].Tensor, found, 0)
    _latest.append(((loader, number_of_pass, number_in_pass), found))


def _collect(data, kind, found, depth):
    if len(found) >= MAX_TENSORS or depth > MAX_DEPTH:
        return
    if isinstance(data, kind):
        found.append(weakref.ref(data))
    elif isinstance(data, dict):
        for value in list(data.values())[:MAX_TENSORS]:
            _collect(value, kind, found, depth + 1)
    elif isinstance(data, (list, tuple)):
        for value in data[:MAX_TENSORS]:
            _collect(value, kind, found, depth + 1)


def at_backward():
    """Returns the keys of the latest batches of which a tensor exists. The keys are needed at a backward pass before
    which several batches were fetched or a pass has begun, and until the next backward pass that follows a new batch.
    Returns None at all other backward passes.
    """
    since, _fetched["since"] = _fetched["since"], 0
    if since and _latest and (since > 1 or _latest[-1][0][2] == 0):
        _looks["left"] = 2
        if since > 1:
            _several.add(_latest[-1][0][0])
    if not _looks["left"]:
        return None
    _looks["left"] -= bool(since)
    return frozenset(key for key, tensors in _latest if any(one() is not None for one in tensors))
