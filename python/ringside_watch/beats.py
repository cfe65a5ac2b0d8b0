# SPDX-License-Identifier: Apache-2.0
"""Sends one heartbeat a second from the sender thread: step, epoch, phase, latest collective and memory of the rank."""
import os

from . import collectives
from .observations import Watching


class Heartbeats:
    def __init__(self, report):
        self._report = report
        self._last = None
        self._since_ns = 0
        try:
            self._page = os.sysconf("SC_PAGE_SIZE")
        except (ValueError, OSError):
            self._page = 4096

    def fields(self, now_ns):
        report = self._report
        step = report.steps.number + (report.steps.has_stepped())
        collective = collectives.number_of_latest(0)
        fields = {"rank": report.rank, "step": step, "epoch": report.epochs.epoch, "phase": Watching.phase,
                  "collective": collective, "resident_bytes": self._resident(),
                  "dropped_steps": report.dropped_steps, "batches": report.batches,
                  "time_us": report.to_microseconds(now_ns)}
        now = (step, Watching.phase, collective, report.batches)
        if now != self._last:
            self._last, self._since_ns = now, now_ns
        still = (now_ns - self._since_ns) // 1000
        if still > 0:
            fields["still_us"] = still
        return fields

    def _resident(self):
        try:
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * self._page
        except (OSError, ValueError, IndexError):
            return 0
