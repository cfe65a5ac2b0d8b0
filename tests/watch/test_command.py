# SPDX-License-Identifier: Apache-2.0
"""ringsidectl watch, with a script that reports as a rank does but needs no PyTorch. Argument: the program."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FAKE = os.path.join(HERE, "scripts", "fake_rank.py")
PROGRAM = sys.argv.pop() if len(sys.argv) > 1 and os.path.sep in sys.argv[-1] else "ringsidectl"
LONG = 60  # seconds, for waits that end much earlier


def environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("RINGSIDE_")}


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


def wait_until(condition, what):
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("waited %d s for %s" % (LONG, what))


def descendants_alive(mark):
    """Returns the processes whose environment holds the mark."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            is_ours = mark.encode() in read("/proc/%s/environ" % name, "rb")
            if is_ours and read("/proc/%s/stat" % name).rpartition(") ")[2][0] != "Z":
                found.append(int(name))
        except OSError:
            pass
    return found


class Watch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="watch-command-")
        self.run_directory = os.path.join(self.folder.name, "run")
        self.mark = "WATCH_TEST_MARK=%s" % self.folder.name
        self.environment = dict(environment(), WATCH_TEST_MARK=self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def words(self, *command, options=()):
        return [PROGRAM, "watch", "--out", self.run_directory, *options, "--", *command]

    def watch(self, *command, options=(), extra=None):
        return subprocess.run(self.words(*command, options=options), env=dict(self.environment, **(extra or {})),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LONG)

    def fake(self, *arguments, options=(), extra=None):
        return self.watch(sys.executable, FAKE, *arguments, options=options, extra=extra)

    def start(self, *arguments, options=()):
        return subprocess.Popen(self.words(sys.executable, FAKE, *arguments, options=options), env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def summary(self):
        return json.loads(read(os.path.join(self.run_directory, "summary.json")))

    def lines(self, name):
        path = os.path.join(self.run_directory, name)
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def assert_nothing_left(self):
        wait_until(lambda: not descendants_alive(self.mark), "the processes of the command to end")


class Record(Watch):
    def test_a_watched_run_has_a_complete_run_directory(self):
        done = self.fake("--ranks", "2")
        self.assertEqual((done.returncode, sorted(done.stdout.split(b"\n"))),
                         (0, [b"", b"out of rank 0", b"out of rank 1"]))
        self.assertEqual(sorted(done.stderr.split(b"\n")), [b"", b"error of rank 0", b"error of rank 1"])
        summary = self.summary()
        self.assertEqual((summary["state"], summary["steps"], summary["world_size"]), ("finished", 8, 2))
        self.assertEqual((summary["source"], summary["framework"]),
                         ("watched", {"name": "torch", "version": "2.15.0"}))
        config = json.loads(read(os.path.join(self.run_directory, "config.json")))
        self.assertEqual((config["dataset"]["kind"], config["dataset"]["size"]), ("external", 16))
        self.assertEqual((config["loader"]["batch_size"], config["training"]["epochs"]), (2, 2))
        self.assertEqual(config["sampler"], {"kind": "distributed", "shuffle": False, "seed": 0, "drop_last": False})
        self.assertNotIn("model", config)
        metrics = self.lines("metrics.jsonl")
        steps = [line for line in metrics if line["kind"] == "step"]
        self.assertEqual([line["loss"] for line in steps], [1.5] * 4 + [2.5] * 4)  # means of 1 and 2, of 2 and 3
        self.assertEqual([(line["epoch"], line["loss"], line["samples"]) for line in metrics
                          if line["kind"] == "epoch"], [(0, 1.5, 16), (1, 2.5, 16)])
        first = self.lines("telemetry.jsonl")[0]
        self.assertEqual((first["kind"], first["world_size"], first["epochs"], first["steps_per_epoch"]),
                         ("run", 2, 2, 4))
        self.assertEqual(self.lines("telemetry.jsonl")[-1]["kind"], "end")

    def test_show_attach_and_compare_read_a_watched_run(self):
        self.fake("--ranks", "2")
        for words in (["show"], ["attach"], ["compare", self.run_directory]):
            done = subprocess.run([PROGRAM, words[0], self.run_directory, *words[1:]], capture_output=True, timeout=LONG)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout)

    def test_show_prints_the_findings(self):
        self.fake("--ranks", "2", "--alone")
        done = subprocess.run([PROGRAM, "show", self.run_directory], capture_output=True, timeout=LONG)
        found = [one for one in self.summary()["findings"] if one["code"] == "no-process-group"]
        self.assertEqual(len(found), 1)
        self.assertIn("findings       mistake: " + found[0]["text"], done.stdout.decode())

    def test_the_experiment_of_a_watched_run_cannot_be_trained(self):
        self.fake()
        done = subprocess.run([PROGRAM, "run", os.path.join(self.run_directory, "config.json")], capture_output=True,
                              timeout=LONG)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"dataset.kind is external", done.stderr)

    def test_lines_that_no_rank_may_send_are_ignored(self):
        self.assertEqual(self.fake("--torn").returncode, 0)
        telemetry = self.lines("telemetry.jsonl")
        self.assertEqual([line["state"] for line in telemetry if line["kind"] == "end"], ["finished"])
        self.assertFalse([line for line in telemetry if line["kind"] == "checkpoint"])
        self.assertEqual(self.summary()["steps"], 8)

    def test_a_run_names_the_run_that_it_continues(self):
        self.fake()
        first, self.run_directory = self.run_directory, self.run_directory + "2"
        self.assertEqual(self.fake(options=["--continues", first]).returncode, 0)
        self.assertEqual(self.summary()["continues"], first)
        done = self.fake(options=["--continues", "/nowhere"])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"/nowhere does not exist", done.stderr)

    def test_the_paths_of_the_user_come_after_the_injected_one(self):
        code = ("import os, sys; print(os.environ['PYTHONPATH'].split(os.pathsep)[1:], "
                "any('inject' in path for path in sys.path))")
        done = self.watch(sys.executable, "-c", code, extra={"PYTHONPATH": "/one:/two"})
        self.assertEqual(done.stdout, b"['/one', '/two'] False\n")

    def test_a_second_process_with_the_same_rank_is_refused(self):
        """Independent trainers: the first one is recorded."""
        done = self.watch("sh", "-c", "%s %s && %s %s" % (sys.executable, FAKE, sys.executable, FAKE))
        self.assertIn("reports rank 0", "".join(line.get("text", "") for line in self.lines("telemetry.jsonl")))
        self.assertEqual(self.summary()["steps"], 8)
        self.assertNotEqual(done.returncode, 0)  # the second one of this test fails when it is refused

    def test_steps_after_a_restart_continue_the_numbers_before_it(self):
        """Imitates torchrun --max-restarts: the rank is killed, and another process takes its place."""
        done = self.watch("sh", "-c", "%s %s --leave 0; %s %s; true" % (sys.executable, FAKE, sys.executable, FAKE))
        self.assertEqual(done.returncode, 0)
        summary = self.summary()
        self.assertEqual((summary["state"], summary["exit_code"], summary["steps"]), ("finished", 0, 16))
        verdict = ("the script has ended after a restart; restarted after step 8: rank 0 ended without a last "
                   "report")
        self.assertEqual((summary["restarts"], summary["verdict"]), (1, verdict))
        logged = [line["text"] for line in self.lines("telemetry.jsonl") if line["kind"] == "log"]
        self.assertIn("the ranks were started again after step 8: rank 0 ended without a last report; their step "
                      "numbers continue from there", logged)
        steps = [(line["step"], line["loss"]) for line in self.lines("metrics.jsonl") if line["kind"] == "step"]
        self.assertEqual(steps, [(step, 1.0 + (step - 1) // 4 % 2) for step in range(1, 17)])
        epochs = [(line["epoch"], line["loss"]) for line in self.lines("metrics.jsonl") if line["kind"] == "epoch"]
        # Epoch 1 of the first attempt has no result: the rank was killed before it left the epoch.
        self.assertEqual(epochs, [(0, 1.0), (0, 1.0), (1, 2.0)])
        indices = [line["step"] for line in self.lines("telemetry.jsonl") if line["kind"] == "indices"]
        self.assertEqual(indices, list(range(1, 17)))
        for file in ("telemetry.jsonl", "metrics.jsonl"):
            restarts = [(line["value"], line["step"]) for line in self.lines(file)
                        if line["kind"] == "control" and line["command"] == "restart"]
            self.assertEqual(restarts, [(1, 8)], file)
        shown = subprocess.run([PROGRAM, "show", self.run_directory], capture_output=True, text=True, timeout=LONG)
        self.assertIn("finished: " + verdict, shown.stdout)

    def test_a_failure_after_restarts_names_the_causes_of_all_attempts(self):
        """Two ranks, started three times: one is killed, one raises an exception, and one is killed again."""
        one = "%s %s --ranks 2 --steps %%d %%s; " % (sys.executable, FAKE)
        done = self.watch("sh", "-c", one % (4, "--leave 1") + one % (3, "--fail 0") + one % (2, "--leave 1") + "exit 9")
        summary = self.summary()
        self.assertEqual((done.returncode, summary["state"], summary["exit_code"], summary["steps"],
                          summary["restarts"], summary["first_failed_rank"]), (9, "failed", 9, 18, 2, 1))
        self.assertEqual(summary["verdict"],
                         "the command exited with code 9; rank 1 ended first, without a last report, after 2 restarts; "
                         "restarted after step 8: rank 1 ended without a last report, and "
                         "after step 6 of restart 1: rank 0 failed at train.py:12: ValueError: a bad value")
        self.assertEqual(len([line for line in self.lines("metrics.jsonl") if line["kind"] == "step"]), 18)


class Ends(Watch):
    def test_the_exit_code_is_that_of_the_command(self):
        for code in (0, 1, 3, 77, 255):
            self.assertEqual(self.watch("sh", "-c", "exit %d" % code).returncode, code)
        self.assertEqual(self.watch("sh", "-c", "kill -KILL $$").returncode, 128 + signal.SIGKILL)

    def test_the_verdict_on_a_failed_rank_gives_line_and_exception(self):
        done = self.fake("--ranks", "2", "--fail", "1")
        self.assertEqual(done.returncode, 7)
        summary = self.summary()
        self.assertEqual((summary["state"], summary["first_failed_rank"], summary["exit_code"]), ("failed", 1, 7))
        self.assertEqual(summary["verdict"], "rank 1 failed at train.py:12: ValueError: a bad value")
        self.assertEqual(summary["last_lines"], ["train.py:50 <module>", "train.py:12 main"])

    def test_a_rank_without_a_last_report_is_named_in_the_verdict(self):
        done = self.fake("--ranks", "2", "--leave", "1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 1 ended first, without a last report", self.summary()["verdict"])

    def test_signals_reach_the_command(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT):
            code = "trap 'echo caught; exit 9' %d; echo ready; while :; do sleep 0.05; done" % number
            process = subprocess.Popen(self.words("bash", "-c", code), env=self.environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            self.assertEqual(process.stdout.readline(), b"ready\n")
            process.send_signal(number)
            out, _ = process.communicate(timeout=LONG)
            self.assertEqual((out, process.returncode), (b"caught\n", 9))
        self.assert_nothing_left()

    def test_a_run_that_is_ended_by_a_signal_has_stopped(self):
        process = self.start("--ranks", "2", "--wait")
        wait_until(lambda: len(self.lines("metrics.jsonl")) >= 8, "eight steps")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONG)
        self.assertEqual((self.summary()["state"], self.summary()["verdict"]), ("stopped", "stopped by SIGTERM"))
        self.assert_nothing_left()

    def test_control_stop_ends_the_command(self):
        process = self.start("--ranks", "2", "--wait")
        wait_until(lambda: len(self.lines("metrics.jsonl")) >= 8, "eight steps")
        done = subprocess.run([PROGRAM, "control", self.run_directory, "stop"], capture_output=True, timeout=LONG)
        self.assertEqual(done.returncode, 0, done.stderr)
        process.communicate(timeout=LONG)
        self.assertEqual(self.summary()["state"], "stopped")

    def test_control_refuses_commands_that_a_script_cannot_execute(self):
        process = self.start("--ranks", "2", "--wait")
        wait_until(lambda: len(self.lines("metrics.jsonl")) >= 8, "eight steps")
        for words in (["pause"], ["lr", "0.1"], ["record", "5"]):
            done = subprocess.run([PROGRAM, "control", self.run_directory, *words], capture_output=True, timeout=LONG)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"is a watched script, which can only be stopped: it trains by its own code, so %s is not "
                          b"possible" % words[0].encode(), done.stderr)
        done = subprocess.run([PROGRAM, "control", self.run_directory, "stop"], capture_output=True, timeout=LONG)
        self.assertEqual(done.stdout, b"stop requested: the command of the watched script receives SIGTERM\n")
        process.communicate(timeout=LONG)

    def test_a_killed_watcher_does_not_harm_the_command(self):
        marks = os.path.join(self.folder.name, "done")
        process = subprocess.Popen(self.words("sh", "-c", "echo ready; sleep 1; echo yes > " + marks),
                                   env=self.environment, stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.kill()
        process.wait(LONG)
        wait_until(lambda: os.path.exists(marks), "the command to finish by itself")
        process.stdout.close()
        self.assert_nothing_left()

    def test_a_process_in_the_background_is_recorded_to_its_end(self):
        done = self.fake("--daemon")
        self.assertEqual(done.returncode, 0)
        self.assertEqual((self.summary()["state"], self.summary()["steps"]), ("finished", 8))
        self.assert_nothing_left()

    def test_a_killed_launcher_leaves_no_ranks(self):
        process = self.start("--ranks", "2", "--wait")
        wait_until(lambda: len(self.lines("metrics.jsonl")) >= 8, "eight steps")
        words = {pid: read("/proc/%d/cmdline" % pid).split("\0") for pid in descendants_alive(self.mark)}
        launcher = [pid for pid, command in words.items() if "--ranks" in command and "watch" not in command]
        os.kill(launcher[0], signal.SIGKILL)
        _, error = process.communicate(timeout=LONG)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL)
        self.assertIn(b"still train: Ringside ends these processes", error)
        self.assert_nothing_left()

    def test_a_command_that_fails_or_is_killed_leaves_no_processes(self):
        for end, code in (("exit 3", 3), ("kill -9 $$", 128 + signal.SIGKILL)):
            done = self.watch("sh", "-c", "sleep 97 & " + end)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assert_nothing_left()

    def test_a_script_that_is_killed_or_ended_by_check_leaves_no_helper(self):
        line = "sleep 97 & exec %s %s --ranks 1 " % (sys.executable, FAKE)
        done = self.watch("sh", "-c", line + "--wait", options=["--check=6"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_nothing_left()
        shutil.rmtree(self.run_directory)
        # The helper ignores SIGTERM.
        done = self.watch("sh", "-c", "sh -c 'trap \"\" TERM; sleep 97' & exec %s %s --fail 0" % (sys.executable, FAKE))
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertNotIn(b"still train", done.stderr)
        self.assert_nothing_left()

    def test_a_helper_that_a_successful_script_leaves_is_not_ended(self):
        line = "sleep 97 >/dev/null 2>&1 & exec %s %s --ranks 1" % (sys.executable, FAKE)
        self.assertEqual(self.watch("sh", "-c", line).returncode, 0)
        left = descendants_alive(self.mark)
        self.assertEqual(len(left), 1)
        os.kill(left[0], signal.SIGKILL)
        self.assert_nothing_left()

    def test_check_ends_the_command(self):
        done = self.fake("--ranks", "2", "--wait", options=["--check=6"])
        self.assertEqual(done.returncode, 0, done.stderr)
        said = re.search(rb"ended by --check after (\d+) steps", done.stderr)
        self.assertTrue(said, done.stderr)
        # Both ranks trained at least that number of steps, and one of them up to 8, until the signal reached it.
        self.assertTrue(6 <= int(said.group(1)) <= self.summary()["steps"] <= 8, done.stderr)
        self.assert_nothing_left()

    def test_a_check_that_finds_a_mistake_exits_with_3(self):
        done = self.fake("--ranks", "2", "--wait", "--alone", options=["--check=6"])
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"check:  no-process-group", done.stderr)
        self.assert_nothing_left()

    def test_check_waits_until_all_ranks_have_connected(self):
        # Rank 1 starts after rank 0 has trained all steps that the check needs, and has sent ten heartbeats.
        flag = os.path.join(self.folder.name, "trained")
        rank = "RANK=%%d WORLD_SIZE=2 %s %s --wait --beats 10 --trained %s & " % (sys.executable, FAKE, flag)
        line = ("trap 'kill $A $B; wait' TERM; " + rank % 0 + "A=$!; until [ -e %s ]; do sleep 0.05; done; " % flag +
                rank % 1 + "B=$!; wait")
        done = self.watch("bash", "-c", line, options=["--check=6"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"steps of 2 ranks", done.stderr)

    def test_a_check_fails_if_a_rank_ends_early(self):
        for end in ("--fail", "--leave"):
            line = "%s %s --ranks 2 %s 1; true" % (sys.executable, FAKE, end)
            done = self.watch("sh", "-c", line, options=["--check"])
            self.assertEqual(done.returncode, 12, done.stderr)  # a rank has failed, although the command exits with 0
            summary = self.summary()
            self.assertEqual((summary["state"], summary["first_failed_rank"]), ("failed", 1))
            if end == "--leave":
                self.assertNotIn("passed", [one["result"] for one in summary["checks"]])
                self.assertIn(b"rank 1 ended without a last report", done.stderr)
            shutil.rmtree(self.run_directory)

    def test_a_check_of_some_ranks_passes_nothing(self):
        done = self.fake(options=["--check"], extra={"RANK": "0", "WORLD_SIZE": "4"})
        self.assertIn(b"in 8 steps of 1 rank.", done.stderr)
        self.assertIn(b"only 1 of 4 ranks have reported", done.stderr)
        self.assertNotIn("passed", [one["result"] for one in self.summary()["checks"]])

    def test_a_check_without_training_fails(self):
        done = self.watch("true", options=["--check"])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"nothing was checked: no process has connected", done.stderr)
        done = self.fake("--steps", "0", options=["--check"])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"nothing was checked: no optimizer step was seen", done.stderr)

    def test_a_check_ends_processes_that_a_shell_leaves_behind(self):
        words = [sys.executable, FAKE, "--ranks", "1", "--wait"]
        line = " ".join(words) + "; true"  # the shell waits for it and does not pass on the signal
        done = self.watch("sh", "-c", line, options=["--check=6"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"still train", done.stderr)
        self.assert_nothing_left()

    def test_a_check_returns_the_code_of_a_command_that_fails(self):
        self.assertEqual(self.fake("--ranks", "2", "--fail", "0", options=["--check"]).returncode, 7)


class Hang(Watch):
    def test_a_rank_that_does_not_arrive_is_reported_as_a_hang(self):
        process = self.start("--ranks", "2", "--hang", "1")
        begin = time.monotonic()
        line = b""
        while b"No rank has made progress" not in line:
            line = process.stderr.readline()
            self.assertTrue(line, "the watcher has ended")
        self.assertLess(time.monotonic() - begin, 15)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONG)
        text = line.decode()
        self.assertIn("Rank 0 waits in all_reduce number 5, at train.py:40.", text)
        self.assertIn("Rank 1 is in no collective that can be seen (phase idle), at train.py:30.", text)
        self.assertEqual([one["code"] for one in self.summary()["findings"] if one["code"] == "hang"], ["hang"])


class LiveFindings(Watch):
    def findings(self):
        return [line for line in self.lines("telemetry.jsonl") if line["kind"] == "finding"]

    def attach(self):
        return subprocess.Popen([PROGRAM, "attach", self.run_directory], env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE)

    def test_a_finding_is_reported_while_the_script_trains(self):
        process = self.start("--ranks", "2", "--wait", "--alone")
        wait_until(self.findings, "a finding")
        self.assertIsNone(process.poll())
        first = self.findings()[0]
        self.assertEqual((first["code"], first["severity"]), ("no-process-group", "mistake"))
        viewer = self.attach()
        line = b""
        while not line.startswith(b"mistake: "):
            line = viewer.stdout.readline()
            self.assertTrue(line, "attach has ended")
        self.assertIn(first["text"].encode(), line)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONG)
        viewer.communicate(timeout=LONG)
        self.assertIn("no-process-group", [one["code"] for one in self.summary()["findings"]])
        self.assertFalse([one for one in self.findings() if "withdrawn" in one])

    def test_a_finding_that_later_evidence_contradicts_is_withdrawn(self):
        flag = os.path.join(self.folder.name, "flag")
        process = self.start("--ranks", "2", "--wait", "--nan-until", flag)
        wait_until(self.findings, "a finding")
        self.assertEqual(self.findings()[0]["code"], "loss-not-finite")
        viewer = self.attach()
        line = b""
        while not line.startswith(b"mistake at fake_rank.py:2: "):
            line = viewer.stdout.readline()
            self.assertTrue(line, "attach has ended")
        open(flag, "w").close()
        while not line.startswith(b"no longer found: mistake at fake_rank.py:2: "):
            line = viewer.stdout.readline()
            self.assertTrue(line, "attach has ended")
        self.assertEqual([one.get("withdrawn") for one in self.findings()], [None, True])
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONG)
        viewer.communicate(timeout=LONG)
        self.assertNotIn("loss-not-finite", [one["code"] for one in self.summary()["findings"]])

    def test_epochs_of_a_live_run_are_printed_without_their_total(self):
        process = self.start("--ranks", "2", "--wait", "--epochs", "3")
        wait_until(lambda: len(self.lines("metrics.jsonl")) >= 14, "two epochs")
        viewer = self.attach()
        line = b""
        while not line.startswith(b"epoch 2 "):
            line = viewer.stdout.readline()
            self.assertTrue(line, "attach has ended")
        self.assertNotIn(b" of ", line)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONG)
        viewer.communicate(timeout=LONG)
        self.assertEqual(self.lines("telemetry.jsonl")[0]["epochs"], 3)


