# SPDX-License-Identifier: Apache-2.0
"""Observes DataLoader: the indices that reach the data set, the batches that reach the script, and the time that the
script waits for them.
"""
import collections
import os
import threading
import time
import weakref

from . import collectives, data_parallel, datasets, guard, held, observations, samplers
from .observations import Watching

# number of fingerprinted batches in a loader's first pass; in each later pass, only one batch is fingerprinted
CONTENT_BATCHES = 4
# number of passes of each loader, from the first, that have fingerprints; limited because a script can begin a pass for
# each batch
CONTENT_PASSES = 50
CONTENT_SAMPLES = (64, 8)  # limit of the number of fingerprinted samples of a batch: in the first pass, in later passes

HOOK = guard.Hook("loader")
FACTS = guard.Hook("settings of data loaders")  # separate hook: if it fails, sample indices are still reported

_numbers = weakref.WeakKeyDictionary()  # DataLoader -> number of the loader
_ahead = weakref.WeakSet()  # loaders that are wrapped by Accelerate, which fetches one batch before the script
                            # requests it
_known = {}  # key of a loader (see _number_of) -> facts that were reported last for this key
_passes = {}  # number of a loader -> number of its next pass


class _Iteration:
    """State of one iterator of a DataLoader, kept in the attribute _ringside of the iterator."""

    def __init__(self, number):
        self.number = number
        self.delivers = True  # true if the script receives a batch as soon as it is fetched; false if Accelerate
                              # delivers it later
        self.number_of_pass = 0
        self.pid = os.getpid()
        self.dispatched = collections.deque()
        self.batches = 0
        self.paired = True
        self.open = False

    def __del__(self):
        """Reports the end of a pass whose iterator the script has dropped before its end."""
        try:
            if self.open and Watching.on and self.pid == os.getpid():
                observations.note("pass_end", time.monotonic_ns(), self.number, self.number_of_pass, "left",
                                  False, collectives.number_of_calls())
        except Exception:  # modules that this code uses may already be removed while the interpreter ends
            pass


def patch(module):
    """Wraps the base class of all iterators of torch.utils.data."""
    iterator = module._BaseDataLoaderIter
    guard.wrap(iterator, "__init__", HOOK, after=_note_iterator_created)
    guard.wrap(iterator, "_reset", HOOK, before=_note_iterator_reset)
    guard.wrap(module._MultiProcessingDataLoaderIter, "_reset", HOOK, before=_note_iterator_reset)
    guard.wrap(iterator, "_next_index", HOOK, after=_note_indices)
    _wrap_next(iterator)


def _number_of(loader):
    """Returns the number of a loader. A loader that is created again for each epoch keeps its number.

    Two loaders are the same if the same line of the script iterates over the same data set object with the same batch
    size. A data set that is created again is the same object if the earlier one no longer exists, and their descriptions
    show equal content.
    """
    number = _numbers.get(loader)
    if number is not None:
        return number
    facts = FACTS.call(samplers.describe_loader, loader) or {}
    key = (type(loader), facts.get("where"), facts.get("batch_size"), datasets.number_of(loader.dataset))
    known = _known.get(key)
    if known is None:
        FACTS.call(_find_created_again, key, loader.dataset, facts)
        key = (*key[:3], datasets.number_of(loader.dataset))
        known = _known.get(key)
    number = _numbers[loader] = len(_known) if known is None else known["id"]
    facts = dict({"id": number}, **facts)
    if facts != known:
        _known[key] = facts
        observations.note("fact", time.monotonic_ns(), "loader", facts)
    if known is None:
        for subset, indices in FACTS.call(datasets.subsets, loader.dataset) or ():
            observations.note("subset", time.monotonic_ns(), subset, indices)
    return number


def _find_created_again(key, dataset, facts):
    """Gives the data set the number of an earlier one with equal content at the same line. Replaces its description."""
    for other, known in _known.items():
        if other[:3] == key[:3] and datasets.is_gone(other[3]) and "dataset" in facts:
            if datasets.is_same_content(facts["dataset"], known["dataset"]):
                datasets.take_number(dataset, known["dataset"])
                facts["dataset"] = known["dataset"]
                return


def _note_iterator_created(_, args, result):
    iterator, loader = args[0], args[1]
    _begin_pass(iterator, loader)


def _note_iterator_reset(args, kwargs):
    """Begins a pass when a persistent iterator is reset, and discards the pending indices of the previous pass."""
    iterator, loader = args[0], args[1] if len(args) > 1 else kwargs.get("loader")
    if iterator.__dict__.get("_ringside") is None:  # the constructor calls _reset() before the hook on __init__ has
                                                    # run
        _begin_pass(iterator, loader)
    elif not kwargs.get("first_iter", args[2] if len(args) > 2 else False):
        iterator._ringside.dispatched.clear()
        if iterator._ringside.batches:
            _begin_pass(iterator, loader)


