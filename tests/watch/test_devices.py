# SPDX-License-Identifier: Apache-2.0
"""Numbers that come from a device or from the kernel, with fakes in their place. Needs no PyTorch."""
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
from ringside_watch import observations, queueing, replicas, report, scalars  # noqa: E402


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
        self.assertEqual(queueing.between(first, queueing.stamp()), 5500)

    def test_what_cannot_be_read_is_not_known(self):
        stamp = queueing.stamp()
        for content in (None, b"", b"no numbers here", b"1 2 3 4", b"100 1999 3\n"):
            self.assertEqual(queueing.between(stamp, content), -1)
        self.close()  # as a script that closes all files
        self.assertIsNone(queueing.stamp())
        self.assertIsNone(queueing.stamp())

    def test_a_system_without_the_file(self):
        with mock.patch.object(queueing, "PATH", "/no/such/file"):
            self.assertIsNone(queueing.stamp())

    def test_threads_have_files_of_their_own_up_to_a_limit(self):
        stamps = []
        barrier = threading.Barrier(queueing.MOST_THREADS + 1)

        def step():
            stamps.append(queueing.stamp())
            barrier.wait(60)

        threads = [threading.Thread(target=step) for _ in range(queueing.MOST_THREADS + 1)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual((stamps.count(None), len(set(queueing._files.values()))), (1, queueing.MOST_THREADS))

    def test_traces_hold_the_time_of_their_step(self):
        one = new_report()
        for end, queued in ((10, b"0 1000 1"), (20, b"0 1700 2"), (30, None), (40, b"0 9000 3")):
            one.take_backward(end - 9, 0, end - 1, 0, "train.py:1", 1.0, None)
            one.take_optimizer(end - 1, 0, end, 0, 0, 0.1, [], queued)
        one.complete_all()
        self.assertEqual([event["queued_ns"] for event in events_of(one) if event["kind"] == "trace"],
                         [-1, 700, -1, -1])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[1:])
