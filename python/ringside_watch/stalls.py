# SPDX-License-Identifier: Apache-2.0
"""Reports the position of the training thread if nothing was observed for some seconds."""
import json
import sys
import time

from . import places
from .observations import Watching

# minimum of the time without an observation after which a stall is reported; the limit is 8 step times if these are longer
FIRST_SECONDS = 4.0
RECENT = 5  # number of reported entries of the flight recorder
AGAIN_SECONDS = 10.0  # interval between two reports of one stall


class Stalls:
    """Detects and reports stalls. Used by the sender thread."""

    def __init__(self, process):
        self._process = process
        self._reported = 0.0
        self._seen = -1
        self._since = time.monotonic()
        self._cpu_before = self._cpu_us()

    def _cpu_us(self):
        """Returns the CPU time of the training thread in microseconds. It grows while the thread computes, and not
        while it waits.
        """
        try:
            return int(time.clock_gettime(time.pthread_getcpuclockid(self._process.training_thread)) * 1e6)
        except (AttributeError, OSError, OverflowError):
            return 0

    @staticmethod
    def _recent_collectives():
        """Returns the latest collectives in PyTorch's flight recorder, which also records the collectives of FSDP and DDP."""
        c10d = sys.modules.get("torch._C._distributed_c10d")
        dump = getattr(c10d, "_dump_fr_trace_json", None) or getattr(c10d, "_dump_nccl_trace_json", None)
        if dump is None:
            return []
        try:
            entries = json.loads(dump()).get("entries", [])[-RECENT:]
        except (RuntimeError, TypeError, ValueError):
            return []
        return [{"name": one.get("profiling_name"), "number": one.get("collective_seq_id"),
                 "sizes": one.get("input_sizes"), "group": one.get("process_group"), "state": one.get("state")}
                for one in entries]

    def check(self, report):
        now = time.monotonic()
        if report.taken != self._seen:
            self._seen, self._since, self._reported = report.taken, now, 0.0
            self._cpu_before = self._cpu_us()
            return
        limit = max(FIRST_SECONDS, 8 * report.step_seconds)
        if now - self._since >= limit and now - self._reported >= AGAIN_SECONDS:
            self._reported = now
            self.add_stall_to(report)

    def add_stall_to(self, report):
        """Adds the "stalled" facts: duration, CPU time, phase, collective or message in progress, and Python stack."""
        facts = {"for_us": int((time.monotonic() - self._since) * 1e6), "phase": Watching.phase,
                 "steps": report.steps.number, "cpu_us": self._cpu_us() - self._cpu_before}
        inside = Watching.inside
        if inside is not None:
            operation, group, number, peer, begin = inside
            facts["inside"] = {"operation": operation, "group": group, "number": number, "peer": peer,
                               "for_us": (time.monotonic_ns() - begin) // 1000}
        recent = self._recent_collectives()
        if recent:
            facts["recent"] = recent
        frame = sys._current_frames().get(self._process.training_thread)
        if frame is not None:
            facts["stack"] = places.stack_of(frame)
            facts["where"] = places.user_line_from(frame)
        report.fact(time.monotonic_ns(), "stalled", facts)
