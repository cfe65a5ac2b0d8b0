# SPDX-License-Identifier: Apache-2.0
"""Tests that the watch never disturbs a script: with misbehaving watchers, failing hooks, forks, exceptions and
compiled steps.
"""
import glob
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import torch_python

torch_python.require()

import receiver  # noqa: E402
import watched  # noqa: E402

sys.path.insert(0, watched.SCRIPTS)
LIMIT = 120  # seconds


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class Watchers(unittest.TestCase):
    """Tests that a failing watcher does not change the output of the script."""

    @classmethod
    def setUpClass(cls):
        cls.words = watched.command("loop.py")
        cls.alone = watched.run_alone(cls.words)
        assert cls.alone.code == 0, cls.alone.error

    def check(self, done):
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, self.alone.out, self.alone.error))

    def run_with(self, environment):
        return subprocess.run(self.words, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              cwd=watched.SCRIPTS, timeout=LIMIT)

    def test_a_script_continues_after_its_watcher_was_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            one = receiver.Receiver(folder)
            process = subprocess.Popen(self.words, env=watched.with_watch(one), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=watched.SCRIPTS)
            deadline = time.monotonic() + LIMIT
            while time.monotonic() < deadline and not any(c["events"] for c in one.connections):
                time.sleep(0.002)
            self.assertTrue(any(c["events"] for c in one.connections))
            one.hang_up()
            out, error = process.communicate(timeout=LIMIT)
            self.assertEqual((process.returncode, out, error), (0, self.alone.out, self.alone.error))

    def test_a_script_continues_if_its_watcher_never_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            one = receiver.Receiver(folder, reads=False)
            self.check(self.run_with(watched.with_watch(one)))
            self.assertEqual(len(one.connections), 1)
            one.hang_up()

    def test_a_script_continues_without_a_watcher_that_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            one = receiver.Receiver(folder, refusal="enough ranks")
            self.check(self.run_with(watched.with_watch(one)))
            one.hang_up()
            self.check(self.run_with(watched.with_watch(one)))
            silent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            silent.bind(os.path.join(folder, "silent"))
            silent.listen(4)
            self.check(self.run_with(watched.with_watch(
                one, {"RINGSIDE_WATCH": "unix:" + os.path.join(folder, "silent")})))
            silent.close()
            self.check(self.run_with(watched.with_watch(one, {"RINGSIDE_WATCH_SECRET_FILE": "/no/such/file"})))
            self.check(self.run_with(watched.with_watch(one, {"RINGSIDE_WATCH": "nonsense"})))

    def test_over_tcp_each_step_arrives(self):
        seen = watched.run_watched(self.words, tcp=True)
        self.assertEqual((seen.code, seen.out, seen.error), (0, self.alone.out, self.alone.error))
        self.assertEqual(len(seen.recorded.column(0, "step")), 304)  # 38 epochs of 8 batches

    def test_a_stack_is_reported_on_request(self):
        with tempfile.TemporaryDirectory() as folder:
            one = receiver.Receiver(folder)
            process = subprocess.Popen(self.words, env=watched.with_watch(one, {"STEPS": "3000"}),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=watched.SCRIPTS)
            deadline = time.monotonic() + LIMIT
            while time.monotonic() < deadline and not any(c["events"] for c in one.connections):
                time.sleep(0.002)
            one.connections[0]["socket"].sendall(b'{"kind":"what"}\nno json\n{"kind":"stack"}\n')
            process.wait(LIMIT)
            stalled = one.close().of_rank(0, "script", "stalled")
            self.assertGreaterEqual(len(stalled), 1)
            self.assertTrue(any(line.startswith("loop.py:") for line in stalled[0]["stack"]), stalled)


