# SPDX-License-Identifier: Apache-2.0
"""The sender thread: connects to the watcher, turns observations into telemetry lines, and writes them."""
import os
import select
import socket
import threading
import time

from . import __version__, observations, report, stalls, wire
from .observations import Watching

TICK_SECONDS = 0.04
ZERO_SECONDS = 5.0  # longest wait for the watcher's first line, which contains the time on CLOCK_MONOTONIC at which the
                    # run began
ZERO_AT_END_SECONDS = 1.0  # longest wait for the watcher's first line in a process that is about to end
LAST_SECONDS = 2.5  # longest wait for the last lines to be written
MAX_PENDING = 8 << 20  # number of waiting bytes beyond which step rows, traces and scalars are dropped
MAX_IN_ALL = 16 << 20  # number of waiting bytes beyond which all lines are dropped except the last ones


class Sender:
    """Owns the thread and the connection of one rank."""

    def __init__(self, process):
        self.pid = os.getpid()
        self._process = process
        self._ending = False
        self._connection = None
        self._pending = bytearray()
        self._wake_read, self._wake_write = socket.socketpair()
        self._report = report.Report(process)
        self._stalls = stalls.Stalls(process)
        self._thread = threading.Thread(target=self._run, name="ringside_watch", daemon=True)

    def start(self):
        self._thread.start()

    def finish(self, seconds):
        """Sends the remaining lines and joins the thread. Blocks for at most the given time."""
        self._ending = True
        self._wake_write.send(b"x")
        self._thread.join(seconds)

    def close_in_child(self):
        """Closes the descriptors in a forked child. The parent's connection stays open."""
        self._wake_read.close()
        self._wake_write.close()
        if self._connection is not None:
            self._connection.close_in_child()

    def _run(self):
        try:
            self._connect()
            while not (self._ending and self._is_drained()):
                self._send_once()
            self._send_end()
        except Exception:
            pass  # the watcher has ended or refuses this process: the script continues without it
        finally:
            observations.stop()
            if self._connection is not None:
                self._connection.close()

    def _connect(self):
        secret = wire.read_secret(os.environ.get("RINGSIDE_WATCH_SECRET_FILE"))
        self._connection = wire.connect(os.environ.get("RINGSIDE_WATCH", ""), secret, self._process.rank,
                                        "ringside_watch " + __version__)
        begin = time.monotonic()
        while self._report.zero_ns is None:
            if time.monotonic() - begin > (ZERO_AT_END_SECONDS if self._ending else ZERO_SECONDS):
                break
            self._connection.wait_to_read(TICK_SECONDS)
            self._read()
        if self._report.zero_ns is None:
            self._report.zero_ns = time.monotonic_ns()
        self._report.begin()

    def _is_drained(self):
        return not observations.QUEUE

    def _send_once(self):
        self._connection.wait(TICK_SECONDS, bool(self._pending), self._wake_read)
        self._read()
        self._report.take_all(observations.QUEUE)
        self._stalls.check(self._report)
        self._report.tick(time.monotonic_ns())
        self._queue(self._report.take_lines())
        self._write()

    def _read(self):
        for line in self._connection.lines():
            kind = line.get("kind")
            if kind == "time":
                self._answer_time(line)
            elif kind == "stack":
                self._stalls.add_stall_to(self._report)

    def _answer_time(self, line):
        asked, zero = line.get("asked_us"), line.get("zero_us")
        if isinstance(zero, int):
            self._report.zero_ns = zero * 1000
        if isinstance(asked, int):
            answer = {"asked_us": asked, "us": time.monotonic_ns() // 1000}
            self._pending += wire.encode("time", answer)
            self._write()

    def _queue(self, lines, last=False):
        """Appends lines to the bytes that wait for the socket. Drops and counts lines that do not fit."""
        for line in lines:
            size = len(self._pending) + len(line.data)
            if last or size <= (MAX_PENDING if line.may_drop else MAX_IN_ALL):
                self._pending += line.data
            else:
                self._report.dropped_steps += line.steps
                self._report.dropped_lines += 1

    def _write(self):
        while self._pending:
            sent = self._connection.write(bytes(self._pending[:1 << 16]))
            if sent == 0:
                return
            del self._pending[:sent]

    def _send_end(self):
        self._report.complete_all()
        self._queue(self._report.take_lines())
        self._report.end()
        self._queue(self._report.take_lines(), last=True)
        deadline = time.monotonic() + LAST_SECONDS
        while self._pending and time.monotonic() < deadline:
            self._write()
            if self._pending:
                select.select([], [self._connection], [], 0.05)
        Watching.on = False
