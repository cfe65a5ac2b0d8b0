# SPDX-License-Identifier: Apache-2.0
"""Tests with the system's PyTorch 1.13, if it is installed: indices, losses, times, learning rates and replicas are
observed.
"""
import json
import os
import sys
import tempfile
import unittest

import torch_python
import watched

PYTHON = "/usr/bin/python3"


class OldVersion(unittest.TestCase):
    def both(self, script, **switches):
        words = watched.command(script, python=PYTHON)
        alone = watched.run_alone(words, switches)
        with tempfile.TemporaryDirectory() as folder:
            seen = watched.run_watched(words, dict(switches, TRUTH=folder))
            truth = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name)) as file:
                    truth[int(name[5:-5])] = json.load(file)
        self.assertEqual(alone.code, 0, "alone: " + alone.end())
        self.assertEqual(seen.code, 0, "watched: " + seen.end())
        self.assertEqual(watched.mixed(seen.out), watched.mixed(alone.out))
        self.assertEqual(seen.error, alone.error)
        return seen.recorded, truth

    def check_losses(self, recorded, truth):
        for rank, known in truth.items():
            self.assertEqual([round(one, 5) for one in recorded.column(rank, "loss")],
                             [round(one[1], 5) for one in known["steps"]])
            self.assertEqual(recorded.of_rank(rank, "script", "hook_failed"), [])
            rates = [event["lr"] for event in recorded.of_rank(rank, "steps") for _ in event["step"]]
            self.assertEqual(rates, [one[2] for one in known["steps"]])

    def test_one_process_with_loader_and_scheduler(self):
        for workers in ("0", "2"):
            recorded, truth = self.both("single_csv.py", WORKERS=workers)
            self.check_losses(recorded, truth)
            with open(os.path.join(watched.SCRIPTS, "single_csv.py")) as file:
                text = file.read().splitlines()
            line = int(recorded.of_rank(0, "script", "scheduler_step")[0]["where"].split(":")[1])
            self.assertIn("scheduler.step()", text[line - 1])
            if workers == "0":
                trained, held_out = recorded.trained(0), recorded.untrained(0, 1)
                seen = trained[0] + sum(held_out[:3], []) + trained[1] + sum(held_out[3:], [])
                self.assertEqual(seen, truth[0]["reads"])
            phases = {phase for event in recorded.of_rank(0, "trace") for phase in event["phase"]}
            self.assertTrue({1, 3, 4, 7} <= phases)  # data, forward, backward, optimizer

    def test_ddp_with_spawn(self):
        recorded, truth = self.both("toy_spawn.py")
        self.check_losses(recorded, truth)
        self.assertEqual(recorded.ranks(), [0, 1])
        hashes = [[event["hash"] for event in recorded.of_rank(rank, "replica")] for rank in (0, 1)]
        self.assertEqual(hashes[0], hashes[1])
        self.assertGreater(len(set(hashes[0])), 1)


if __name__ == "__main__":
    version = torch_python.version_in(PYTHON)
    if version is None or version[0] != 1:
        print("SKIPPED: %s has no PyTorch 1" % PYTHON)
        sys.exit(torch_python.SKIPPED)
    unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[1:])
