# SPDX-License-Identifier: Apache-2.0
"""Decides which batches a script has trained on.

The newest batch before a backward pass counts as trained. Older batches that were fetched since the previous backward
pass count as trained only if the next backward pass follows the same pattern: as many batches of the same loaders. With
this rule, the batches of a loss over two batches, and of two zipped loaders, count as trained. Batches that a script
skips, and batches of an evaluation, do not.

A prefetching script has always fetched n batches more than it has trained on. In a pass over the loader, it fetches n +
1 batches before the first backward pass and one batch before each further backward pass. After the end of the pass, it
runs n more backward passes. It trains on the batches in the order of fetching. A script that skips the first n batches
of a pass, for example because it resumes a run, fetches batches in the same order until the end of the pass. Two
observations distinguish the two kinds of scripts:

* held.py reports which batches exist at a backward pass. The batches are prefetched if all of them exist at the first
  backward pass, and only the oldest one is gone at the second. Any other observation decides nothing, because a script
  may keep only copies of its batches, for example on a device.
* After the end of a pass, a prefetching script runs n more backward passes without a new batch.

Until one of these observations is made, a single early batch counts as prefetched, and several early batches count as
skipped. If this assumption was wrong, the batches of the first pass of the loader are reported with wrong steps.

A script can also fetch n batches and then train on each of them: n backward passes follow n batches of one loader.

Batches that were fetched by another thread than the training thread wait in a separate queue. Each backward pass takes
the oldest batch of the loader from which a batch was fetched last.
"""
import threading


class Batch:
    """A batch that a loader has passed to the script."""

    __slots__ = ("loader", "number_in_pass", "number_of_pass", "indices", "samples", "end_ns", "thread")

    def __init__(self, loader, number_of_pass, number_in_pass, indices, samples, end_ns, thread=None):
        self.loader = loader
        self.number_of_pass = number_of_pass
        self.number_in_pass = number_in_pass
        self.indices = indices
        self.samples = samples
        self.end_ns = end_ns
        self.thread = thread  # identifier of the thread that has fetched the batch; None: the training thread

    def key(self):
        """Returns the number of the loader, the pass and the position in the pass of a batch. held.py identifies batches by these
        three numbers."""
        return self.loader, self.number_of_pass, self.number_in_pass


