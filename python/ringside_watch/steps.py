# SPDX-License-Identifier: Apache-2.0
"""Groups observations into optimizer steps.

A step ends with an optimizer step. Several optimizers, as in adversarial training, form one step if they follow each
other without a new batch and without a repeated optimizer. For this reason a step is complete only when the next batch
arrives or an optimizer steps for the second time.
"""
from . import scalars

MAX_SPANS = 400  # limit of the number of spans of one step; a step with more is not traced


class Step:
    """Observations between two optimizer steps."""

    def __init__(self):
        self.number = None  # number of the step, from 1; None until the step is complete
        self.batches = []  # batches that the step has trained on
        self.losses = {}  # line of the script that calls backward() -> losses on which it was called
        self.spans = []  # (begin, CPU time at begin, end, CPU time at end, phase) of each span, times in nanoseconds
        self.collectives = []  # (number of the process group, number, kind, bytes, begin, end) of each collective
        self.optimizers = []
        self.backwards = 0
        self.unused = 0  # number of backward passes whose gradients the script has cleared before an optimizer step
        self.unused_is_known = True
        self.scheduler_steps = 0
        self.all_reduces = 0
        self.data_ns = 0
        self.learning_rate = 0.0
        self.end_ns = 0
        self.end_cpu = 0
        self.end_queued = None  # stamp of queueing.py at the end of the step
        self.checksums = []  # (name, checksum) of each parameter after the step
        self.started = []  # (name, checksum) of the parameters of each optimizer before its first step
        self.skipped = 0  # number of optimizer steps that a gradient scaler has skipped
        self.merged = None
        self.written = False

    def containing_step(self):
        """Returns the step that contains this one, or this one if it was not joined to another."""
        step = self
        while step.merged is not None:
            step = step.merged
        return step

    def absorb(self, other):
        for name in ("batches", "spans", "collectives", "checksums", "started"):
            getattr(self, name).extend(getattr(other, name))
        for site, values in other.losses.items():
            self.losses.setdefault(site, []).extend(values)
        for name in ("backwards", "unused", "scheduler_steps", "all_reduces", "data_ns", "skipped"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.unused_is_known &= other.unused_is_known
        other.merged = self

    def is_ready(self):
        return all(scalars.is_ready(value) for values in self.losses.values() for value in values) and all(
            scalars.is_ready(value) for _, value in self.checksums + self.started)

    def remove_missing(self):
        """Called at the end of the process. Removes losses and checksums whose values have not arrived from a device.
        If one value of a list is missing, removes the whole list, because a mean or a hash over the remaining values
        would be wrong. Returns the number of missing values.
        """
        lists = [*self.losses.values(), *([one for _, one in pairs] for pairs in (self.checksums, self.started))]
        missing = sum(not scalars.is_known(value) for values in lists for value in values)
        if missing:
            self.losses = {site: values for site, values in self.losses.items() if all(map(scalars.is_known, values))}
            for name in ("checksums", "started"):
                if not all(scalars.is_known(value) for _, value in getattr(self, name)):
                    setattr(self, name, [])
        return missing

    def loss_by_line(self):
        """Returns the mean of the values at each line that calls backward(), in the order of their first call."""
        means = {}
        for site, values in self.losses.items():
            numbers = [scalars.value_of(value) for value in values]
            if numbers:
                means[site] = sum(numbers) / len(numbers)
        return means

    def add_span(self, *span):
        if len(self.spans) <= MAX_SPANS:
            self.spans.append(span)


class StepGrouping:
    """Groups observations into steps, and calls complete(step) for each complete step, in order."""

    def __init__(self, complete):
        self._complete = complete
        self._stepped = None  # step that has ended with an optimizer step, but may continue with another optimizer
        self.upcoming = Step()
        self.number = 0

    def optimizer_stepped(self, optimizer, end_ns, end_cpu):
        if self._stepped is not None and optimizer in self._stepped.optimizers:
            self.close()
        if self._stepped is None:
            self._stepped = self.upcoming
        else:
            self._stepped.absorb(self.upcoming)
        self.upcoming = Step()
        step = self._stepped
        step.optimizers.append(optimizer)
        step.end_ns, step.end_cpu = end_ns, end_cpu
        return step

    def close(self):
        """Completes the step that has ended with an optimizer step, if there is one."""
        if self._stepped is None:
            return
        step, self._stepped = self._stepped, None
        self.number += 1
        step.number = self.number
        self._complete(step)

    def has_stepped(self):
        return self._stepped is not None

    def last(self):
        """Returns the step to which scheduler steps and scalars belong: the step with the latest optimizer step, or the
        step in progress before any optimizer step.
        """
        return self._stepped if self._stepped is not None else self.upcoming
