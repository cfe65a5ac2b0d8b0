# SPDX-License-Identifier: Apache-2.0
"""Turns observations into telemetry lines. The sender thread is the only user."""
import array
import os
import socket
import time

from . import beats, collectives, facts, passes, scalars, steps_report, tensors, wire
from .batches import Batch, Pairing
from .epochs import Epochs
from .observations import Watching
from .steps import StepGrouping

MAX_INDEX = 1 << 31
MAX_COLUMN = 1 << 16
HEARTBEAT_NS = 1000000000


class Line:
    """One encoded event. may_drop: the line may be dropped if the watcher reads too slowly; `steps` then is the number
    of optimizer steps that would be lost.
    """

    __slots__ = ("data", "may_drop", "steps")

    def __init__(self, data, may_drop=False, steps=0):
        self.data = data
        self.may_drop = may_drop
        self.steps = steps


def whole_numbers(indices):
    """Returns the indices as a list of int, or None if an index is not a whole number from 0 to 2^31."""
    try:
        numbers = array.array("q", indices)
    except (TypeError, ValueError, OverflowError):
        return None
    if numbers and (min(numbers) < 0 or max(numbers) > MAX_INDEX):
        return None
    return numbers.tolist()


class Report:
    """Telemetry that one rank sends."""

    def __init__(self, process):
        self.process = process
        self.rank = process.rank
        self.zero_ns = None  # value of CLOCK_MONOTONIC, in nanoseconds, at time 0 of the run's events; None until the
                             # watcher has sent it
        self.taken = 0  # number of observations that were taken from the queue
        self.step_seconds = 0.0  # length of the latest complete step
        self.dropped_steps = 0
        self.not_arrived = 0  # number of losses and checksums that have not arrived from a device
        self.dropped_lines = 0  # number of dropped lines, including those of dropped steps
        self._lines = []
        self.epochs = Epochs()
        self.frames = steps_report.StepsReport(self)
        self.steps = StepGrouping(self.frames.complete)
        self.pairing = Pairing(self._trained, self.untrained)
        self.passes = passes.Passes(self)
        self.batches = 0
        self._heartbeat = beats.Heartbeats(self)
        self._next_beat_ns = 0
        self.training = False
        self._failures = set()  # texts of the failures that were reported
        self._lost = 0  # number of observations that could not be reported because of a failure of this package
        self._takers = {name[5:]: getattr(self, name) for name in dir(self) if name.startswith("take_")}
        self._tensors = []  # (time, facts, values) of reported tensors; the values may still be on a device
        self._subsets = set()  # numbers of the Subset objects that were reported

    # The functions below write telemetry lines.

    def add(self, kind, fields, may_drop=False, steps=0):
        self._lines.append(Line(wire.encode(kind, fields), may_drop, steps))

    def take_lines(self):
        self._write_tensors()
        self.frames.flush()
        lines, self._lines = self._lines, []
        return lines

    def to_microseconds(self, at_ns):
        return (at_ns - self.zero_ns) // 1000

    def fact(self, at_ns, about, what):
        self.add("script", {"rank": self.rank, "about": about, "facts": what, "time_us": self.to_microseconds(at_ns)})

    def state(self, state, at_ns=None, **more):
        fields = {"rank": self.rank, "state": state}
        fields.update(more)
        fields["time_us"] = self.to_microseconds(time.monotonic_ns() if at_ns is None else at_ns)
        self.add("rank", fields)

    def begin(self):
        self.state("starting", pid=os.getpid(), host=socket.gethostname()[:200])
        self.fact(time.monotonic_ns(), "process", facts.process(self.process))

    def tick(self, now_ns):
        if now_ns >= self._next_beat_ns:
            self._next_beat_ns = now_ns + HEARTBEAT_NS
            self.add("heartbeat", self._heartbeat.fields(now_ns))

    def complete_all(self):
        """Completes the step and the passes in progress at the end of the process, and writes the rows of steps that
        were not written yet.
        """
        now = time.monotonic_ns()
        try:
            self.pairing.end()
            self.steps.close()
            self.passes.end(now)
            for entry in self.steps.upcoming.batches:
                self.frames.write_indices(self.steps.number + 1, entry)
            self.frames.end()
        except Exception as error:
            self.note_failure("writing the last events of the report", error)

    def end(self):
        """Reports the end of the process."""
        now = time.monotonic_ns()
        self.fact(now, "sees", facts.observed_hooks())
        self.fact(now, "end", {"steps": self.steps.number, "batches": self.batches,
                               "collectives": collectives.number_of_calls(),
                               "unfinished_backwards": self.steps.upcoming.backwards,
                               "dropped_observations": Watching.dropped + self._lost, "dropped_steps": self.dropped_steps,
                               "dropped_lines": self.dropped_lines, "not_arrived": self.not_arrived})
        self.add("heartbeat", self._heartbeat.fields(now))
        self.state("failed" if Watching.failed else "finished")

    # The functions below handle one kind of observation each.

    def take_all(self, queue):
        while queue:
            item = queue.popleft()
            self.taken += 1
            try:
                self._takers[item[0]](*item[1:])
            except Exception as error:
                self._lost += 1
                self.note_failure("the report", error)

    def note_failure(self, where, error):
        """Reports a failure of this package once."""
        text = "%s failed: %s: %s" % (where, type(error).__name__, str(error)[:200])
        if text not in self._failures:
            self._failures.add(text)
            self.take_hook_failed(time.monotonic_ns(), where, text)

    def take_fact(self, at_ns, about, what):
        if about == "data_parallel" and what["kind"] == "ddp":
            self.frames.waits_for_ddp = True
        if about == "converted":
            what = dict(what, after_step=self._number_of_latest_ended_step())
        self.fact(at_ns, about, what)

    def take_tensors(self, at_ns, what, values):
        self._tensors.append((at_ns, what, values))

    def _write_tensors(self):
        """Writes the norms of tensors that have arrived from the device."""
        while self._tensors and scalars.is_ready(self._tensors[0][2]):
            at_ns, what, values = self._tensors.pop(0)
            values = scalars.value_of(values)
            if values is scalars.NOT_KNOWN:
                self.not_arrived += 1
            else:
                self.fact(at_ns, "tensors", tensors.facts_of_tensors(what, values))

    def take_subset(self, at_ns, number, indices):
        """Reports the indices of a Subset once, in pieces."""
        numbers = None if number in self._subsets else whole_numbers(indices)
        self._subsets.add(number)
        for first in range(0, len(numbers or ()), MAX_COLUMN):
            self.fact(at_ns, "subset", {"object": number, "first": first, "index": numbers[first:first + MAX_COLUMN]})

    def take_hook_failed(self, at_ns, hook, text):
        self.fact(at_ns, "hook_failed", {"hook": hook, "text": text})
        self.add("log", {"rank": self.rank, "level": "warning", "text": "%s: %s" % (hook, text),
                         "time_us": self.to_microseconds(at_ns)})

    def take_log(self, at_ns, level, text):
        self.add("log", {"rank": self.rank, "level": level, "text": text, "time_us": self.to_microseconds(at_ns)})

    def take_logged(self, at_ns, tag, step, value, source):
        number = self.steps.number + 1 if step is None else step
        self.add("logged", {"rank": self.rank, "tag": tag, "step": max(0, int(number)),
                            "value": wire.finite(float(value)), "source": source,
                            "time_us": self.to_microseconds(at_ns)}, True)

    def take_batch(self, t0, c0, t1, c1, loader, number_of_pass, number_in_pass, indices, samples, delivered,
                   thread=None):
        self.batches += 1
        if self.pairing.is_training_thread(thread):
            self.steps.close()
            step = self.steps.upcoming
            step.add_span(t0, c0, t1, c1, "data")
            step.data_ns += t1 - t0
        batch = Batch(loader, number_of_pass, number_in_pass, indices, samples, t1, thread)
        self.passes.handle_fetched_batch(batch, delivered)

    def take_delivered(self, loader):
        self.passes.handle_delivered_batch(loader)

    def take_pass_end(self, at_ns, loader, number, why, evaluates=False, calls=None):
        one = self.epochs.get_or_add_pass(loader, number)
        one.evaluates, one.collectives = evaluates, calls
        self.passes.handle_pass_end(at_ns, loader, number, why)

    def take_wrapper_ended(self, at_ns, loader):
        self.passes.handle_accelerate_pass_end(at_ns, loader)

    def end_pass(self, at_ns, loader, number, why):
        """Reports a pass that has ended, and the hash of the samples that it has trained on."""
        one = self.epochs.take(loader, number)
        if one is None:
            return
        digest = one.sha.hexdigest() if one.slots else None
        self.fact(at_ns, "pass_end", {
            "loader": loader, "pass": number, "why": why, "batches": one.delivered, "trained": one.trained,
            "untrained": one.untrained, "epoch": one.epoch, "indices": one.slots, "sha256": digest,
            "evaluation_mode": one.evaluates, "collectives": one.collectives})
        if one.epoch is not None and loader == self.epochs.first_training and one.slots:
            self.add("consumed", {"rank": self.rank, "epoch": one.epoch, "count": one.slots, "sha256": digest})

    def _trained(self, batch, step):
        step = step.containing_step()
        indices = None if batch.indices is None else whole_numbers(batch.indices)
        epoch, slot = self.epochs.trained(batch, indices)
        entry = (batch, epoch, slot, indices)
        if step.written:
            self.frames.write_indices(step.number, entry)
        else:
            step.batches.append(entry)

    def untrained(self, batch):
        self.epochs.untrained(batch)
        indices = None if batch.indices is None else whole_numbers(batch.indices)
        what = {"loader": batch.loader, "pass": batch.number_of_pass, "batch": batch.number_in_pass,
                "samples": batch.samples}
        if indices is not None:
            what["index"] = indices[:MAX_COLUMN]
        self.fact(batch.end_ns, "batch", what)

    def take_backward(self, t0, c0, t1, c1, site, loss, existing, thread=None, cleared=False):
        step = self.steps.upcoming
        if cleared:
            step.unused = step.backwards
        elif cleared is None:
            step.unused_is_known = False
        step.backwards += 1
        step.add_span(t0, c0, t1, c1, "backward")
        if loss is not None:
            step.losses.setdefault(site, []).append(loss)
        self.pairing.backward(step, thread, existing)
        if not self.training:
            self.training = True
            self.state("training", t0)

    def take_optimizer(self, t0, c0, t1, c1, optimizer, learning_rate, checksums, queued=None):
        step = self.steps.upcoming
        step.add_span(t0, c0, t1, c1, "optimizer")
        step = self.steps.optimizer_stepped(optimizer, t1, c1)
        if len(step.optimizers) == 1:
            step.learning_rate = learning_rate
        step.end_queued = queued
        step.checksums.extend(checksums)

    def take_start(self, checksums):
        self.steps.upcoming.started.extend(checksums)

    def take_skipped(self, at_ns):
        self.steps.upcoming.skipped += 1
        self.fact(at_ns, "skipped_step", {"after_step": self._number_of_latest_ended_step()})

    def _number_of_latest_ended_step(self):
        """Returns the number of the latest step that has ended with an optimizer step; 0 if there is none. The step may
        be incomplete: it can continue with another optimizer.
        """
        return self.steps.number + self.steps.has_stepped()

    def take_scheduler(self):
        self.steps.last().scheduler_steps += 1

    def take_collective(self, t0, c0, t1, c1, group, number, kind, size, waits):
        step = self.steps.upcoming
        if waits:
            step.add_span(t0, c0, t1, c1, "waiting")
        if kind is not None:
            step.collectives.append((group, number, kind, size, t0, t1))

    def take_synchronized(self, count):
        """Counts the backward passes whose gradients DDP has reduced since the previous optimizer step."""
        self.steps.last().all_reduces += count

    def take_ddp(self, data):
        self.frames.add_ddp_times(data)