class Pairing:
    """Pairs batches with backward passes. Reports each batch, in the order of fetching, by calling one of two
    functions.

    trained(batch, step): the script has trained on the batch; `step` is the value that was passed to backward().
    untrained(batch): the script has not trained on the batch.
    """

    def __init__(self, trained, untrained):
        self._trained = trained
        self._untrained = untrained
        self._waiting = []  # batches that the loaders have delivered since the last backward pass
        # batches fetched before a backward pass, of which it is not yet decided whether they are trained on; includes
        # the newest batch
        self._unsure = []
        self._unsure_pattern = None
        self._unsure_steps = []  # steps of the backward passes since the newest unsure batch
        # keys of the batches that existed at the first of these backward passes, or None if this was not observed
        self._unsure_existing = None
        self._unsure_is_last = False  # true if the pass that fetched the batches in _unsure has ended
        self._confirmed = set()  # patterns of batches that were seen in two consecutive steps
        self._prefetched = {}  # loader whose batches the script fetches early -> number of batches fetched early
        self._in_groups = set()  # loaders of which the script fetches several batches and then trains on each of them
        # loaders of which the script has skipped the first batches of a pass, so they are not prefetched
        self._skipping = set()
        # first batches of a pass, of which the end of the pass shows whether they are skipped or prefetched
        self._early = []
        # steps of the backward passes since the end of the pass of _early; None before its end
        self._early_steps = None
        self._thread = threading.main_thread().ident  # training thread, as known from the latest backward pass
        self._queue = []  # batches of other threads that wait for a backward pass
        self._ended = set()  # (loader, pass) of passes that have ended and have batches in the queue
        self._over = {}  # loader whose batches the script fetches early -> number of its latest pass that has ended

    def judge_earlier_batches(self, batch):
        """Decides which earlier batches were trained on, as far as this is known when a new batch is fetched."""
        if self._unsure_is_last:
            self._decide_unsure(None)
        if self._early_steps is not None or any(
                one.loader == batch.loader and one.number_of_pass != batch.number_of_pass for one in self._early):
            self._drop_early()
        if batch.loader in self._in_groups:
            self._drop(self._of_earlier_passes(batch))

    def fetched(self, batch):
        self.judge_earlier_batches(batch)
        self._drop_left_pass(batch)
        self._waiting.append(batch)

    def backward(self, step, thread=None, existing=None):
        """Handles a backward pass. thread: identifier of its thread; None: the thread of the batches. existing: keys of the
        latest batches that exist, or None if this was not observed.
        """
        if thread is not None:
            self._thread = thread
            self._sort_by_thread()
        if self._queue:
            self._train_oldest(step)
        if not self._waiting:
            self._continue_without_batch(step)
            return
        self._drop_unused_prefetched(existing)
        pattern = self._pattern()
        self._decide_unsure(pattern, existing)
        if self._train_prefetched(step):
            return
        *older, newest = self._waiting
        self._waiting = []
        if not older or pattern in self._confirmed:
            for batch in older + [newest]:
                self._trained(batch, step)
        else:  # The newest batch is trained on too. To keep the order, it is reported only when it is known whether the
               # older ones were trained on.
            self._unsure, self._unsure_pattern = older + [newest], pattern
            self._unsure_steps, self._unsure_existing = [step], existing

    def _continue_without_batch(self, step):
        """Handles a backward pass before which no new batch was fetched."""
        if self._unsure:
            self._unsure_steps.append(step)
            if self._unsure_is_last and len(self._unsure_steps) == len(self._unsure):
                self._prefetched[self._unsure[0].loader] = len(self._unsure) - 1
                self._train_each_unsure()
        elif self._early_steps is not None:
            self._early_steps.append(step)
            if len(self._early_steps) == len(self._early):
                self._prefetched[self._early[0].loader] = len(self._early)
                for batch, one in zip(self._early, self._early_steps):
                    self._trained(batch, one)
                self._early, self._early_steps = [], None

    def _train_prefetched(self, step):
        """If the loader of the waiting batches is prefetched, reports the batch that this backward pass trains on.
        Returns whether the loader is prefetched.
        """
        first = self._waiting[0]
        if first.loader not in self._prefetched or len(self._pattern()) != 1:
            return False
        many = len(self._waiting) - self._prefetched[first.loader]
        if self._over.get(first.loader) == first.number_of_pass:
            many = max(1, many)
        if many > 0:  # if no batch is left over, this is another backward pass of the latest trained batch
            self._drop(self._waiting[:many - 1])
            self._trained(self._waiting.pop(0), step)
        return True

    def is_training_thread(self, thread):
        return thread is None or thread == self._thread

    def _is_of_other_thread(self, batch):
        return not self.is_training_thread(batch.thread)

    def _sort_by_thread(self):
        own = [batch for batch in self._queue if not self._is_of_other_thread(batch)]
        self._queue = [batch for batch in self._queue + self._waiting if self._is_of_other_thread(batch)]
        self._waiting = own + [batch for batch in self._waiting if not self._is_of_other_thread(batch)]

    def _train_oldest(self, step):
        loader = self._queue[-1].loader
        at = next(number for number, batch in enumerate(self._queue) if batch.loader == loader)
        earlier, batch, later = self._queue[:at], self._queue[at], self._queue[at + 1:]
        over = [one for one in earlier if (one.loader, one.number_of_pass) in self._ended]
        self._queue = [one for one in earlier if one not in over] + later
        for one in over:  # these batches are from a pass that has ended, so they were used for an evaluation
            self._untrained(one)
        self._trained(batch, step)

    def _pattern(self):
        counts = {}
        for batch in self._waiting:
            counts[batch.loader] = counts.get(batch.loader, 0) + 1
        return tuple(sorted(counts.items()))

    def _decide_unsure(self, pattern, existing=None):
        if not self._unsure:
            return
        if self._is_prefetched(pattern, existing):
            first, *later = self._unsure
            self._prefetched[first.loader] = len(later)
            self._trained(first, self._unsure_steps[0])
            self._waiting[:0] = later
            self._unsure = []
            return
        if len(self._unsure_steps) == len(self._unsure) and len(self._unsure_pattern) == 1:
            self._in_groups.add(self._unsure[0].loader)
            self._train_each_unsure()
            return
        step = self._unsure_steps[0]
        if pattern == self._unsure_pattern:
            self._confirmed.add(pattern)
        elif self._begins_pass() and self._waiting_continues(pattern) and len(self._unsure) > 2:
            self._drop_early()
            self._early, self._unsure = self._unsure[:-1], self._unsure[-1:]
        for batch in self._unsure:
            if pattern == self._unsure_pattern or batch is self._unsure[-1]:
                self._trained(batch, step)
            else:
                self._untrained(batch)
        self._unsure, self._unsure_is_last = [], False

    def _train_each_unsure(self):
        """Reports the unsure batches as trained, one for each backward pass since they were fetched."""
        for batch, step in zip(self._unsure, self._unsure_steps):
            self._trained(batch, step)
        self._unsure, self._unsure_is_last = [], False

    def _begins_pass(self):
        """Returns whether the unsure batches are the first batches of a single pass, over a loader that may be
        prefetched.
        """
        first = self._unsure[0]
        return first.loader not in self._skipping | self._in_groups and all(
            (one.loader, one.number_of_pass, one.number_in_pass) == (first.loader, first.number_of_pass, number)
            for number, one in enumerate(self._unsure))

    def _is_prefetched(self, pattern, existing):
        """Returns whether the next backward pass shows that the script prefetches the unsure batches."""
        if self._unsure_is_last or not self._begins_pass() or not self._waiting_continues(pattern):
            return False
        if len(self._unsure) == 2:
            return True
        if self._unsure_existing is None or existing is None:
            return False
        first, *later = [one.key() for one in self._unsure]
        return self._unsure_existing.issuperset([first, *later]) and existing.issuperset(later) and first not in existing

    def _waiting_continues(self, pattern):
        """Returns whether exactly one batch waits, and it follows the unsure batches in the same pass."""
        batch, before = self._waiting[0] if self._waiting else None, self._unsure[-1]
        return (pattern == ((before.loader, 1),) and batch.number_of_pass == before.number_of_pass
                and batch.number_in_pass == before.number_in_pass + 1)

    def _of_earlier_passes(self, batch):
        return [one for one in self._waiting
                if one.loader == batch.loader and one.number_of_pass != batch.number_of_pass]

    def _drop(self, dropped):
        """Removes the given batches from the waiting batches, and reports them as untrained."""
        self._waiting = [one for one in self._waiting if one not in dropped]
        for one in dropped:
            self._untrained(one)

    def _drop_early(self):
        for one in self._early:
            self._untrained(one)
        self._early, self._early_steps = [], None

    def _drop_unused_prefetched(self, existing):
        """Handles waiting batches of earlier passes after a later pass has delivered a batch. If they still exist, the
        script prefetches across the end of a pass, and they keep waiting. Otherwise they are reported as untrained, and
        the loader counts as not prefetched.
        """
        newest = self._waiting[-1]
        if newest.loader not in self._prefetched:
            return
        earlier = self._of_earlier_passes(newest)
        if not earlier or existing is not None and existing.issuperset([one.key() for one in earlier]):
            return
        del self._prefetched[newest.loader]
        self._skipping.add(newest.loader)
        self._drop(earlier)

    def _drop_left_pass(self, batch):
        """Reports the batches of other threads as untrained if they belong to an earlier pass that the script has not
        finished.
        """
        left = [one for one in self._queue + self._waiting
                if one.loader == batch.loader and one.number_of_pass != batch.number_of_pass
                and self._is_of_other_thread(one) and (one.loader, one.number_of_pass) not in self._ended]
        if left:
            self._queue = [one for one in self._queue if one not in left]
            self._waiting = [one for one in self._waiting if one not in left]
            for one in left:
                self._untrained(one)

    def is_settled(self, step):
        """True if, for each batch fetched during the step, it is decided whether the step trains on it."""
        undecided = (self._unsure_steps if self._unsure else []) + (self._early_steps or [])
        return all(one.containing_step() is not step for one in undecided)

    def held(self):
        """Returns (loader, pass) of each batch that is not reported as trained or untrained yet."""
        return {(batch.loader, batch.number_of_pass) for batch in self._waiting + self._unsure + self._queue + self._early}

    def pass_ended(self, loader):
        """Handles the end of a pass. Reports the waiting batches of the loader as untrained, because no backward pass
        will follow. Exceptions: batches of a prefetched loader and batches that other threads have fetched keep
        waiting.
        """
        early = [batch for batch in self._waiting + self._queue
                 if batch.loader == loader and self._is_of_other_thread(batch)]
        self._ended.update((batch.loader, batch.number_of_pass) for batch in early)
        if any(batch.loader == loader for batch in self._unsure):
            self._unsure_is_last = self._begins_pass() and not self._waiting
            if not self._unsure_is_last:
                self._decide_unsure(None)
        if self._early and self._early[0].loader == loader:
            self._early_steps = []
        if loader in self._prefetched:
            self._over.update((batch.loader, batch.number_of_pass) for batch in self._waiting if batch.loader == loader)
        if loader in self._prefetched or loader in self._in_groups:
            return
        kept = []
        for batch in self._waiting:
            if batch.loader == loader and batch not in early:
                self._untrained(batch)
            else:
                kept.append(batch)
        self._waiting = kept

    def end(self):
        self._decide_unsure(None)
        self._drop_early()
        for batch in self._queue + self._waiting:
            self._untrained(batch)
        self._queue, self._waiting = [], []