class FullDisk(Watch):
    def limited(self, kilobytes, *arguments):
        words = self.words(sys.executable, FAKE, *arguments)
        return subprocess.run(["bash", "-c", "ulimit -f %d; exec \"$@\"" % kilobytes, "bash", *words],
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONG)

    def sentence_of(self, done):
        """Checks that the command has ended as without the watch; returns the only sentence of the watch."""
        self.assertEqual((done.returncode, sorted(done.stdout.split(b"\n"))),
                         (0, [b"", b"out of rank 0", b"out of rank 1"]))
        said = [line for line in done.stderr.split(b"\n") if line and not line.startswith(b"error of rank ")]
        self.assertEqual(len(said), 1, said)
        return said[0]

    def test_a_disk_that_is_full_from_the_start_does_not_disturb_the_command(self):
        said = self.sentence_of(self.limited(1, "--ranks", "2", "--steps", "2000"))
        self.assertRegex(said, rb"^ringsidectl watch: the record ends after step 0: /.*: free space or choose another "
                               rb"directory with --out$")

    def test_a_disk_that_becomes_full_ends_the_record_only(self):
        said = self.sentence_of(self.limited(200, "--ranks", "2", "--steps", "2000"))
        self.assertRegex(said, rb"^ringsidectl watch: the record ends after step \d+: .*File too large")
        summary = self.summary()
        self.assertEqual((summary["state"], summary["exit_code"], summary["steps"]), ("finished", 0, 4000))
        self.assertIn("the record ends after step", summary["verdict"])
        self.assertIsNone(summary.get("samples"))


