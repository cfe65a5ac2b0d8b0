# SPDX-License-Identifier: Apache-2.0
"""ringsidectl watch with PyTorch scripts: the run directory, the output, hangs. Last argument: the program."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import torch_python

torch_python.require()

import watched  # noqa: E402

PROGRAM = sys.argv.pop() if os.path.sep in sys.argv[-1] else "ringsidectl"
LIMIT = 240  # seconds


class Recorded(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="watch-recorded-")
        self.run_directory = os.path.join(self.folder.name, "run")

    def tearDown(self):
        self.folder.cleanup()

    def words(self, *command, options=()):
        return [PROGRAM, "watch", "--out", self.run_directory, *options, "--", *command]

    def watch(self, *command, options=(), extra=None):
        done = subprocess.run(self.words(*command, options=options), env=watched.environment(extra),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, cwd=watched.SCRIPTS)
        return watched.Result(done)

    def summary(self):
        with open(os.path.join(self.run_directory, "summary.json")) as file:
            return json.load(file)

    def events(self, kind):
        with open(os.path.join(self.run_directory, "telemetry.jsonl")) as file:
            return [event for event in map(json.loads, file) if event["kind"] == kind]

    def test_output_and_weights_are_those_of_the_script_alone(self):
        """One rank, because the lines of several ranks arrive in any order."""
        for script, extra in (("single_csv.py", {}), ("loop.py", {})):
            with self.subTest(script):
                words = watched.command(script)
                alone = watched.run_alone(words, extra)
                seen = self.watch(*words, extra=extra)
                self.assertEqual((seen.code, seen.out, seen.error), (alone.code, alone.out, alone.error))
                self.assertEqual(self.summary()["state"], "finished")
                self.run_directory += "-"

    def test_no_environment_variable_and_no_value_of_the_data_is_recorded(self):
        secret = "secret" + os.urandom(12).hex()
        value = str(int.from_bytes(os.urandom(5), "big") % 900000000 + 100000000) + ".25"
        seen = self.watch(*watched.command("secrets_of_a_script.py"), extra={"API_TOKEN": secret, "DATA_VALUE": value})
        self.assertEqual((seen.code, seen.out), (0, b"trained\n"), seen.error)
        self.assertEqual(len([one for one in self.events("indices")]), 4)
        read = 0
        for folder, _, names in os.walk(self.run_directory):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    content = file.read()
                read += 1
                for hidden in (secret, "API_TOKEN", value, value.split(".")[0]):
                    self.assertNotIn(hidden.encode(), content, name)
        self.assertGreater(read, 3)

    def test_the_record_contains_the_trained_samples(self):
        truth = os.path.join(self.folder.name, "truth")
        os.mkdir(truth)
        words = watched.command("cnn_torchrun.py", ranks=2)
        alone = watched.run_alone(words)
        seen = self.watch(*words, extra={"TRUTH": truth})
        self.assertEqual(seen.code, 0, seen.error)
        self.assertEqual(watched.mixed(seen.out), watched.mixed(alone.out))
        for rank in range(2):
            with open(os.path.join(truth, "rank-%d.json" % rank)) as file:
                epochs = json.load(file)["indices"]
            recorded = [event for event in self.events("indices") if event["rank"] == rank]
            for epoch, batches in enumerate(epochs):
                self.assertEqual([event["index"] for event in recorded if event["epoch"] == epoch], batches)
        summary = self.summary()
        # 103 samples on 2 ranks: DistributedSampler repeats one, so that each rank has 52.
        self.assertEqual([(one["assigned"], one["distinct"], one["twice"], one["never"])
                          for one in summary["samples"]["train"]], [(104, 103, 1, 0)] * 2)
        self.assertEqual((summary["steps"], summary["framework"]["name"]), (14, "torch"))

    def test_the_verdict_on_an_exception_gives_rank_and_line(self):
        seen = self.watch(*watched.command("cnn_torchrun.py", ranks=2), extra={"FAIL_AT": "2"})
        self.assertEqual(seen.code, 1)
        summary = self.summary()
        self.assertEqual((summary["state"], summary["first_failed_rank"]), ("failed", 1))
        self.assertRegex(summary["verdict"],
                         r"^rank 1 failed at cnn_torchrun\.py:\d+: RuntimeError: rank 1 fails on purpose$")

    def restart(self, **switches):
        """Returns summary and steps. One rank, because Gloo in PyTorch 2.15 often cannot connect several ranks again."""
        words = watched.command("restarts.py", ranks=1)
        seen = self.watch(*words[:3], "--max-restarts", "1", *words[3:], extra=switches)
        self.assertEqual((seen.code, seen.out.count(b"weights ")), (0, 1), seen.end())
        summary = self.summary()
        steps = [step for event in self.events("steps") for step in event["step"]]
        self.assertEqual(steps, list(range(1, len(steps) + 1)))
        self.assertEqual((summary["state"], summary["restarts"], summary["steps"]), ("finished", 1, len(steps)))
        return summary, steps

    def test_a_restart_by_torchrun_is_recorded(self):
        summary, steps = self.restart()
        self.assertIn(len(steps), range(20, 25))  # up to four before the restart, 20 after it
        self.assertRegex(summary["verdict"], "^the script has ended after a restart; restarted (before the first "
                                             "reported step|after step [1-4]): rank 0 ended without a last report$")

    def test_samples_of_both_attempts_are_recorded(self):
        summary, steps = self.restart(FAIL="raise")
        self.assertEqual(len(steps), 24)  # four before the restart, 20 after it
        self.assertRegex(summary["verdict"], r"^the script has ended after a restart; restarted after step 4: rank 0 "
                                             r"failed at restarts\.py:\d+: RuntimeError: the first attempt fails on purpose$")
        drawn = [index for event in self.events("indices") for index in event["index"]]
        self.assertEqual(len(drawn), 96)
        self.assertEqual(sorted(drawn[16:]), list(range(80)))
        self.assertEqual(drawn[:16], drawn[16:32])  # the script shuffles with the same seed
        # The second attempt begins with the initial weights: samples of the first one do not count.
        self.assertEqual([(one["assigned"], one["distinct"], one["twice"], one["never"])
                          for one in summary["samples"]["train"]], [(80, 80, 0, 0)])
        epochs = [event for event in self.events("epoch") if event["split"] == "train"]
        self.assertEqual([(event["epoch"], event["samples"], event["step"]) for event in epochs], [(0, 80, 24)])

    def test_ranks_of_spawn_are_recorded(self):
        seen = self.watch(*watched.command("toy_spawn.py"))
        self.assertEqual(seen.code, 0, seen.error)
        self.assertEqual((self.summary()["world_size"], self.summary()["steps"]), (2, 6))

    def hang(self, how):
        """Returns the sentence about a hang, or nothing if the script ends without one, and the seconds after the fifth
        step that it took."""
        process = subprocess.Popen(self.words(*watched.command("stuck_training.py", ranks=2)),
                                   env=watched.environment({"HOW": how}), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=watched.SCRIPTS)
        sentence = ""
        for line in process.stderr:
            if line.startswith(b"ringsidectl watch: No rank"):
                sentence = line.decode()
                process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        return sentence

    def test_a_hang_names_the_line_of_a_sleeping_rank(self):
        sentence = self.hang("sleep")
        self.assertRegex(sentence, r"Rank 0 is in backward, its latest collective is gloo:all_reduce number \d+, at "
                                   r"stuck_training\.py:27\.")
        self.assertRegex(sentence, r"Rank 1 is in no collective that can be seen \(phase \w+\), at stuck_training\.py:19\.")
        finding = [one for one in self.summary()["findings"] if one["code"] == "hang"][0]
        self.assertIn("stuck_training.py:19", json.dumps(finding))
        began = self.events("steps")[-1]["end_us"][-1]
        found = [event for event in self.events("log") if event["text"].startswith("No rank")][0]["time_us"]
        self.assertLess(found - began, 15_000_000)

    def test_a_hang_names_the_line_of_a_rank_with_fewer_steps(self):
        self.assertRegex(self.hang("leaves"), r"Rank 1 is in no collective that can be seen \(phase \w+\), at "
                                              r"stuck_training\.py:31\.")

    def test_a_rank_that_computes_is_no_hang(self):
        self.assertEqual(self.hang("slow"), "")
        self.assertEqual(self.summary()["state"], "finished")
        self.assertFalse([one for one in self.summary()["findings"] if one["code"] == "hang"])


class Compared(Recorded):
    def record(self, name, ranks, *arguments):
        self.run_directory = os.path.join(self.folder.name, name)
        seen = self.watch(*watched.command("gathered.py", list(arguments), ranks=ranks))
        self.assertEqual(seen.code, 0, seen.error)
        return self.run_directory

    def test_a_gradient_of_1_over_w_is_named(self):
        """all_gather() passes no gradient on: two ranks have half of the gradient of one process."""
        one, two = self.record("one", 1), self.record("two", 2)
        done = subprocess.run([PROGRAM, "compare", one, two], capture_output=True, text=True, timeout=LIMIT)
        self.assertIn("first difference after step 1: gradient of 0.weight", done.stdout)
        self.assertIn("B's is 1/2 of A's (1/W with W = 2 ranks)", done.stdout)
        right = self.record("right", 2, "--fixed")
        done = subprocess.run([PROGRAM, "compare", one, right], capture_output=True, text=True, timeout=LIMIT)
        self.assertIn("4 weights and their averaged gradients are equal", done.stdout)
        self.assertNotIn("1/W", done.stdout)


class BadInput(Recorded):
    def test_a_script_without_torch_is_reported(self):
        seen = self.watch("/usr/bin/python3", "-S", "-c", "import torch")
        self.assertEqual(seen.code, 1)
        self.assertIn(b"exited with code 1 before any of its processes trained", seen.error.splitlines()[-1])

    def test_a_script_that_fails_without_a_gpu_is_reported(self):
        seen = self.watch(*watched.command("-c", ["import torch; torch.zeros(1, device='cuda')"]))
        self.assertEqual(seen.code, 1)
        self.assertIn(b"exited with code 1 before any of its processes trained", seen.error.splitlines()[-1])


QUICK = ("Recorded.test_a_restart_by_torchrun_is_recorded",
         "Recorded.test_the_record_contains_the_trained_samples",
         "Recorded.test_a_hang_names_the_line_of_a_sleeping_rank")

if __name__ == "__main__":
    unittest.main(argv=torch_python.chosen_tests(QUICK))