class Hangs(unittest.TestCase):
    def test_a_hang_shows_where_each_rank_waits(self):
        with tempfile.TemporaryDirectory() as folder:
            one = receiver.Receiver(folder)
            environment = watched.with_watch(one, {"TORCH_FR_BUFFER_SIZE": "2000"})
            process = subprocess.Popen(watched.command("hangs.py", ranks=2), env=environment, cwd=watched.SCRIPTS,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            found = {}
            deadline = time.monotonic() + LIMIT
            while time.monotonic() < deadline and len(found) < 2:
                for rank in receiver.Recorded(one.connections).ranks():
                    for facts in receiver.Recorded(one.connections).of_rank(rank, "script", "stalled"):
                        if any("hangs.py:" in line for line in facts["stack"]) and facts["cpu_us"] < 500000:
                            found.setdefault(rank, facts)
                time.sleep(0.05)
            process.terminate()
            process.wait(LIMIT)
            one.close()
        self.assertEqual({key: found[0]["inside"][key] for key in ("operation", "group", "number", "peer")},
                         {"operation": "all_reduce", "group": 0, "number": 3, "peer": None})
        self.assertNotIn("inside", found[1])
        self.assertEqual([one["name"] for one in found[0]["recent"]][-1], "gloo:all_reduce")
        self.assertEqual([found[rank]["recent"][-1]["number"] for rank in (0, 1)], [3, 2])
        self.assertTrue(found[1]["stack"][-1].startswith("hangs.py:15"), found[1]["stack"])


class Groups(unittest.TestCase):
    def test_two_groups_of_equal_ranks_have_different_numbers(self):
        code = """
import sys
sys.path.insert(0, %r)
import torch.distributed as dist
from ringside_watch import collectives
collectives._state["dist"] = dist
dist.init_process_group("gloo", init_method="tcp://127.0.0.1:%s", rank=0, world_size=1)
numbers = [collectives.group_number(one) for one in (None, dist.new_group([0]), dist.new_group([0]))]
print(numbers[0], len(set(numbers)))
""" % (watched.PYTHON_FOLDER, free_port())
        environment = dict(os.environ, RINGSIDE_WATCH_OFF="1", RINGSIDE_WATCH="unix:/nowhere")
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, timeout=LIMIT)
        self.assertEqual(done.stdout.split(), [b"0", b"3"], done.stderr)


def names_of_hooks():
    """Returns the names of all hooks in the sources of the package."""
    names = set()
    for path in glob.glob(os.path.join(watched.PYTHON_FOLDER, "ringside_watch", "*.py")):
        with open(path) as file:
            names.update(re.findall(r"\bHook\(\"([^\"]+)\"\)", file.read()))
    return names


class Hooks(unittest.TestCase):
    # name of a hook that cannot be reached with PyTorch 2.15 on a CPU -> reason
    UNREACHED = {}

    def test_each_hook_of_the_package_fails_in_turn(self):
        words = watched.command("everything.py")
        alone = watched.run_alone(words, {"PORT": free_port()})
        seen = watched.run_watched(words, {"PORT": free_port(), "FAILURES": "hook"})
        self.assertEqual((seen.code, seen.error), (0, alone.error))
        names = names_of_hooks()
        self.assertGreater(len(names), 20)
        failed = {one["hook"]: one["text"].rsplit(": ", 1)[1] for one in seen.recorded.of_rank(0, "script", "hook_failed")}
        self.assertEqual(failed, {name: name + " fails" for name in names if name not in self.UNREACHED})
        self.assertEqual(seen.out, alone.out * (len(names) - len(self.UNREACHED) + 1))

    def test_an_exception_in_any_hook_is_reported_and_changes_no_output(self):
        from everything import FUNCTIONS, KINDS

        words = watched.command("everything.py")
        alone = watched.run_alone(words, {"PORT": free_port()})
        self.assertEqual(alone.code, 0, alone.error)
        for failures, count in (("kind", len(KINDS)), ("function", len(FUNCTIONS))):
            seen = watched.run_watched(words, {"PORT": free_port(), "FAILURES": failures})
            self.assertEqual((seen.code, seen.error), (0, alone.error))
            self.assertEqual(seen.out, alone.out * count)
            failed = {one["text"].rsplit(": ", 1)[1] for one in seen.recorded.of_rank(0, "script", "hook_failed")}
            expected = {"the queue fails for " + kind for kind in KINDS if kind != "hook_failed"} \
                if failures == "kind" else {name + " fails" for name in FUNCTIONS}
            self.assertEqual(failed, expected)

    def test_a_step_that_the_gradient_scaler_leaves_out(self):
        seen = watched.run_watched(watched.command("everything.py"), {"PORT": free_port()})
        self.assertEqual(seen.recorded.column(0, "step"), [1, 2, 3])
        self.assertEqual([one["after_step"] for one in seen.recorded.of_rank(0, "script", "skipped_step")], [2])
        losses = seen.recorded.column(0, "loss")
        logged = [one["value"] for one in seen.recorded.of_rank(0, "logged") if one["source"] == "tensorboard"]
        self.assertEqual([round(one, 5) for one in losses[:2]], [round(one, 5) for one in logged[:2]])  # before scaling
        self.assertEqual((logged[2], losses[2]), (None, None))  # its backward pass belongs to the next step


