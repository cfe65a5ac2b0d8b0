# SPDX-License-Identifier: Apache-2.0
"""ringsidectl watch on several hosts: network namespaces, a host with another clock, and a real Slurm. The ranks need no
PyTorch. Last argument: the program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("support", "launchers"):
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), folder))

from slurm_on_one_machine import Slurm, why_not  # noqa: E402
from switched_hosts import SwitchedHosts  # noqa: E402

FAKE = os.path.join(HERE, "scripts", "fake_rank.py")
PROGRAM = sys.argv.pop() if os.path.sep in sys.argv[-1] else "ringsidectl"
LONG = 120  # seconds


class Hosts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="watch-hosts-")
        self.run_directory = os.path.join(self.folder.name, "run")
        self.secret = os.path.join(self.folder.name, "secret")
        with open(self.secret, "w") as file:
            file.write("a secret for all hosts\n")
        os.chmod(self.secret, 0o600)

    def tearDown(self):
        self.folder.cleanup()

    def read(self, name):
        return pathlib.Path(self.run_directory, name).read_text()

    def test_two_network_namespaces(self):
        try:
            hosts = SwitchedHosts(2).__enter__()
        except (OSError, subprocess.CalledProcessError) as error:
            self.skipTest("no network namespaces: %s" % error)
        self.addCleanup(hosts.__exit__)
        address = hosts.address(0) + ":29401"
        first = subprocess.Popen(
            [*hosts.on(0), PROGRAM, "watch", "--out", self.run_directory, "--listen", address, "--secret-file",
             self.secret, "--", sys.executable, FAKE, "--wait"], env=dict(os.environ, RANK="0", WORLD_SIZE="2"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(first.stdout.readline(), b"out of rank 0\n")
        second = subprocess.run(
            [*hosts.on(1), PROGRAM, "watch", "--join", address, "--secret-file", self.secret, "--", sys.executable,
             FAKE], env=dict(os.environ, RANK="1", WORLD_SIZE="2"), capture_output=True, timeout=LONG)
        self.assertEqual(second.returncode, 0, second.stderr)
        stopped = subprocess.run([*hosts.on(0), PROGRAM, "control", self.run_directory, "stop"],
                                 timeout=LONG, capture_output=True)
        self.assertEqual(stopped.returncode, 0, stopped.stderr)
        first.communicate(timeout=LONG)
        summary = json.loads(self.read("summary.json"))
        self.assertEqual((summary["state"], summary["steps"], summary["world_size"]), ("stopped", 8, 2))

    def test_a_host_with_another_clock(self):
        """Times of a rank whose clock is 1,000 s ahead are those of the run."""
        done = subprocess.run([PROGRAM, "watch", "--out", self.run_directory, "--listen", "127.0.0.1:0", "--",
                               sys.executable, FAKE, "--clock-ahead", "1000", "--beats", "12"], capture_output=True,
                              timeout=LONG)
        self.assertEqual(done.returncode, 0, done.stderr)
        events = [json.loads(line) for line in self.read("telemetry.jsonl").splitlines()]
        times = [event["time_us"] for event in events if "time_us" in event]
        self.assertTrue(times and all(-1e6 < us < 60e6 for us in times), times)
        clocks = [event for event in events if event["kind"] == "clock"]
        self.assertTrue(clocks)
        self.assertAlmostEqual(clocks[-1]["offset_us"], 1000e6, delta=1e6)

    def test_srun(self):
        reason = why_not()
        if reason:
            self.skipTest("no Slurm: %s" % reason)
        with Slurm(3) as slurm:
            text = slurm.call(PROGRAM, "watch", "--out", self.run_directory, "--", "srun", "-N3", "--ntasks-per-node=1",
                              sys.executable, FAKE)
        self.assertTrue(os.path.exists(os.path.join(self.run_directory, "summary.json")), text)
        summary = json.loads(self.read("summary.json"))
        self.assertEqual((summary["state"], summary["steps"], summary["world_size"]), ("finished", 8, 3), text)
        self.assertFalse(os.path.exists(os.path.join(self.run_directory, "watch.secret")))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