def _begin_pass(iterator, loader):
    state = iterator.__dict__.get("_ringside")
    if state is not None and state.batches == 0 and state.open:
        return  # the constructor has already begun this pass
    number = _number_of(loader)
    state = iterator._ringside = _Iteration(number)
    state.number_of_pass = _passes.get(number, 0)
    _passes[number] = state.number_of_pass + 1
    state.open = True
    state.delivers = loader not in _ahead
    state.paired = getattr(loader, "in_order", True) or getattr(loader, "num_workers", 0) == 0
    facts = FACTS.call(samplers.describe_pass, loader, number, state.number_of_pass)
    if facts is not None:
        facts["collectives"] = collectives.number_of_calls()
        observations.note("fact", time.monotonic_ns(), "pass", facts)


def _note_indices(_, args, index):
    state = args[0].__dict__.get("_ringside")
    if state is not None:
        state.dispatched.append(index)


def _wrap_next(iterator_class):
    """Wraps __next__ without guard.wrap(), because the hook must distinguish StopIteration from other exceptions."""
    original = iterator_class.__next__

    @guard.transparent
    def ringside_next(self):
        if not (Watching.on and HOOK.on):
            return original(self)
        outer, trains = Watching.phase, observations.in_training_thread()
        if trains:
            Watching.phase = "data"
        begin = observations.now()
        try:
            data = original(self)
        except StopIteration:
            HOOK.call(_note_exhausted, self)
            raise
        except BaseException as error:
            HOOK.call(_note_next_failed, self)
            guard.drop_own_frame(error)
            raise
        finally:
            if trains:
                Watching.phase = outer
        HOOK.call(_note_batch, self, begin, data, trains)
        return data

    ringside_next.__name__, ringside_next.__qualname__ = "__next__", original.__qualname__
    ringside_next.__doc__, ringside_next.__wrapped__ = original.__doc__, original
    iterator_class.__next__ = ringside_next


def _note_exhausted(iterator):
    state = iterator.__dict__.get("_ringside")
    if state is not None and state.open:
        state.open = False
        observations.note("pass_end", time.monotonic_ns(), state.number, state.number_of_pass, "exhausted",
                          data_parallel.is_evaluating(), collectives.number_of_calls())


def _note_next_failed(iterator):
    state = iterator.__dict__.get("_ringside")
    if state is not None and state.dispatched:
        state.dispatched.popleft()


def _note_batch(iterator, begin, data, trains):
    end = observations.now()
    state = iterator.__dict__.get("_ringside")
    if state is None:
        return
    indices = state.dispatched.popleft() if state.dispatched else None
    if not state.paired:
        indices = None
    samples, indices = _samples_and_indices(indices, data)
    if trains:
        Watching.phase = "forward"
        held.HOOK.call(held.batch_fetched, state.number, state.number_of_pass, state.batches, data)
    observations.note("batch", begin[0], begin[1], end[0], end[1], state.number, state.number_of_pass, state.batches,
                      indices, samples, state.delivers, threading.get_ident())
    later = state.number_of_pass > 0
    if state.batches < (1 if later else CONTENT_BATCHES) and state.number_of_pass < CONTENT_PASSES:
        content = FACTS.call(datasets.fingerprint_batch, data, samples, CONTENT_SAMPLES[later])
        if content:
            content.update({"loader": state.number, "pass": state.number_of_pass, "batch": state.batches})
            observations.note("fact", end[0], "content", content)
    state.batches += 1


def _samples_and_indices(indices, data):
    """Returns (number of samples of a batch, list of the indices of these samples). The list is None for an
    IterableDataset.
    """
    if isinstance(indices, int):  # the loader has batch_size=None
        return 1, [indices]
    if indices is not None and hasattr(indices, "__len__") and len(indices) > 0 and indices[0] is not None:
        return len(indices), indices
    return datasets.batch_length(data), None


def patch_accelerate(module):
    """Wraps the loaders of Accelerate, which fetch one batch ahead of the script. A batch counts when the generator of
    the wrapper delivers it.
    """
    for name in ("DataLoaderShard", "DataLoaderDispatcher"):
        wrapper = getattr(module, name, None)
        if wrapper is not None:
            _wrap_generator(wrapper)


def _wrap_generator(wrapper):
    original = wrapper.__iter__

    @guard.transparent
    def __iter__(self):
        base = getattr(self, "base_dataloader", None)
        if not (Watching.on and HOOK.on) or base is None:
            yield from original(self)
            return
        HOOK.call(_ahead.add, base)
        try:
            for batch in original(self):
                HOOK.call(_note_delivered, base)
                yield batch
        finally:
            HOOK.call(_note_wrapper_ended, base)

    __iter__.__wrapped__ = original
    wrapper.__iter__ = __iter__


def _note_delivered(base):
    if base in _numbers:
        observations.note("delivered", _numbers[base])


def _note_wrapper_ended(base):
    if base in _numbers:
        observations.note("wrapper_ended", time.monotonic_ns(), _numbers[base])