class Processes(unittest.TestCase):
    def test_forked_children_send_nothing_of_their_parent(self):
        words = watched.command("forks.py")
        alone, seen = watched.run_alone(words), watched.run_watched(words)
        self.assertEqual((seen.code, seen.out, seen.error), (alone.code, alone.out, alone.error))
        self.assertEqual((alone.code, alone.out), (0, b"child ended with 0\n"))
        steps = []
        for one in seen.recorded.connections:
            numbers = [step for event in one["events"] if event["kind"] == "steps" for step in event["step"]]
            states = [event["state"] for event in one["events"] if event["kind"] == "rank"]
            self.assertEqual(states, ["starting", "training", "finished"])
            steps.append(numbers)
        self.assertEqual(sorted(steps), [[1, 2, 3, 4], [1, 2, 3, 4, 5]])  # the child's 4; the parent's 3 and 2
        self.assertEqual(len({one["greeting"]["pid"] for one in seen.recorded.connections}), 2)

    def test_tracebacks_are_those_of_the_script_alone(self):
        for where, line in (("dataset", 23), ("forward", 35), ("backward", 42), ("hook", 44)):
            words = watched.command("fails.py")
            alone, seen = watched.run_alone(words, {"WHERE": where}), watched.run_watched(words, {"WHERE": where})
            self.assertEqual((seen.code, seen.out, seen.error.decode()), (alone.code, alone.out, alone.error.decode()))
            self.assertEqual(alone.code, 1)
            self.assertEqual(seen.recorded.column(0, "step"), {"dataset": [1, 2], "forward": []}.get(where, [1]))
            found = seen.recorded.of_rank(0, "script", "exception")
            self.assertEqual([one["where"] for one in found], ["fails.py:%d" % line])
            self.assertEqual(seen.recorded.of_rank(0, "rank")[-1]["state"], "failed")

    def test_tracebacks_that_the_script_prints_by_itself_are_those_without_the_watch(self):
        for where in ("dataset", "forward", "backward"):
            words, variables = watched.command("fails.py"), {"WHERE": where, "CAUGHT": "1"}
            alone, seen = watched.run_alone(words, variables), watched.run_watched(words, variables)
            self.assertEqual((seen.code, seen.out, seen.error.decode()), (alone.code, alone.out, alone.error.decode()))
            self.assertEqual((alone.code, alone.error.count(b"Traceback")), (0, 2 if where == "backward" else 1))

    def test_an_exception_of_a_spawned_rank_is_reported_with_its_line(self):
        words = watched.command("toy_spawn.py")
        seen = watched.run_watched(words, {"FAIL_AT": "2"})
        self.assertEqual(seen.code, 1)
        self.assertNotIn(b"ringside_watch", seen.error)
        found = seen.recorded.of_rank(1, "script", "exception")
        self.assertEqual([(one["type"], one["text"], one["where"]) for one in found],
                         [("ValueError", "rank 1 fails on purpose", "toy_spawn.py:42")])
        self.assertGreaterEqual(len(seen.recorded.column(0, "step")), 1)  # rank 0 was killed after it had reported

    def test_compiled_steps_have_no_other_graphs(self):
        words = watched.command("compiled_step.py")
        alone, seen = watched.run_alone(words), watched.run_watched(words)
        self.assertEqual(alone.code, 0, alone.error)
        self.assertIn(b"graph breaks", alone.out)
        from test_scripts import lines

        self.assertEqual((seen.out, lines(seen.error, 1)), (alone.out, lines(alone.error, 1)))

    def test_functional_collectives_are_counted_and_compiled_as_before(self):
        words = watched.command("functional.py")
        alone, seen = watched.run_alone(words), watched.run_watched(words)
        self.assertEqual((alone.code, seen.code), (0, 0), alone.error)
        self.assertEqual((seen.out, seen.error), (alone.out, alone.error))
        # two functional collectives per epoch, without barriers and compiled calls
        passes = [one["collectives"] for one in seen.recorded.of_rank(0, "script", "pass")]
        end = seen.recorded.of_rank(0, "script", "end")[0]["collectives"]
        self.assertEqual((passes, end), ([0, 0, 2, 2], 4))


if __name__ == "__main__":
    unittest.main(argv=torch_python.chosen_tests(["Hooks", "Processes", "Watchers.test_a_script_continues_after_its_watcher_was_killed"]))
