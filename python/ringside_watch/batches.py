# SPDX-License-Identifier: Apache-2.0
"""Decides which batches were trained on.

A batch is trained on when a backward pass follows it. The newest batch before a backward pass is. Older batches that
were fetched since the previous backward pass are only if the next backward pass follows the same pattern: as many
batches of the same loaders. So a loss over two batches and two zipped loaders count, while batches that a script
skips, and batches of an evaluation, do not.
"""


class Batch:
    """A batch that a loader has handed to the script."""

    __slots__ = ("loader", "number_in_pass", "number_of_pass", "indices", "samples", "end_ns")

    def __init__(self, loader, number_of_pass, number_in_pass, indices, samples, end_ns):
        self.loader = loader
        self.number_of_pass = number_of_pass
        self.number_in_pass = number_in_pass
        self.indices = indices
        self.samples = samples
        self.end_ns = end_ns


class Pairing:
    """Pairs batches with backward passes. Results are reported through the two functions, in order.

    trained(batch, step): `step` is the value that was passed to backward(). untrained(batch).
    """

    def __init__(self, trained, untrained):
        self._trained = trained
        self._untrained = untrained
        self._waiting = []  # since the last backward pass
        self._unsure = []  # before the last backward pass, the newest one included, with its pattern and its step
        self._unsure_pattern = None
        self._unsure_step = None
        self._confirmed = set()  # patterns that were seen twice in a row

    def fetched(self, batch):
        self._waiting.append(batch)

    def backward(self, step):
        if not self._waiting:
            return
        pattern = self._pattern()
        self._settle(pattern)
        *older, newest = self._waiting
        self._waiting = []
        if not older or pattern in self._confirmed:
            for batch in older + [newest]:
                self._trained(batch, step)
        else:  # the newest one waits with the others, so that the order stays
            self._unsure, self._unsure_pattern, self._unsure_step = older + [newest], pattern, step

    def _pattern(self):
        counts = {}
        for batch in self._waiting:
            counts[batch.loader] = counts.get(batch.loader, 0) + 1
        return tuple(sorted(counts.items()))

    def _settle(self, pattern):
        if not self._unsure:
            return
        if pattern == self._unsure_pattern:
            self._confirmed.add(pattern)
        for batch in self._unsure:
            if pattern == self._unsure_pattern or batch is self._unsure[-1]:
                self._trained(batch, self._unsure_step)
            else:
                self._untrained(batch)
        self._unsure = []

    def is_settled(self, step):
        """Returns whether it is known which batches the step trains on."""
        return not self._unsure or self._unsure_step.resolve() is not step

    def held(self):
        """Returns the (loader, pass) of batches that are not settled."""
        return {(batch.loader, batch.number_of_pass) for batch in self._waiting + self._unsure}

    def pass_ended(self, loader):
        """Settles what waits of a loader whose pass is over: no backward pass will follow."""
        if any(batch.loader == loader for batch in self._unsure):
            self._settle(None)
        kept = []
        for batch in self._waiting:
            if batch.loader == loader:
                self._untrained(batch)
            else:
                kept.append(batch)
        self._waiting = kept

    def end(self):
        self._settle(None)
        for batch in self._waiting:
            self._untrained(batch)
        self._waiting = []
