# SPDX-License-Identifier: Apache-2.0
"""Tests of numbers that come from a device or from the kernel, with fakes in their place. Needs no PyTorch."""
import json
import os
import sys
import tempfile
import threading
import unittest
from unittest import mock

import watched

sys.path.insert(0, watched.PYTHON_FOLDER)
os.environ["RINGSIDE_WATCH_OFF"] = "1"
os.environ["RINGSIDE_WATCH"] = "unix:/nowhere"
import ringside_watch  # noqa: E402,F401
from ringside_watch import queueing, report, scalars  # noqa: E402


class Process:
    rank = 0


def new_report():
    one = report.Report(Process)
    one.zero_ns = 0
    return one


def events_of(one):
    return [json.loads(line.data) for line in one.take_lines()]


class Queueing(unittest.TestCase):
    """The time for which a thread had no CPU, with a file in place of /proc/thread-self/schedstat."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "schedstat")
        self.write(b"100 2000 3\n")
        for patch in (mock.patch.object(queueing, "PATH", self.path),
                      mock.patch.dict(queueing._files, clear=True)):
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.close)

    @staticmethod
    def close():
        for file in queueing._files.values():
            if file >= 0:
                os.close(file)

    def write(self, content):
        with open(self.path, "wb") as file:
            file.write(content)

    def test_a_difference_of_two_stamps(self):
        first = queueing.stamp()
        self.write(b"150 7500 9\n")
        self.assertEqual(queueing.queued_ns_between(first, queueing.stamp()), 5500)

    def test_a_value_that_cannot_be_read_is_unknown(self):
        stamp = queueing.stamp()
        for content in (None, b"", b"no numbers here", b"1 2 3 4", b"100 1999 3\n"):
            self.assertEqual(queueing.queued_ns_between(stamp, content), -1)
        self.close()  # as a script that closes all files
        self.assertIsNone(queueing.stamp())
        self.assertIsNone(queueing.stamp())

    def test_a_system_without_the_file(self):
        with mock.patch.object(queueing, "PATH", "/no/such/file"):
            self.assertIsNone(queueing.stamp())

    def test_threads_have_files_of_their_own_up_to_a_limit(self):
        stamps = []
        done, ends = threading.Semaphore(0), threading.Event()

        def step():
            stamps.append(queueing.stamp())
            done.release()
            ends.wait(60)

        threads = [threading.Thread(target=step) for _ in range(queueing.MAX_THREADS + 1)]
        for one in threads:  # one after another; all stay alive, so that their numbers differ
            one.start()
            done.acquire()
        ends.set()
        for one in threads:
            one.join()
        self.assertEqual((stamps.count(None), len(set(queueing._files.values()))), (1, queueing.MAX_THREADS))

    def test_traces_hold_the_time_of_their_step(self):
        one = new_report()
        for end, queued in ((10, b"0 1000 1"), (20, b"0 1700 2"), (30, None), (40, b"0 9000 3")):
            one.take_backward(end - 9, 0, end - 1, 0, "train.py:1", 1.0, None)
            one.take_optimizer(end - 1, 0, end, 0, 0, 0.1, [], queued)
        one.complete_all()
        self.assertEqual([event["queued_ns"] for event in events_of(one) if event["kind"] == "trace"],
                         [-1, 700, -1, -1])


class Deferred(unittest.TestCase):
    """Numbers on a device, with a fake event instead of a GPU."""

    class Fake(scalars.Deferred):
        def __init__(self, value):
            self.number, self.arrived, self.value = None, False, value
            scalars._pending.append(self)

        def poll(self):
            if self.arrived:
                self.number = self.value
            return self.arrived

    def setUp(self):
        self.capturing, scalars._is_capturing = scalars._is_capturing, lambda: self.captures
        self.captures = False
        self.addCleanup(setattr, scalars, "_is_capturing", self.capturing)

    def test_a_step_waits_for_its_loss_and_keeps_its_order(self):
        one = new_report()
        losses = [self.Fake(0.5), 0.25]
        for loss in losses:
            one.take_backward(0, 0, 0, 0, "train.py:1", loss, None)
            one.take_optimizer(0, 0, 0, 0, 0, 0.1, [])
        one.steps.close()
        self.assertEqual([line for line in one.take_lines() if b'"steps"' in line.data], [])
        losses[0].arrived = self.captures = True
        scalars.poll()
        self.assertIsNone(losses[0].number)  # no call of the device while a graph is captured
        self.captures = False
        scalars.poll()
        self.assertFalse(scalars.has_pending())
        rows = [json.loads(line.data) for line in one.take_lines() if b'"kind":"steps"' in line.data]
        self.assertEqual([(row["step"], row["loss"]) for row in rows], [([1, 2], [0.5, 0.25])])

    def settle(self, seconds):
        """Ends the process. Each wait lets the number of self.arrives arrive, and takes 0.1 s of a clock of its own."""
        clock = [0.0]

        def wait(_):
            clock[0] += 0.1
            if self.arrives and clock[0] > 0.25:
                self.arrives.arrived = True

        with mock.patch.object(scalars.time, "monotonic", lambda: clock[0]), \
                mock.patch.object(scalars.time, "sleep", wait), mock.patch.object(scalars, "SETTLE_SECONDS", seconds):
            scalars.settle()
        return clock[0]

    arrives = None

    def test_the_end_of_the_process_waits_for_a_number(self):
        self.arrives = self.Fake(1.5)
        self.assertLess(self.settle(1.0), 0.35)
        self.assertEqual(scalars.value_of(self.arrives), 1.5)
        self.assertTrue(scalars.is_known(self.arrives))

    def test_a_number_that_never_arrives_is_not_known(self):
        never = self.Fake(1.0)
        self.assertLess(self.settle(1.0), 1.15)
        self.assertTrue(scalars.is_ready(never))
        self.assertFalse(scalars.is_known(never))

    def test_a_device_that_fails_at_the_end_leaves_no_number(self):
        never = self.Fake(1.0)
        with mock.patch.object(self.Fake, "poll", side_effect=RuntimeError("the device is lost")), \
                self.assertRaises(RuntimeError):
            scalars.settle()
        self.assertFalse(scalars.has_pending())
        self.assertFalse(scalars.is_known(never))

    def test_unknown_values_are_neither_losses_nor_checksums(self):
        """Three steps: all numbers are known; the loss and a checksum are not known; one of two losses is not known."""
        one = new_report()
        losses = [[0.5], [self.Fake(9.0)], [0.25, self.Fake(9.0)]]
        checksums = [[("a", 5), ("b", 6)], [("a", 7), ("b", self.Fake(8))], [("a", 9)]]
        for values, sums in zip(losses, checksums):
            for loss in values:
                one.take_backward(0, 0, 0, 0, "train.py:1", loss, None)
            one.take_optimizer(0, 0, 0, 0, 0, 0.1, sums)
        self.settle(0.2)
        one.complete_all()
        one.end()
        events = events_of(one)
        rows = [row for event in events if event["kind"] == "steps" for row in zip(event["step"], event["loss"])]
        self.assertEqual(rows, [(1, 0.5), (2, None), (3, None)])
        counts = [event["facts"] for event in events if event.get("about") == "step_counts"]
        self.assertEqual([(one["from_step"], one["losses"]) for one in counts], [(1, ["train.py:1"]), (2, []), (3, [])])
        self.assertEqual([(event["step"], event["checksums"]) for event in events if event["kind"] == "replica"],
                         [(1, [5, 6]), (3, [9])])
        ends = [event["facts"]["not_arrived"] for event in events if event.get("about") == "end"]
        self.assertEqual(ends, [3])

    def test_a_loss_that_is_not_finite_stays_a_loss(self):
        one = new_report()
        one.take_backward(0, 0, 0, 0, "train.py:1", float("nan"), None)
        one.take_optimizer(0, 0, 0, 0, 0, 0.1, [])
        one.complete_all()
        counts = [event["facts"] for event in events_of(one) if event.get("about") == "step_counts"]
        self.assertEqual([one["losses"] for one in counts], [["train.py:1"]])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[1:])
