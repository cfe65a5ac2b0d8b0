# SPDX-License-Identifier: Apache-2.0
"""Groups observations into optimizer steps.

A step ends with an optimizer step. Steps of several optimizers that follow each other without a new batch and without a
repeated optimizer, as in adversarial training, form one step. So a step is complete only when the next batch arrives or
an optimizer steps for the second time.
"""
from . import scalars

MOST_SPANS = 400  # of one step; a step with more is not traced


class Step:
    """Everything that was observed since the step before."""

    def __init__(self):
        self.number = None  # from 1, once it is complete
        self.batches = []  # trained on
        self.losses = {}  # line of the backward call -> values as given to backward()
        self.spans = []  # (begin, cpu at begin, end, cpu at end, phase)
        self.collectives = []  # (group, number, kind, bytes, begin, end)
        self.optimizers = []
        self.backwards = 0
        self.scheduler_steps = 0
        self.all_reduces = 0
        self.data_ns = 0
        self.learning_rate = 0.0
        self.end_ns = 0
        self.end_cpu = 0
        self.checksums = []  # (name, checksum)
        self.started = []  # (name, checksum) of the parameters of each optimizer before its first step
        self.skipped = 0  # optimizer steps that a gradient scaler has left out
        self.merged = None
        self.written = False

    def resolve(self):
        """Returns the step that this one became a part of, or this one."""
        step = self
        while step.merged is not None:
            step = step.merged
        return step

    def absorb(self, other):
        for name in ("batches", "spans", "collectives", "checksums", "started"):
            getattr(self, name).extend(getattr(other, name))
        for site, values in other.losses.items():
            self.losses.setdefault(site, []).extend(values)
        for name in ("backwards", "scheduler_steps", "all_reduces", "data_ns", "skipped"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        other.merged = self

    def is_ready(self):
        return all(scalars.is_ready(value) for values in self.losses.values() for value in values) and all(
            scalars.is_ready(value) for _, value in self.checksums + self.started)

    def loss_by_line(self):
        """Returns the mean of the values at each line that calls backward(), in the order of their first call."""
        means = {}
        for site, values in self.losses.items():
            numbers = [scalars.value_of(value) for value in values]
            if numbers:
                means[site] = sum(numbers) / len(numbers)
        return means

    def add_span(self, *span):
        if len(self.spans) <= MOST_SPANS:
            self.spans.append(span)


class StepGrouping:
    """Calls complete(step) for each complete step, in order."""

    def __init__(self, complete):
        self._complete = complete
        self._stepped = None  # ends with an optimizer step, but may continue
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
        """Completes the step that has had its optimizer step, if there is one."""
        if self._stepped is None:
            return
        step, self._stepped = self._stepped, None
        self.number += 1
        step.number = self.number
        self._complete(step)

    def has_stepped(self):
        return self._stepped is not None

    def last(self):
        """Returns the step that scheduler steps and scalars belong to: the one that has just had its optimizer step."""
        return self._stepped if self._stepped is not None else self.upcoming
