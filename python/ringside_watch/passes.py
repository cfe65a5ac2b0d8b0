# SPDX-License-Identifier: Apache-2.0
"""Holds batches that the script has not received yet, and the ends of passes over loaders.

Loaders of Accelerate fetch one batch ahead of the script. Their batches wait here until they are delivered, and their
passes end when the pass of the wrapper around the loader ends.
"""


class Passes:
    """Batches and passes of one rank that are not complete yet. Used by Report."""

    def __init__(self, report):
        self._report = report
        self._ahead = {}  # number of a loader -> batches that a wrapper has fetched and the script has not received
        # (loader, pass, why) of passes that have ended, but whose last batches are not yet delivered to the script
        self._late = []
        # (time, loader, pass, why) of passes that the script has left or exhausted, but on whose last batches it may
        # still train
        self._left = []

    def handle_fetched_batch(self, batch, delivered):
        self._report.epochs.get_or_add_pass(batch.loader, batch.number_of_pass).delivered += 1
        if delivered:
            self._report.pairing.fetched(batch)
        else:
            self._report.pairing.judge_earlier_batches(batch)
            self._ahead.setdefault(batch.loader, []).append(batch)
        self._end_left()

    def handle_delivered_batch(self, loader):
        """Handles a batch that a wrapper of Accelerate passes to the script. The wrapper has fetched at most one later
        batch, and has skipped all earlier ones.
        """
        ahead = self._ahead.get(loader, [])
        while len(ahead) > 2:
            self._report.untrained(ahead.pop(0))
        if ahead:
            self._report.pairing.fetched(ahead.pop(0))

    def handle_pass_end(self, at_ns, loader, number, why):
        if why == "left":
            self._left.append((at_ns, loader, number, why))
            return
        if self._ahead.get(loader):
            self._late.append((loader, number, why))
            return
        self._report.pairing.pass_ended(loader)
        if (loader, number) in self._report.pairing.held():
            self._left.append((at_ns, loader, number, why))
        else:
            self._report.end_pass(at_ns, loader, number, why)

    def handle_accelerate_pass_end(self, at_ns, loader):
        for batch in self._ahead.pop(loader, []):
            self._report.untrained(batch)
        self._report.pairing.pass_ended(loader)
        late, self._late = self._late, []
        for one in late:
            self._report.end_pass(at_ns, *one)

    def _end_left(self):
        """Ends passes that the script has left, unless a backward pass can still follow for one of their batches."""
        if not self._left:
            return
        held = self._report.pairing.held() | {(loader, batch.number_of_pass) for loader, ahead in self._ahead.items()
                                              for batch in ahead}
        left, self._left = self._left, []
        for at_ns, loader, number, why in left:
            if (loader, number) in held:
                self._left.append((at_ns, loader, number, why))
            else:
                self._report.end_pass(at_ns, loader, number, why)

    def end(self, at_ns):
        for loader in list(self._ahead):
            self.handle_accelerate_pass_end(at_ns, loader)
        for ended in self._left:
            self._report.end_pass(*ended)
        for loader, number in self._report.epochs.unfinished_passes():
            self._report.end_pass(at_ns, loader, number, "left")