class BadInput(Watch):
    def check_sentence(self, done, code, words):
        self.assertEqual(done.returncode, code, done.stderr)
        last = done.stderr.decode().strip().splitlines()[-1]
        self.assertIn(words, last)
        self.assertFalse(os.path.exists(self.run_directory))
        self.assert_nothing_left()

    def test_a_missing_program_is_reported(self):
        self.check_sentence(self.watch("no-such-program"), 2, "no-such-program cannot be started")

    def test_a_missing_script_is_reported(self):
        self.check_sentence(self.watch(sys.executable, "/nowhere/train.py"), 2,
                            "before any of its processes trained: nothing was recorded")

    def test_a_script_that_fails_before_training_leaves_no_record(self):
        self.check_sentence(self.watch(sys.executable, "-c", "import no_such_module"), 1,
                            "exited with code 1 before any of its processes trained")

    def test_a_script_without_the_environment_is_reported(self):
        bare = self.watch("env", "-i", sys.executable, "-c", "pass")
        self.check_sentence(bare, 0, "none of its processes has connected")

    def test_wrong_usage_is_refused(self):
        for words, text in ((["--json", "--sarif", "--", "true"], b"cannot be combined with --json"),
                            (["--check=0", "--", "true"], b"--check"), ([], b"COMMAND"),
                            (["--listen", "node", "--", "true"], b"HOST:PORT"),
                            (["--join", "127.0.0.1:9", "--", "true"], b"--secret-file")):
            done = subprocess.run([PROGRAM, "watch", *words], capture_output=True, timeout=LONG, cwd=self.folder.name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)


