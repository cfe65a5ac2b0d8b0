# SPDX-License-Identifier: Apache-2.0
"""Observes DataLoader: the indices that reach the data set, the batches that reach the script, and the time to wait."""
import collections
import os
import time
import weakref

from . import collectives, datasets, guard, observations, samplers
from .observations import Watching

CONTENT_BATCHES = 4  # of a loader's first pass whose content is fingerprinted; of later passes it is the first batch
CONTENT_PASSES = 50  # a script can begin a pass for each batch
CONTENT_SAMPLES = (64, 8)  # of such a batch: in the first pass, later

HOOK = guard.Hook("loader")
FACTS = guard.Hook("facts of loaders")  # a failure there must not cost the indices

_numbers = weakref.WeakKeyDictionary()  # loader -> number
_ahead = weakref.WeakSet()  # loaders whose wrapper fetches ahead of the script
_known = {}  # what makes a loader the same -> its latest facts
_passes = {}  # number of the loader -> number of its next pass


class _Iteration:
    """State of one iterator, kept in its attribute _ringside."""

    def __init__(self, number):
        self.number = number
        self.delivers = True  # a batch reaches the script when it is fetched
        self.number_of_pass = 0
        self.pid = os.getpid()
        self.dispatched = collections.deque()
        self.batches = 0
        self.paired = True
        self.open = False

    def __del__(self):
        """The script has dropped the iterator before its end."""
        try:
            if self.open and Watching.on and self.pid == os.getpid():
                observations.note("pass_end", time.monotonic_ns(), self.number, self.number_of_pass, "left")
        except Exception:  # at the end of the interpreter
            pass


def patch(module):
    """Wraps the base class of all iterators of torch.utils.data."""
    iterator = module._BaseDataLoaderIter
    guard.wrap(iterator, "__init__", HOOK, after=_created)
    guard.wrap(iterator, "_reset", HOOK, before=_resets)
    guard.wrap(module._MultiProcessingDataLoaderIter, "_reset", HOOK, before=_resets)
    guard.wrap(iterator, "_next_index", HOOK, after=_dispatched)
    _wrap_next(iterator)


def _number_of(loader):
    """Returns the loader's number. A loader that is made again for each epoch keeps it.

    Loaders are the same if the same line of the script iterates over the same data set object in batches of one size.
    """
    number = _numbers.get(loader)
    if number is not None:
        return number
    facts = FACTS.call(samplers.describe_loader, loader) or {}
    key = (type(loader), facts.get("where"), facts.get("batch_size"), datasets.number_of(loader.dataset))
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


def _created(_, args, result):
    iterator, loader = args[0], args[1]
    _begin_pass(iterator, loader)


def _resets(args, kwargs):
    """A persistent iterator begins another pass: the pairing of the pass before must not survive."""
    iterator, loader = args[0], args[1] if len(args) > 1 else kwargs.get("loader")
    if iterator.__dict__.get("_ringside") is None:  # the constructor resets the iterator before it is known here
        _begin_pass(iterator, loader)
    elif not kwargs.get("first_iter", args[2] if len(args) > 2 else False):
        iterator._ringside.dispatched.clear()
        if iterator._ringside.batches:
            _begin_pass(iterator, loader)


def _begin_pass(iterator, loader):
    state = iterator.__dict__.get("_ringside")
    if state is not None and state.batches == 0 and state.open:
        return  # the constructor has begun this pass already
    number = _number_of(loader)
    state = iterator._ringside = _Iteration(number)
    state.number_of_pass = _passes.get(number, 0)
    _passes[number] = state.number_of_pass + 1
    state.open = True
    state.delivers = loader not in _ahead
    state.paired = getattr(loader, "in_order", True) or getattr(loader, "num_workers", 0) == 0
    facts = FACTS.call(samplers.describe_pass, loader, number, state.number_of_pass)
    if facts is not None:
        facts["collectives"] = collectives.total()
        observations.note("fact", time.monotonic_ns(), "pass", facts)


def _dispatched(_, args, index):
    state = args[0].__dict__.get("_ringside")
    if state is not None:
        state.dispatched.append(index)


def _wrap_next(iterator_class):
    """Wraps __next__ by hand, because StopIteration and other exceptions need different treatment."""
    original = iterator_class.__next__

    @guard.transparent
    def ringside_next(self):
        if not (Watching.on and HOOK.on):
            return original(self)
        outer, Watching.phase = Watching.phase, "data"
        begin = observations.now()
        try:
            data = original(self)
        except StopIteration:
            HOOK.call(_ended, self)
            raise
        except BaseException as error:
            HOOK.call(_failed, self)
            guard.drop_own_frame(error)
            raise
        finally:
            Watching.phase = outer
        HOOK.call(_consumed, self, begin, data)
        return data

    ringside_next.__name__, ringside_next.__qualname__ = "__next__", original.__qualname__
    ringside_next.__doc__, ringside_next.__wrapped__ = original.__doc__, original
    iterator_class.__next__ = ringside_next


def _ended(iterator):
    state = iterator.__dict__.get("_ringside")
    if state is not None and state.open:
        state.open = False
        observations.note("pass_end", time.monotonic_ns(), state.number, state.number_of_pass, "exhausted")


def _failed(iterator):
    state = iterator.__dict__.get("_ringside")
    if state is not None and state.dispatched:
        state.dispatched.popleft()


def _consumed(iterator, begin, data):
    end = observations.now()
    state = iterator.__dict__.get("_ringside")
    if state is None:
        return
    indices = state.dispatched.popleft() if state.dispatched else None
    if not state.paired:
        indices = None
    samples, indices = _count(indices, data)
    Watching.phase = "forward"
    observations.note("batch", begin[0], begin[1], end[0], end[1], state.number, state.number_of_pass, state.batches,
                      indices, samples, state.delivers)
    later = state.number_of_pass > 0
    if state.batches < (1 if later else CONTENT_BATCHES) and state.number_of_pass < CONTENT_PASSES:
        content = FACTS.call(datasets.fingerprint_batch, data, samples, CONTENT_SAMPLES[later])
        if content:
            content.update({"loader": state.number, "pass": state.number_of_pass, "batch": state.batches})
            observations.note("fact", end[0], "content", content)
    state.batches += 1


def _count(indices, data):
    """Returns the number of samples and the list of indices, or None for an IterableDataset."""
    if isinstance(indices, int):  # batch_size=None
        return 1, [indices]
    if indices is not None and hasattr(indices, "__len__") and len(indices) > 0 and indices[0] is not None:
        return len(indices), indices
    return datasets.batch_length(data), None


def patch_accelerate(module):
    """Accelerate fetches one batch ahead of the script: batches count when its generator hands them out."""
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
