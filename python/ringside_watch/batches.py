# SPDX-License-Identifier: Apache-2.0
"""Decides which batches a script has trained on.

The newest batch before a backward pass counts as trained. Older batches that were fetched since the previous backward
pass count as trained only if the next backward pass follows the same pattern: as many batches of the same loaders. With
this rule, the batches of a loss over two batches, and of two zipped loaders, count as trained. Batches that a script
skips, and batches of an evaluation, do not.
"""


class Batch:
    """A batch that a loader has passed to the script."""

    __slots__ = ("loader", "number_in_pass", "number_of_pass", "indices", "samples", "end_ns")

    def __init__(self, loader, number_of_pass, number_in_pass, indices, samples, end_ns):
        self.loader = loader
        self.number_of_pass = number_of_pass
        self.number_in_pass = number_in_pass
        self.indices = indices
        self.samples = samples
        self.end_ns = end_ns


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
        self._confirmed = set()  # patterns of batches that were seen in two consecutive steps

    def fetched(self, batch):
        self._waiting.append(batch)

    def backward(self, step):
        if not self._waiting:
            return
        pattern = self._pattern()
        self._decide_unsure(pattern)
        *older, newest = self._waiting
        self._waiting = []
        if not older or pattern in self._confirmed:
            for batch in older + [newest]:
                self._trained(batch, step)
        else:  # the newest batch is trained on too, but is reported only after the older ones are decided, to keep the
               # order
            self._unsure, self._unsure_pattern, self._unsure_step = older + [newest], pattern, step

    def _pattern(self):
        counts = {}
        for batch in self._waiting:
            counts[batch.loader] = counts.get(batch.loader, 0) + 1
        return tuple(sorted(counts.items()))

    def _decide_unsure(self, pattern):
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
        """Returns whether it is decided for each batch fetched during the step whether the step trains on it."""
        return not self._unsure or self._unsure_step.containing_step() is not step

    def held(self):
        """Returns (loader, pass) of each batch that is not reported as trained or untrained yet."""
        return {(batch.loader, batch.number_of_pass) for batch in self._waiting + self._unsure}

    def pass_ended(self, loader):
        """Reports the waiting batches of a loader whose pass is over as untrained: no backward pass will follow."""
        if any(batch.loader == loader for batch in self._unsure):
            self._decide_unsure(None)
        kept = []
        for batch in self._waiting:
            if batch.loader == loader:
                self._untrained(batch)
            else:
                kept.append(batch)
        self._waiting = kept

    def end(self):
        self._decide_unsure(None)
        for batch in self._waiting:
            self._untrained(batch)
        self._waiting = []