class Network(Watch):
    def secret(self, mode=0o600):
        path = os.path.join(self.folder.name, "secret")
        with open(path, "w") as file:
            file.write("a secret for two hosts\n")
        os.chmod(path, mode)
        return path

    def test_ranks_connect_over_tcp(self):
        done = self.fake("--ranks", "2", options=["--listen", "127.0.0.1:0"])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.summary()["steps"], 8)
        self.assertFalse(os.path.exists(os.path.join(self.run_directory, "watch.secret")))

    def test_a_second_host_joins_the_record(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % free.getsockname()[1]
        secret = self.secret()
        options = ["--listen", address, "--secret-file", secret]
        first = subprocess.Popen(self.words("sh", "-c", "RANK=0 WORLD_SIZE=2 %s %s --wait" % (sys.executable, FAKE),
                                            options=options), env=self.environment, stdout=subprocess.PIPE)
        self.assertEqual(first.stdout.readline(), b"out of rank 0\n")
        second = subprocess.run([PROGRAM, "watch", "--join", address, "--secret-file", secret, "--",
                                 sys.executable, FAKE], env=dict(self.environment, RANK="1", WORLD_SIZE="2"),
                                capture_output=True, timeout=LONG)
        self.assertEqual(second.returncode, 0, second.stderr)
        wait_until(lambda: len(self.lines("metrics.jsonl")) >= 8, "the steps of both")
        first.terminate()
        first.communicate(timeout=LONG)
        self.assertEqual(self.summary()["world_size"], 2)

    def test_a_secret_that_others_can_read_is_refused(self):
        done = self.fake(options=["--listen", "127.0.0.1:0", "--secret-file", self.secret(0o644)])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"can be read by other users: chmod 600", done.stderr)


if __name__ == "__main__":
    # A shell's background job ignores SIGINT and SIGQUIT, and nohup adds SIGHUP; child processes inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for ignored in (signal.SIGQUIT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
