# SPDX-License-Identifier: Apache-2.0
"""Decides which batches a script has trained on.

The newest batch before a backward pass counts as trained. Older batches that were fetched since the previous backward
pass count as trained only if the next backward pass follows the same pattern: as many batches of the same loaders. With
this rule, the batches of a loss over two batches, and of two zipped loaders, count as trained. Batches that a script
skips, and batches of an evaluation, do not.

A prefetching script fetches one batch more than it has trained on: two batches come before the first backward pass of a
pass over the loader, and one before each further one, and the last backward pass follows the end of the pass. Its backward
passes take the batches in the order of fetching. A script that skips exactly the first batch of a pass looks the same
until the end of the pass. Its first such pass is reported one batch too early.

Batches that another thread than the training thread has fetched wait in a queue of their own. Each backward pass takes the
oldest batch of the loader that was fetched from last.
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


class Pairing:
    """Pairs batches with backward passes. Reports the results in order by calling one of two functions.

    trained(batch, step): a backward pass has followed; `step` is the value that was passed to backward().
    untrained(batch): no backward pass has followed.
    """

    def __init__(self, trained, untrained):
        self._trained = trained
        self._untrained = untrained
        self._waiting = []  # batches that the loaders have delivered since the last backward pass
        self._unsure = []  # batches fetched before the last backward pass, with their pattern and step; includes the
                           # newest batch
        self._unsure_pattern = None
        self._unsure_step = None
        self._unsure_is_last = False  # true if the pass of the unsure batches has ended
        self._confirmed = set()  # patterns of batches that were seen in two consecutive steps
        self._prefetched = set()  # loaders whose batches the script fetches one batch early
        self._skipping = set()  # loaders whose first batch the script has skipped, so that they are not prefetched
        self._thread = threading.main_thread().ident  # training thread, as known from the latest backward pass
        self._queue = []  # batches of other threads that wait for a backward pass
        self._ended = set()  # (loader, pass) of passes that have ended and have batches in the queue

    def fetched(self, batch):
        if self._unsure_is_last:
            self._decide_unsure(None)
        if batch.loader in self._prefetched:
            self._drop_earlier_pass(batch)
        self._drop_left_pass(batch)
        self._waiting.append(batch)

    def backward(self, step, thread=None):
        """Handles a backward pass. thread: identifier of its thread; None: the thread of the batches."""
        if thread is not None:
            self._thread = thread
            self._sort_by_thread()
        if self._queue:
            self._train_oldest(step)
        if not self._waiting:
            if self._unsure_is_last:
                self._confirm_prefetching(step)
            return
        pattern = self._pattern()
        self._decide_unsure(pattern)
        if len(self._pattern()) == 1 and self._waiting[0].loader in self._prefetched:
            self._trained(self._waiting.pop(0), step)
            return
        *older, newest = self._waiting
        self._waiting = []
        if not older or pattern in self._confirmed:
            for batch in older + [newest]:
                self._trained(batch, step)
        else:  # the newest batch is trained on too, but is reported only after the older ones are decided, to keep the
               # order
            self._unsure, self._unsure_pattern, self._unsure_step = older + [newest], pattern, step

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
        for one in over:  # batches of an evaluation
            self._untrained(one)
        self._trained(batch, step)

    def _pattern(self):
        counts = {}
        for batch in self._waiting:
            counts[batch.loader] = counts.get(batch.loader, 0) + 1
        return tuple(sorted(counts.items()))

    def _decide_unsure(self, pattern):
        if not self._unsure:
            return
        if self._may_prefetch() and not self._unsure_is_last and self._waiting_continues(pattern):
            first, second = self._unsure
            self._prefetched.add(first.loader)
            self._trained(first, self._unsure_step)
            self._waiting.insert(0, second)
            self._unsure = []
            return
        if pattern == self._unsure_pattern:
            self._confirmed.add(pattern)
        for batch in self._unsure:
            if pattern == self._unsure_pattern or batch is self._unsure[-1]:
                self._trained(batch, self._unsure_step)
            else:
                self._untrained(batch)
        self._unsure, self._unsure_is_last = [], False

    def _may_prefetch(self):
        """Returns whether the unsure batches are the first two of one pass."""
        places = [(batch.loader, batch.number_of_pass, batch.number_in_pass) for batch in self._unsure]
        return (len(places) == 2 and places[0][:2] == places[1][:2] and (places[0][2], places[1][2]) == (0, 1)
                and places[0][0] not in self._skipping)

    def _waiting_continues(self, pattern):
        """Returns whether one batch waits: the third of the pass of the unsure batches."""
        batch, before = self._waiting[0] if self._waiting else None, self._unsure[-1]
        return (pattern == ((before.loader, 1),) and batch.number_of_pass == before.number_of_pass
                and batch.number_in_pass == before.number_in_pass + 1)

    def _confirm_prefetching(self, step):
        """Handles a backward pass after the end of a pass with two batches."""
        first, second = self._unsure
        self._prefetched.add(first.loader)
        self._trained(first, self._unsure_step)
        self._trained(second, step)
        self._unsure, self._unsure_is_last = [], False

    def _drop_earlier_pass(self, batch):
        """Reports the waiting batches of earlier passes as untrained when a new pass has delivered its first batch. The loader
        is then not prefetched.
        """
        earlier = [one for one in self._waiting
                   if one.loader == batch.loader and one.number_of_pass != batch.number_of_pass]
        if not earlier:
            return
        self._prefetched.discard(batch.loader)
        self._skipping.add(batch.loader)
        self._waiting = [one for one in self._waiting if one not in earlier]
        for one in earlier:
            self._untrained(one)

    def _drop_left_pass(self, batch):
        """Reports batches of other threads as untrained if they are of an earlier pass that the script has left."""
        left = [one for one in self._queue + self._waiting
                if one.loader == batch.loader and one.number_of_pass != batch.number_of_pass
                and self._is_of_other_thread(one) and (one.loader, one.number_of_pass) not in self._ended]
        if left:
            self._queue = [one for one in self._queue if one not in left]
            self._waiting = [one for one in self._waiting if one not in left]
            for one in left:
                self._untrained(one)

    def is_settled(self, step):
        """Returns whether it is decided for each batch fetched during the step whether the step trains on it."""
        return not self._unsure or self._unsure_step.containing_step() is not step

    def held(self):
        """Returns (loader, pass) of each batch that is not reported as trained or untrained yet."""
        return {(batch.loader, batch.number_of_pass) for batch in self._waiting + self._unsure + self._queue}

    def pass_ended(self, loader):
        """Reports the waiting batches of a loader whose pass is over as untrained, because no backward pass will follow.
        Keeps those of a prefetched loader and of other threads.
        """
        early = [batch for batch in self._waiting + self._queue
                 if batch.loader == loader and self._is_of_other_thread(batch)]
        self._ended.update((batch.loader, batch.number_of_pass) for batch in early)
        if any(batch.loader == loader for batch in self._unsure):
            self._unsure_is_last = self._may_prefetch() and not self._waiting
            if not self._unsure_is_last:
                self._decide_unsure(None)
        if loader in self._prefetched:
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
        for batch in self._queue + self._waiting:
            self._untrained(batch)
        self._queue, self._waiting = [], []
