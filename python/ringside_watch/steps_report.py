# SPDX-License-Identifier: Apache-2.0
"""Writes complete steps: "steps" frames, "indices", "replica", "trace", loss curves and the facts "step_counts"."""
from . import traces
from .observations import Watching, is_traced
from .replicas import combined

TRACE_SPACING_NS = 40000000  # length of a step, in nanoseconds, from which all steps are traced
MAX_COLUMN = 1 << 16


class StepsReport:
    """Writer of the complete steps of one rank. Used by Report."""

    def __init__(self, report):
        self._report = report
        self._rows = []  # rows of the frame "steps" that is not written yet
        self._frame = None  # (epoch, learning rate) of the rows in _rows
        self._counts = None
        self._sites = []  # lines that call backward()
        self._begin = None  # (nanoseconds, CPU time, content of schedstat) at the end of the previous step, which is
                            # the beginning of the next step
        self._held = []  # complete steps that cannot be written yet: their losses are still on a device, or it is not
                         # decided yet whether they train on a batch
        self._untraced = []  # (step, epoch, begin) of steps whose traces wait for DDP's times
        self._last = None  # the latest step that was written
        self.waits_for_ddp = False  # true if the trace of a step must wait for the next step, during which DDP
                                    # publishes its times
        self._sparse = False

    def complete(self, step):
        self._held.append(step)
        self._release()

    def _release(self):
        """Writes the held steps in order, up to the first step whose losses or batches are not known yet."""
        while self._held and self._held[0].is_ready() and self._report.pairing.is_settled(self._held[0]):
            self._write(self._held.pop(0))

    def _write(self, step):
        report = self._report
        step.written = True
        self._last = step
        report.not_arrived += step.remove_missing()
        for entry in step.batches:
            self.write_indices(step.number, entry)
        begin = self._begin or self._begin_of_first_step(step)
        self._begin = (step.end_ns, step.end_cpu, step.end_queued)
        length = step.end_ns - begin[0]
        report.step_seconds = length / 1e9
        self._add_row(step)
        self._write_counts(step)
        if step.started and step.number == 1:
            report.add("replica", combined(report.rank, 0, step.started))
        if step.checksums:
            report.add("replica", combined(report.rank, step.number, step.checksums))
        self._sparse = length < TRACE_SPACING_NS * (1.2 if self._sparse else 1.0)
        Watching.long_steps = not self._sparse
        # The hooks take CPU times in every step only since long_steps is true. A step without them is not traced.
        if is_traced(step.number) and begin[1] is not None and step.end_cpu is not None:
            self._untraced.append((step, self._epoch_of(step), begin))
        try:
            self._write_traces(1 if self.waits_for_ddp else 0)
        except Exception as error:  # after an error the step has no trace, but the batch that completed the step is
                                    # still handled
            report.note_failure("a trace", error)

    @staticmethod
    def _begin_of_first_step(step):
        """Returns the begin of the first step: the time of its first observation."""
        return (*min([(span[0], span[1]) for span in step.spans] or [(step.end_ns, step.end_cpu)]), None)

    def _epoch_of(self, step):
        """Returns the epoch of the step's first batch that is from the first training loader. If the step has no such
        batch, returns the current epoch of this loader.
        """
        epochs = self._report.epochs
        for batch, epoch, _, _ in step.batches:
            if batch.loader == epochs.first_training:
                return epoch
        return epochs.epoch

    def _add_row(self, step):
        report = self._report
        losses = step.loss_by_line()
        key = (self._epoch_of(step), step.learning_rate)
        if key != self._frame:
            self._write_frame()
            self._frame = key
        for site in losses:
            if site not in self._sites:
                self._sites.append(site)
        loss = next(iter(losses.values()), float("nan"))
        samples = sum(entry[0].samples or 0 for entry in step.batches)
        self._rows.append((step.number, loss, samples, report.to_microseconds(step.end_ns), step.data_ns // 1000))
        if len(self._sites) > 1:
            for site, value in losses.items():
                report.take_logged(step.end_ns, "loss " + (site or "?"), step.number, value, "loss")

    def write_indices(self, number, entry):
        """Writes the samples of one trained batch, in pieces of at most 65536."""
        batch, epoch, slot, indices = entry
        report = self._report
        for first in range(0, len(indices or ()), MAX_COLUMN):
            fields = {"rank": report.rank, "epoch": epoch, "step": number, "slot": slot + first,
                      "index": indices[first:first + MAX_COLUMN]}
            if batch.loader > 0:
                fields["loader"] = batch.loader
            report.add("indices", fields)

    def _write_counts(self, step):
        """Writes how many backward passes, batches, scheduler steps and all-reduces one optimizer step has, and which
        optimizers, loaders and losses, if they differ from those of the previous step.
        """
        counts = {"backwards": step.backwards, "unused": step.unused if step.unused_is_known else None,
                  "scheduler_steps": step.scheduler_steps,
                  "all_reduces": step.all_reduces, "optimizers": list(step.optimizers),
                  "batches": sorted({entry[0].loader: 0 for entry in step.batches}), "trained_batches": len(step.batches),
                  "losses": sorted(str(site) for site in step.losses), "skipped": step.skipped}
        if counts != self._counts:
            self._counts = counts
            self._report.fact(step.end_ns, "step_counts", dict(counts, from_step=step.number))

    def add_ddp_times(self, data):
        """Adds the times of one DDP iteration to the step that contains its begin."""
        steps = [entry[0] for entry in self._untraced] + self._held
        steps += [self._report.steps.last(), self._report.steps.upcoming]
        for step in steps:
            inside = [span for span in step.spans if span[4] == "backward" and span[0] <= data["comm_end"] and
                      span[2] >= data["comm_begin"]]
            if inside:
                step.collectives.append((data["group"], data["number"], traces.ALL_REDUCE, data["bytes"],
                                         data["comm_begin"], data["comm_end"]))
                begin = max(data["compute_end"], data["comm_begin"], inside[0][0])
                end = min(data["comm_end"], inside[0][2])
                if end > begin:
                    step.spans.append((begin, None, end, None, "waiting"))
                return

    def _write_traces(self, keep):
        while len(self._untraced) > keep:
            step, epoch, begin = self._untraced.pop(0)
            if len(step.spans) > 400:
                continue
            fields = traces.trace(self._report.rank, epoch, step, begin, self._report.zero_ns)
            self._report.add("trace", fields, True)

    def flush(self):
        """Writes the complete steps whose losses have arrived, and then the rows that wait for the next frame "steps".
        """
        self._release()
        self._write_frame()

    def _write_frame(self):
        if not self._rows:
            return
        epoch, learning_rate = self._frame
        columns = list(zip(*self._rows))
        rows, self._rows = len(self._rows), []
        self._report.add("steps", {
            "rank": self._report.rank, "epoch": epoch, "lr": learning_rate, "step": list(columns[0]),
            "loss": list(columns[1]), "samples": list(columns[2]), "end_us": list(columns[3]),
            "data_us": list(columns[4])}, True, rows)

    def end(self):
        while self._held:
            self._write(self._held.pop(0))
        if self.waits_for_ddp:
            # DDP reports the times of a step during the next step. If there is none, the communication of the last step
            # is not known.
            self._untraced = [entry for entry in self._untraced if entry[0] is not self._last or entry[0].collectives]
        self._write_traces(0)
        self.flush()
