# SPDX-License-Identifier: Apache-2.0
"""Tests of parts of ringside_watch that need no PyTorch: syntax, wire format, handshake, pairing, steps, traces."""
import ast
import collections as containers
import functools
import json
import os
import re
import subprocess
import socket
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock
import warnings
import zlib

import receiver
import watched

sys.path.insert(0, watched.PYTHON_FOLDER)
os.environ["RINGSIDE_WATCH_OFF"] = "1"
os.environ["RINGSIDE_WATCH"] = "unix:/nowhere"
import ringside_watch  # noqa: E402,F401
from ringside_watch import _fields, batches, changed, collectives, datasets, epochs, failures, gathered, guard  # noqa: E402
from ringside_watch import observations, places  # noqa: E402
from ringside_watch import replicas, report, tensors  # noqa: E402
from ringside_watch import optimizers, sender, steps, traces, unused, wire  # noqa: E402


def sources():
    package = os.path.join(watched.PYTHON_FOLDER, "ringside_watch")
    for folder, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py"):
                yield os.path.join(folder, name)


class EndOfCheck(unittest.TestCase):
    def test_only_torchrun_s_answer_to_the_signal_of_a_check_is_quiet(self):
        signal = type("SignalException", (Exception,), {"__module__": "torch.distributed.elastic.multiprocessing.api"})
        other = type("SignalException", (Exception,), {"__module__": "train"})
        printed = []
        failures._previous[:] = [lambda *words: printed.append(words[0])]
        self.addCleanup(failures._previous.clear)
        with mock.patch.dict(os.environ):
            os.environ.pop("RINGSIDE_WATCH_CHECK", None)
            failures._excepthook(signal, signal(), None)
            os.environ["RINGSIDE_WATCH_CHECK"] = "1"
            for kind in (signal, other, ValueError):
                failures._excepthook(kind, kind(), None)
        self.assertEqual(printed, [signal, other, ValueError])


class Sources(unittest.TestCase):
    def test_syntax_of_python_3_8_and_standard_library_only(self):
        allowed = {"array", "atexit", "collections", "ctypes", "functools", "hashlib", "hmac", "importlib",
                   "itertools", "json", "math", "os", "pickle", "platform", "re", "ringside_watch", "runpy", "select",
                   "sitecustomize", "socket", "sys", "threading", "time", "torch", "traceback", "weakref", "zlib"}
        for path in sources():
            with open(path) as file:
                tree = ast.parse(file.read(), path, feature_version=(3, 8))
            for node in ast.walk(tree):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names.append(node.module)
                for name in names:
                    self.assertIn(name.split(".")[0], allowed, path)

    def test_topics_of_facts_are_those_of_the_documentation(self):
        reported = set()
        for path in sources():
            with open(path) as file:
                text = file.read()
            reported.update(re.findall(r'"fact", [\w.()\[\]]+, "(\w+)"', text))
            reported.update(re.findall(r'\.fact\([\w.()\[\]]+, "(\w+)"', text))
        with open(os.path.join(os.path.dirname(watched.PYTHON_FOLDER), "docs", "watch-protocol.md")) as file:
            section = file.read().split("### Facts")[1].split("\n#")[0]
        documented = set(re.findall(r"^\* `(\w+)`: ", section, re.MULTILINE))
        self.assertGreater(len(reported), 15)
        self.assertEqual(reported, documented)


class Wire(unittest.TestCase):
    def test_not_a_number_and_infinity_become_null(self):
        line = wire.encode("steps", {"loss": [1.5, float("nan"), float("inf")], "facts": {"a": float("-inf")}})
        self.assertEqual(line, b'{"kind":"steps","loss":[1.5,null,null],"facts":{"a":null}}\n')

    def test_proof_is_hmac_sha256(self):
        # RFC 4231, test case 2
        self.assertEqual(wire.proof(b"Jefe", "what do ya want for nothing?"),
                         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")

    def connect(self, one, secret=None):
        return wire.connect(one.address, secret or wire.read_secret(one.secret_file), 3, "test")

    def test_handshake_over_a_unix_socket_and_over_tcp(self):
        for tcp in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                one = receiver.Receiver(folder, tcp=tcp)
                connection = self.connect(one)
                connection.close()
                recorded = one.close()
                self.assertEqual(recorded.ranks(), [3])
                self.assertNotIn("the secret of this test", json.dumps(recorded.connections[0]["greeting"]))

    def test_wrong_secret_refusal_and_a_false_watcher_end_the_handshake(self):
        for options in ({}, {"refusal": "rank 3 is connected already"}, {"proves": False}):
            with tempfile.TemporaryDirectory() as folder:
                one = receiver.Receiver(folder, **options)
                with self.assertRaises((wire.Refused, OSError)):
                    self.connect(one, b"another secret" if not options else None)
                self.assertEqual(one.close().ranks(), [])

    def test_the_connection_to_a_silent_watcher_ends_after_the_time_limit(self):
        import socket

        with tempfile.TemporaryDirectory() as folder:
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(os.path.join(folder, "silent"))
            listener.listen(1)
            before, wire.HANDSHAKE_SECONDS = wire.HANDSHAKE_SECONDS, 0.05
            try:
                with self.assertRaises((wire.Refused, OSError)):
                    wire.connect("unix:" + os.path.join(folder, "silent"), b"x", 0, "test")
            finally:
                wire.HANDSHAKE_SECONDS = before
                listener.close()

    def test_addresses_of_other_kinds_are_refused(self):
        with self.assertRaises(wire.Refused):
            wire.connect("udp:127.0.0.1:9", b"x", 0, "test")


class Forks(unittest.TestCase):
    def test_a_forked_child_leaves_the_connection_of_its_parent_open(self):
        ours, theirs = socket.socketpair()
        connection = wire.Connection(ours)
        child = os.fork()
        if child == 0:
            connection.close_in_child()
            os._exit(0)
        os.waitpid(child, 0)
        self.assertEqual(connection.write(b"after the fork\n"), 15)
        self.assertEqual(theirs.recv(100), b"after the fork\n")
        connection.close()
        self.assertEqual(theirs.recv(100), b"")
        theirs.close()


class Sending(unittest.TestCase):
    def test_a_watcher_that_does_not_read_costs_a_bounded_amount_of_memory(self):
        class Process:
            rank, world_size, distributed, training_thread, failed = 0, 1, False, threading.get_ident(), False

        one = sender.Sender(Process)
        step = report.Line(b"s" * 1000, True, 3)
        fact = report.Line(b"f" * 1000)
        one._queue([step] * 9000)
        kept = sender.MAX_PENDING // 1000
        self.assertEqual(len(one._pending), kept * 1000)
        self.assertEqual(one._report.dropped_steps, 3 * (9000 - kept))
        one._queue([fact] * 20000)
        self.assertEqual(len(one._pending), sender.MAX_IN_ALL // 1000 * 1000)
        one._queue([fact], last=True)
        self.assertEqual(len(one._pending), sender.MAX_IN_ALL // 1000 * 1000 + 1000)
        self.assertEqual(one._report.dropped_lines, 9000 + 20000 - sender.MAX_IN_ALL // 1000)
        one.close_in_child()


class Warned(unittest.TestCase):
    def test_a_warning_with_a_stack_level_names_the_line_of_the_caller(self):
        class Owner:
            @staticmethod
            def outdated():
                warnings.warn("outdated", stacklevel=2)

        guard.wrap(Owner, "outdated", guard.Hook("warned"), after=lambda *_: None)
        on, observations.Watching.on = observations.Watching.on, True
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                Owner.outdated()
                line = sys._getframe().f_lineno - 1
        finally:
            observations.Watching.on = on
        self.assertEqual([(one.filename, one.lineno) for one in caught], [(__file__, line)])


class Wrappers(unittest.TestCase):
    """Batches of a loader whose wrapper fetches one ahead, as Accelerate's."""

    def run_script(self, script):
        class Process:
            rank = 0

        one = report.Report(Process)
        one.zero_ns = 0
        for word in script.split():
            if word == "backward":
                one.take_backward(0, 0, 0, 0, "train.py:1", 1.0, None)
                one.take_optimizer(0, 0, 0, 0, 0, 0.1, [])
            elif word in ("delivered", "wrapper_ended"):
                getattr(one, "take_" + word)(*((0,) if word == "delivered" else (0, 0)))
            elif word == "over":
                one.take_pass_end(0, 0, 0, "exhausted")
            else:
                one.take_batch(0, 0, 0, 0, 0, 0, int(word), [int(word)], 1, False)
        one.complete_all()
        events = [json.loads(line.data) for line in one.take_lines()]
        return ([(one["step"], one["index"]) for one in events if one["kind"] == "indices"],
                [one["facts"]["index"] for one in events if one.get("about") == "batch"],
                [one["facts"]["trained"] for one in events if one.get("about") == "pass_end"])

    def test_each_batch_belongs_to_the_step_that_trains_on_it(self):
        self.assertEqual(self.run_script("0 1 delivered backward 2 delivered backward over delivered backward "
                                         "wrapper_ended"), ([(1, [0]), (2, [1]), (3, [2])], [], [3]))

    def test_batches_that_the_wrapper_skips_are_not_trained_on(self):
        self.assertEqual(self.run_script("0 1 2 3 delivered backward 4 delivered backward over delivered backward "
                                         "wrapper_ended"), ([(1, [2]), (2, [3]), (3, [4])], [[0], [1]], [3]))

    def test_a_pass_that_the_script_leaves(self):
        self.assertEqual(self.run_script("0 1 delivered backward wrapper_ended"), ([(1, [0])], [[1]], [1]))


class ShortProcesses(unittest.TestCase):
    CODE = """
import sys, time
from ringside_watch import observations, process
for step in range(2):
    observations.note("batch", 1, 1, 2, 2, 0, 0, step, [step], 1, True)
    observations.note("backward", 3, 3, 4, 4, "train.py:1", 0.5, None)
    if step == 0:
        process.training_begins()
    observations.note("optimizer", 5, 5, 6, 6, 0, 0.1, [])
"""

    def test_a_process_that_ends_at_once_still_reports_all_steps(self):
        for tcp in (False, True):
            for _ in range(10):
                seen = watched.run_watched([sys.executable, "-c", self.CODE], tcp=tcp)
                self.assertEqual((seen.code, seen.out, seen.error), (0, b"", b""))
                self.assertEqual(seen.recorded.column(0, "step"), [1, 2])
                self.assertEqual(seen.recorded.of_rank(0, "rank")[-1]["state"], "finished")
                zero = seen.recorded.connections[0]["zero_us"]
                self.assertEqual(seen.recorded.column(0, "end_us"), [-zero, -zero])  # at 6 ns of the clock


class LeftPasses(unittest.TestCase):
    def test_a_pass_for_each_batch_is_ended_after_its_backward_pass(self):
        class Process:
            rank = 0

        one = report.Report(Process)
        one.zero_ns = 0
        for number in range(5):  # x = next(iter(loader)); the iterator is dropped before the backward pass
            one.take_batch(0, 0, 0, 0, 0, number, 0, [number], 1, True)
            one.take_pass_end(0, 0, number, "left")
            one.take_backward(0, 0, 0, 0, "train.py:1", 1.0, None)
            one.take_optimizer(0, 0, 0, 0, 0, 0.1, [])
            self.assertLessEqual(len(one.epochs.unfinished_passes()), 2)
        one.complete_all()
        events = [json.loads(line.data) for line in one.take_lines()]
        self.assertEqual([(one["epoch"], one["step"], one["index"]) for one in events if one["kind"] == "indices"],
                         [(number, number + 1, [number]) for number in range(5)])
        ends = [one["facts"] for one in events if one.get("about") == "pass_end"]
        self.assertEqual([(one["pass"], one["trained"], one["untrained"]) for one in ends],
                         [(number, 1, 0) for number in range(5)])


class Pairing(unittest.TestCase):
    """A batch is written as loader * 100 + number. pass: the next passes begin. *: fetched by another thread.
    backward:0,1: batches 0 and 1 of the current pass exist at the backward pass. t: trained, u: untrained.
    """

    def run_script(self, script):
        found = []
        pairing = batches.Pairing(lambda batch, step: found.append(("t", batch.number_in_pass, step)),
                                  lambda batch: found.append(("u", batch.number_in_pass)))
        step = number_of_pass = 0
        for word in script.split():
            if word == "pass":
                number_of_pass += 1
            elif word.startswith("backward"):
                step += 1
                numbers = word[9:].split(",") if ":" in word else None
                existing = numbers and {(0, number_of_pass - one.count("'"), int(one.strip("'"))) for one in numbers}
                pairing.backward(step, 1 if "*" in script else None, existing)
            elif word == "end":
                pairing.end()
            elif word.startswith("over"):
                pairing.pass_ended(int(word[4:]))
            else:
                number = int(word.rstrip("*"))
                thread = 2 if word.endswith("*") else 1 if "*" in script else None
                pairing.fetched(batches.Batch(number // 100, number_of_pass, number, None, 1, 0, thread))
        return sorted(found, key=lambda one: (one[1], one))

    def test_each_batch_with_a_backward_pass(self):
        self.assertEqual(self.run_script("1 backward 2 backward end"), [("t", 1, 1), ("t", 2, 2)])

    def test_several_backward_passes_of_one_batch(self):
        self.assertEqual(self.run_script("1 backward backward 2 backward backward end"), [("t", 1, 1), ("t", 2, 3)])

    def test_evaluation_between_epochs(self):
        self.assertEqual(self.run_script("1 backward over0 101 102 over1 2 backward end"),
                         [("t", 1, 1), ("t", 2, 2), ("u", 101), ("u", 102)])

    def test_evaluation_that_is_left_early(self):
        self.assertEqual(self.run_script("101 102 1 backward 2 backward end"),
                         [("t", 1, 1), ("t", 2, 2), ("u", 101), ("u", 102)])

    def test_batches_that_the_script_skips(self):
        self.assertEqual(self.run_script("1 2 3 4 backward 5 backward end"),
                         [("u", 1), ("u", 2), ("u", 3), ("t", 4, 1), ("t", 5, 2)])

    def test_one_loss_over_two_batches(self):
        self.assertEqual(self.run_script("1 2 backward 3 4 backward 5 6 backward end"),
                         [("t", 1, 1), ("t", 2, 1), ("t", 3, 2), ("t", 4, 2), ("t", 5, 3), ("t", 6, 3)])

    def test_two_loaders_in_one_step(self):
        self.assertEqual(self.run_script("1 101 backward 2 102 backward end"),
                         [("t", 1, 1), ("t", 2, 2), ("t", 101, 1), ("t", 102, 2)])

    def test_prefetched_batches(self):
        self.assertEqual(self.run_script("0 1 backward 2 backward 3 backward over0 backward end"),
                         [("t", 0, 1), ("t", 1, 2), ("t", 2, 3), ("t", 3, 4)])

    def test_prefetched_batches_of_the_next_pass_and_an_evaluation(self):
        self.assertEqual(
            self.run_script("0 1 backward 2 backward over0 backward 101 102 over1 pass 0 1 backward over0 backward end"),
            [("t", 0, 1), ("t", 0, 4), ("t", 1, 2), ("t", 1, 5), ("t", 2, 3), ("u", 101), ("u", 102)])

    def test_batches_prefetched_by_two_that_still_exist(self):
        self.assertEqual(self.run_script("0 1 2 backward:0,1,2 3 backward:1,2,3 over0 backward backward end"),
                         [("t", 0, 1), ("t", 1, 2), ("t", 2, 3), ("t", 3, 4)])
        # Two backward passes of each batch.
        self.assertEqual(self.run_script("0 1 2 backward:0,1,2 backward:0,1,2 3 backward:1,2,3 backward 4 backward end"),
                         [("t", 0, 1), ("t", 1, 3), ("t", 2, 5), ("u", 3), ("u", 4)])
        # Two backward passes and a batch that the script leaves out.
        self.assertEqual(self.run_script("0 1 2 backward:0,1,2 3 backward:1,2,3 4 5 backward end"),
                         [("t", 0, 1), ("t", 1, 2), ("u", 2), ("t", 3, 3), ("u", 4), ("u", 5)])

    def test_skipped_batches_that_the_script_drops_or_keeps_for_ever(self):
        for first, second in (("2", "3"), ("0,1,2", "0,1,2,3"), ("0,1,2", "0,1,3")):
            self.assertEqual(self.run_script("0 1 2 backward:%s 3 backward:%s 4 backward over0 end" % (first, second)),
                             [("u", 0), ("u", 1), ("t", 2, 1), ("t", 3, 2), ("t", 4, 3)])

    def test_batches_prefetched_as_copies_are_known_after_the_pass(self):
        self.assertEqual(
            self.run_script("0 1 2 backward 3 backward over0 backward backward pass 0 1 2 backward 3 backward over0 end"),
            [("t", 0, 3), ("t", 0, 5), ("t", 1, 4), ("t", 1, 6), ("t", 2, 1), ("u", 2), ("t", 3, 2), ("u", 3)])
        self.assertEqual(self.run_script("0 1 2 backward 3 backward over0 backward 101 over1 end"),
                         [("u", 0), ("u", 1), ("t", 2, 1), ("t", 3, 2), ("u", 101)])

    def test_batches_prefetched_across_the_end_of_a_pass(self):
        self.assertEqual(
            self.run_script("0 1 backward:0,1 2 backward:1,2 over0 pass 0 backward:2',0 1 backward over0 backward end"),
            [("t", 0, 1), ("t", 0, 4), ("t", 1, 2), ("t", 1, 5), ("t", 2, 3)])

    def test_groups_of_batches_that_are_trained_one_after_the_other(self):
        self.assertEqual(self.run_script("0 1 2 backward backward backward 3 4 5 backward backward backward 6 7 over0 "
                                         "backward backward pass 0 1 2 backward backward backward end"),
                         [("t", 0, 1), ("t", 0, 9), ("t", 1, 2), ("t", 1, 10), ("t", 2, 3), ("t", 2, 11), ("t", 3, 4),
                          ("t", 4, 5), ("t", 5, 6), ("t", 6, 7), ("t", 7, 8)])

    def test_two_prefetched_batches(self):
        self.assertEqual(self.run_script("0 1 backward over0 backward end"), [("t", 0, 1), ("t", 1, 2)])
        self.assertEqual(self.run_script("0 1 backward over0 101 over1 backward end"),
                         [("u", 0), ("t", 1, 1), ("u", 101)])

    def test_a_skipped_first_batch_leaves_one_batch_untrained(self):
        self.assertEqual(self.run_script("0 1 backward 2 backward over0 pass 0 backward 1 backward over0 end"),
                         [("t", 0, 1), ("t", 0, 3), ("t", 1, 2), ("t", 1, 4), ("u", 2)])
        self.assertEqual(self.run_script("0 1 backward 2 backward over0 pass 0 1 backward 2 backward over0 end"),
                         [("t", 0, 1), ("u", 0), ("t", 1, 2), ("t", 1, 3), ("t", 2, 4), ("u", 2)])

    def test_batches_of_another_thread(self):
        self.assertEqual(self.run_script("0* 1* 2* over0 backward backward backward end"),
                         [("t", 0, 1), ("t", 1, 2), ("t", 2, 3)])
        self.assertEqual(self.run_script("0* 1* backward 2* over0 backward backward pass 0* 1* backward backward end"),
                         [("t", 0, 1), ("t", 0, 4), ("t", 1, 2), ("t", 1, 5), ("t", 2, 3)])

    def test_a_pass_of_another_thread_that_the_script_leaves(self):
        self.assertEqual(self.run_script("0* 1* backward 2* pass 0* 1* backward backward over0 end"),
                         [("t", 0, 1), ("t", 0, 2), ("t", 1, 3), ("u", 1), ("u", 2)])
        # One thread fetches the next pass before the script has used the last batch of the first one.
        self.assertEqual(self.run_script("0* 1* backward over0 pass 0* backward 1* backward backward over0 end"),
                         [("t", 0, 1), ("t", 0, 3), ("t", 1, 2), ("t", 1, 4)])

    def test_an_evaluation_of_another_thread(self):
        self.assertEqual(self.run_script("0* backward over0 101* 102* over1 pass 0* 1* backward backward over0 end"),
                         [("t", 0, 1), ("t", 0, 2), ("t", 1, 3), ("u", 101), ("u", 102)])

    def test_several_backward_passes_of_a_batch_of_another_thread(self):
        self.assertEqual(self.run_script("0* backward backward 1* backward backward end"), [("t", 0, 1), ("t", 1, 3)])

    def test_batches_of_the_main_thread_beside_another_thread(self):
        self.assertEqual(self.run_script("100* 0 backward 1 backward over1 end"),
                         [("t", 0, 1), ("t", 1, 2), ("t", 100, 1)])

    def test_order_of_batches_before_the_pattern_is_known(self):
        order = []
        pairing = batches.Pairing(lambda batch, step: order.append(batch.number_in_pass), lambda batch: None)
        for number in range(4):
            pairing.fetched(batches.Batch(0, 0, number, None, 1, 0))
            if number % 2 == 1:
                pairing.backward(number)
        pairing.end()
        self.assertEqual(order, [0, 1, 2, 3])

    def test_a_pass_that_ends_before_the_pattern_is_known(self):
        self.assertEqual(self.run_script("1 2 backward over0 3 backward end"), [("u", 1), ("t", 2, 1), ("t", 3, 2)])

    def test_a_single_batch_of_evaluation_within_training(self):
        self.assertEqual(self.run_script("1 backward 101 2 backward 3 backward end"),
                         [("t", 1, 1), ("t", 2, 2), ("t", 3, 3), ("u", 101)])


class Steps(unittest.TestCase):
    def grouped(self, script):
        """Letters are optimizers, a dot is a batch. Returns the optimizers of each step."""
        found = []
        grouping = steps.StepGrouping(lambda step: found.append((step.number, step.optimizers)))
        for time_ns, letter in enumerate(script):
            if letter == ".":
                grouping.close()
            else:
                grouping.optimizer_stepped(letter, time_ns, 0)
        grouping.close()
        return found

    def test_one_optimizer(self):
        self.assertEqual(self.grouped("aaa"), [(1, ["a"]), (2, ["a"]), (3, ["a"])])

    def test_two_optimizers_without_loader(self):
        self.assertEqual(self.grouped("abab"), [(1, ["a", "b"]), (2, ["a", "b"])])

    def test_a_batch_ends_a_step(self):
        self.assertEqual(self.grouped(".a.b."), [(1, ["a"]), (2, ["b"])])

    def test_five_steps_of_the_critic_for_one_of_the_generator(self):
        self.assertEqual([names for _, names in self.grouped("ddddd" "gd")],
                         [["d"], ["d"], ["d"], ["d"], ["d", "g"], ["d"]])


class Traces(unittest.TestCase):
    def phases(self, spans, end):
        step = steps.Step()
        for begin, until, phase in spans:
            step.add_span(begin, begin, until, until, phase)
        step.end_ns = end
        return [(at, phase) for at, _, phase in traces.phases(step, 0, 0)]

    def test_plain_step(self):
        self.assertEqual(self.phases([(5, 10, "data"), (30, 60, "backward"), (70, 80, "optimizer")], 80),
                         [(0, "idle"), (5, "data"), (10, "forward"), (30, "backward"), (60, "idle"), (70, "optimizer")])

    def test_closure_with_the_backward_pass_inside_of_the_optimizer_step(self):
        self.assertEqual(self.phases([(0, 10, "data"), (12, 90, "optimizer"), (40, 70, "backward")], 90),
                         [(0, "data"), (10, "forward"), (40, "backward"), (70, "optimizer")])

    def test_wait_inside_of_a_backward_pass(self):
        spans = [(0, 10, "data"), (20, 60, "backward"), (50, 55, "waiting"), (60, 70, "optimizer")]
        self.assertEqual(self.phases(spans, 70),
                         [(0, "data"), (10, "forward"), (20, "backward"), (50, "waiting"), (55, "backward"),
                          (60, "optimizer")])

    def test_two_optimizers(self):
        spans = [(0, 5, "data"), (10, 20, "backward"), (20, 30, "optimizer"), (40, 50, "backward"),
                 (50, 60, "optimizer")]
        self.assertEqual(self.phases(spans, 60),
                         [(0, "data"), (5, "forward"), (10, "backward"), (20, "optimizer"), (30, "forward"),
                          (40, "backward"), (50, "optimizer")])

    def test_evaluation_is_idle(self):
        spans = [(5, 6, "data"), (10, 11, "data"), (20, 21, "data"), (30, 40, "backward"), (40, 50, "optimizer")]
        self.assertEqual(self.phases(spans, 50),
                         [(0, "idle"), (5, "data"), (6, "idle"), (10, "data"), (11, "idle"), (20, "data"),
                          (21, "forward"), (30, "backward"), (40, "optimizer")])


class Groups(unittest.TestCase):
    def test_a_group_that_is_passed_by_position(self):
        called = []

        def all_reduce(tensor, op=None, group=None, async_op=False):
            called.append(group)

        def send(tensor, dst=None, group=None, tag=0):
            called.append(group)

        module = type("dist", (), {"all_reduce": staticmethod(functools.wraps(all_reduce)(
            lambda *args, **kwargs: all_reduce(*args, **kwargs))), "send": staticmethod(send),
            "group": type("group", (), {"WORLD": "all"}), "get_process_group_ranks": staticmethod(lambda group: [0, 2])})
        with mock.patch.dict(collectives._state, dist=module), mock.patch.object(observations.Watching, "on", True):
            observations.clear()
            collectives._wrap_operation(module, "all_reduce", 0, 0)
            collectives._wrap_message(module, "send", "dst")
            module.all_reduce(1, "sum", "part")
            module.all_reduce(1, group="part")
            module.all_reduce(1, "sum")
            module.send(1, 2, "part")
            seen = list(observations.QUEUE)
        self.assertEqual(called, ["part", "part", None, "part"])
        groups = [one[5] for one in seen if one[0] == "collective"]
        self.assertEqual([number > 0 for number in groups], [True, True, False, True])
        self.assertEqual(len(set(groups)), 2)
        self.assertEqual([one[3]["ranks"] for one in seen if one[0] == "fact"], [[0, 2]])

    def test_barriers_and_functional_collectives_within_torch_combine_nothing(self):
        torch = type("torch", (), {"__file__": "/packages/torch/__init__.py"})
        module = type("dist", (), {"all_reduce": staticmethod(len), "group": type("group", (), {"WORLD": "all"}),
                                   "barrier": staticmethod(lambda: None)})
        functional = type("functional", (), {"all_reduce": staticmethod(lambda tensor: tensor + 1)})
        state = {"dist": module, "barriers": 0, "functional": 0}
        with mock.patch.dict(collectives._state, state), mock.patch.dict(collectives._counts, clear=True), \
                mock.patch.object(observations.Watching, "on", True), mock.patch.dict(sys.modules, torch=torch), \
                mock.patch.object(guard, "is_compiling", lambda: False):
            collectives._is_in_torch.cache_clear()
            collectives._wrap_operation(module, "all_reduce", 0, 0)
            collectives._wrap_operation(module, "barrier", None, None)
            collectives.patch_functional(functional)
            before = collectives.number_of_calls()
            module.barrier()
            self.assertEqual(collectives.number_of_calls(), before)
            module.all_reduce([])
            self.assertEqual(collectives.number_of_calls(), before + 1)
            results = [eval(compile("all_reduce(2)", name, "eval"), {"all_reduce": functional.all_reduce})
                       for name in ("/packages/torch/distributed/tensor/redistribute.py", "/packages/torchmetrics/a.py",
                                    "train.py")]
            self.assertEqual((results, collectives.number_of_calls()), ([3, 3, 3], before + 3))
        collectives._is_in_torch.cache_clear()


class Gathered(unittest.TestCase):
    class Function:
        """An autograd function as PyTorch's graph shows it."""

        def __init__(self, name, number, *inputs):
            self.name, self._sequence_nr = lambda: name, lambda: number
            self.next_functions = tuple((one, 0) for one in inputs)

    def test_the_graphs_of_eight_backward_passes_are_searched(self):
        for contains_at, expected in ((1, 1), (8, 1), (9, 0)):
            gathered._looks.clear()
            observations.clear()
            for number in range(1, 11):
                own = self.Function("AddmmBackward0", number)
                joined = self.Function("CatBackward0", number + 100, own, None)
                for _ in range(2):  # a line that gathers twice is reported once
                    gathered.note_call("all_gather", type("Tensor", (), {"grad_fn": own}), 2)
                gathered.report_gathered_features(
                    type("Loss", (), {"grad_fn": joined if number >= contains_at else own}))
            self.assertEqual([one[2] for one in observations.QUEUE], ["gathered"] * expected, contains_at)


class UnusedGradients(unittest.TestCase):
    class Tensor:
        """A gradient on the CPU."""

        is_sparse, device = False, type("Device", (), {"type": "cpu"})

        def __init__(self, size, value):
            self.numel, self.any = lambda: size, lambda: value != 0

    class Optimizer:
        """An optimizer, or one of its parameters."""

    def cleared(self, sizes, values):
        """Returns the results of before_backward() for three backward passes before one step. Each parameter has the
        gradient value 1 after each pass, and the value of `values` (None: no gradient) before the next one.
        """
        parameters = [self.Optimizer() for _ in sizes]
        optimizer = self.Optimizer()
        optimizer.param_groups = [{"params": parameters}]
        state = {"parameter": None, "steps": optimizers.steps_begun(), "accumulates": False, "reads": unused.LOOKED_AT}
        results = []
        with mock.patch.object(optimizers, "held", {optimizer}), mock.patch.dict(unused._state, state):
            for _ in range(3):
                results.append(unused.before_backward())
                for one, size in zip(parameters, sizes):
                    one.grad = self.Tensor(size, 1)
                unused.after_backward()
                for one, size, value in zip(parameters, sizes, values):
                    one.grad = None if value is None else self.Tensor(size, value)
        return results

    def test_a_large_gradient_that_still_exists_is_not_known(self):
        large = unused.MAX_VALUES + 1  # no value of it is read
        self.assertEqual(self.cleared([large], [0]), [False, False, None])
        self.assertEqual(self.cleared([large], [1]), [False, False, None])
        self.assertEqual(self.cleared([large], [None]), [False, True, True])

    def test_a_small_gradient_is_preferred_to_a_large_one(self):
        large, small = unused.MAX_VALUES + 1, unused.MAX_VALUES
        self.assertEqual(self.cleared([large, small], [0, 0]), [False, False, True])
        self.assertEqual(self.cleared([large, small], [1, 1]), [False, False, False])

    def test_a_step_with_an_unknown_backward_pass_reports_no_number(self):
        for cleared, expected in ((False, 0), (True, 1), (None, None)):
            one = report.Report(Reporting.Process)
            one.zero_ns = 0
            backward = ("backward", 20, 20, 30, 30, "train.py:1", 1.0, None, None)
            one.take_all(containers.deque([(*backward, False), (*backward, cleared),
                                           ("optimizer", 40, 40, 50, 50, 0, 0.1, [])]))
            one.complete_all()
            events = [json.loads(line.data) for line in one.take_lines()]
            self.assertEqual([event["facts"]["unused"] for event in events if event.get("about") == "step_counts"],
                             [expected], cleared)


class ChangedGradients(unittest.TestCase):
    class Tensor:
        """A gradient with a version counter."""

        def __init__(self):
            self._cdata, self._version, self.is_inference = id(self), 0, lambda: False

    class Parameter:
        def __init__(self, grad):
            self.grad = grad

    class Optimizer:
        """An optimizer with one parameter."""

    def reports(self, change, several=False):
        """Returns the facts about one step between whose backward pass and optimizer step `change` is called."""
        parameter = self.Parameter(self.Tensor())
        optimizer = self.Optimizer()
        optimizer.param_groups = [{"params": [self.Parameter(None), parameter]}]
        held = {optimizer, self.Optimizer()} if several else {optimizer}
        observations.clear()
        with mock.patch.object(optimizers, "held", held), mock.patch.dict(changed._state, known=(), reported=False), \
                mock.patch.dict(optimizers._count, inside=3), mock.patch.object(observations.Watching, "phase", "idle"):
            changed.store()
            change(parameter)
            changed.compare()
            changed.compare()
            return [one[2:] for one in observations.QUEUE]

    def divide(self, parameter):
        parameter.grad._version += 1

    def replace(self, parameter):
        parameter.grad = self.Tensor()

    def clear(self, parameter):
        parameter.grad = None

    def clip(self, parameter):
        changed.compare()
        parameter.grad._version += 1
        changed.store()

    def run_another_pass(self, parameter):
        changed.forget()
        parameter.grad._version += 1
        changed.store()

    def test_gradients_that_the_script_changes_are_reported_once(self):
        expected = [("gradients_changed", {"after_step": 3})]
        self.assertEqual([self.reports(one) for one in (self.divide, self.replace)], [expected] * 2)
        self.assertEqual(self.reports(lambda parameter: (self.divide(parameter), self.clip(parameter))), expected)

    def test_changes_by_pytorch_and_cleared_gradients_are_not_reported(self):
        for one in (self.clip, self.clear, self.run_another_pass, lambda parameter: None):
            self.assertEqual(self.reports(one), [])
        self.assertEqual(self.reports(self.divide, several=True), [])


class Changes(unittest.TestCase):
    def test_a_conversion_reports_the_step_before_it(self):
        one = report.Report(Reporting.Process)
        one.zero_ns = 0
        step, conversion = ("optimizer", 40, 40, 50, 50, 0, 0.1, []), ("fact", 60, "converted", {"model": 0})
        one.take_all(containers.deque([conversion, step, step, conversion, step]))
        events = [json.loads(line.data) for line in one.take_lines()]
        self.assertEqual([event["facts"]["after_step"] for event in events if event.get("about") == "converted"], [0, 2])

    def test_a_batch_is_decided_once(self):
        seen = []
        one = report.Report(Reporting.Process)
        one.zero_ns = 0
        one.pairing.judge_earlier_batches = lambda batch: seen.append(batch.number_in_pass)
        for number in range(3):
            one.take_batch(0, 0, 1, 1, 0, 0, number, [number], 1, number != 1)
        self.assertEqual(seen, [0, 1, 2])


class Reporting(unittest.TestCase):
    class Process:
        rank = 0

    def report_of(self, lengths_ms):
        """Reports one batch for each step; all steps were observed before the first one is reported."""
        one = report.Report(self.Process)
        one.zero_ns = 0
        queue, at = [], 0
        with mock.patch.object(observations.Watching, "long_steps", False):
            for number, length in enumerate(lengths_ms, 1):
                cpu = at if observations.is_traced(number) else None  # as a hook stamps it
                end = at + length * 1000000
                end_cpu = end if cpu is not None or observations.is_traced(number + 1) else None
                queue.append(("batch", at, cpu, at + 10, cpu, 0, 0, number - 1, [number], 1, True))
                queue.append(("backward", at + 20, cpu, at + 30, cpu, "train.py:1", 1.0, None))
                queue.append(("optimizer", at + 40, cpu, end, end_cpu, 0, 0.1, []))
                at = end
            one.take_all(containers.deque(queue))
            one.complete_all()
        return one, [json.loads(line.data) for line in one.take_lines()]

    def test_steps_that_become_long_after_they_were_observed_keep_their_batches(self):
        for lengths in ([1] * 100 + [50] * 40, [50] * 100 + [1] * 40, [1, 50] * 90):
            one, events = self.report_of(lengths)
            self.assertEqual(one._failures, set())
            indices = [event["index"] for event in events if event["kind"] == "indices"]
            self.assertEqual(indices, [[number] for number in range(1, len(lengths) + 1)])

    def test_the_step_after_a_batch_that_is_only_looked_at_has_its_samples_and_its_epoch(self):
        """Imitates `next(iter(loader))` before the loop: two epochs of three steps, four samples in each batch."""
        one = report.Report(self.Process)
        one.zero_ns = 0
        queue = []
        for number_of_pass in range(4):
            looked_at = number_of_pass % 2 == 0
            for batch in range(1 if looked_at else 3):
                indices = [4 * batch + sample for sample in range(4)]
                queue.append(("batch", 0, 0, 0, 0, 0, number_of_pass, batch, indices, 4, True))
                if not looked_at:
                    queue.append(("backward", 0, 0, 0, 0, "train.py:1", 1.0, None))
                    queue.append(("optimizer", 0, 0, 0, 0, 0, 0.1, []))
            queue.append(("pass_end", 0, 0, number_of_pass, "left" if looked_at else "exhausted"))
        one.take_all(containers.deque(queue))
        one.complete_all()
        events = [json.loads(line.data) for line in one.take_lines()]
        rows = [row for event in events if event["kind"] == "steps"
                for row in zip(event["step"], [event["epoch"]] * 9, event["samples"])]
        self.assertEqual(rows, [(1, 0, 4), (2, 0, 4), (3, 0, 4), (4, 1, 4), (5, 1, 4), (6, 1, 4)])
        self.assertEqual([(event["step"], event["epoch"], event["index"][0]) for event in events
                          if event["kind"] == "indices"],
                         [(1, 0, 0), (2, 0, 4), (3, 0, 8), (4, 1, 0), (5, 1, 4), (6, 1, 8)])

    def test_a_trace_that_cannot_be_written_costs_no_batch(self):
        with mock.patch.object(traces, "trace", side_effect=TypeError("broken")):
            one, events = self.report_of([1] * 10)
        self.assertEqual(len([event for event in events if event["kind"] == "indices"]), 10)
        self.assertEqual([event["facts"]["hook"] for event in events if event.get("about") == "hook_failed"],
                         ["a trace"])

    def test_each_observation_that_is_lost_is_counted(self):
        one = report.Report(self.Process)
        one.zero_ns = 0
        one.take_all(containers.deque([("batch", "no time"), ("batch", "no time"), ("scheduler",)]))
        one.end()
        end = [json.loads(line.data) for line in one.take_lines() if b'"about":"end"' in line.data]
        self.assertEqual(end[0]["facts"]["dropped_observations"], 2)


class Checks(unittest.TestCase):
    def test_schedule_depends_on_sizes_only_and_begins_densely(self):
        distance = replicas.steps_between_checks(12, 40000)
        due = [step for step in range(1, 4 * distance + 1) if replicas.is_due(step, distance)]
        powers = [1 << bit for bit in range(20) if 1 << bit <= distance]
        self.assertEqual(due, powers + [2 * distance, 3 * distance, 4 * distance])

    def test_norms_are_measured_before_the_first_step_and_at_powers_of_two(self):
        self.assertEqual([step for step in range(20) if tensors.is_due(step)], [0, 1, 2, 4, 8, 16])

    def test_numbers_of_weights_and_gradients_are_paired_with_their_names(self):
        facts = {"names": ["a", "b", "c"], "has_gradient": [True, False, True], "step": 1}
        done = tensors.facts_of_tensors(facts, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, float("nan"), float("inf")])
        self.assertEqual(done["norm"], [1.0, 3.0, 5.0])
        self.assertEqual(done["sum"], [2.0, 4.0, 6.0])
        self.assertEqual(done["gradient_norm"], [7.0, None, None])
        self.assertEqual(done["gradient_sum"], [8.0, None, None])
        self.assertNotIn("has_gradient", done)

    def test_hash_of_indices_is_over_little_endian_int64(self):
        import hashlib

        sha = hashlib.sha256()
        epochs.add_to_hash(sha, [1, 258])
        self.assertEqual(sha.digest(), hashlib.sha256(bytes([1] + [0] * 7 + [2, 1] + [0] * 6)).digest())

    def test_lines_of_the_script_are_relative(self):
        self.assertRegex(places.user_line(), r"^test_units\.py:\d+$")

    def test_the_constructor_of_a_subclass_is_not_the_line_that_creates_an_object(self):
        class Library:
            def __init__(self):
                self.line = places.line_in(places.creating_frame(sys._getframe(0)))

        class Own(Library):
            def __init__(self):
                super().__init__()

        before = sys._getframe().f_lineno
        self.assertEqual(Own().line, "test_units.py:%d" % (before + 1))


class Datasets(unittest.TestCase):
    class Listed:
        def __init__(self, **attributes):
            self.__dict__.update(attributes)

        def __len__(self):
            return 3

        def __getitem__(self, index):
            raise AssertionError("no item is read")

    def test_a_list_with_one_plain_item_for_each_sample_is_hashed_in_its_order(self):
        one = datasets.describe(self.Listed(names=["a", "b", "c"], classes=["x", "y"]))
        other = datasets.describe(self.Listed(names=["b", "a", "c"], classes=["x", "y"]))
        self.assertEqual(sorted(key for key in one if "sha256" in key), ["names_sha256"])
        self.assertNotEqual(one["names_sha256"], other["names_sha256"])

    def test_lists_of_objects_and_of_other_lengths_are_not_hashed(self):
        facts = datasets.describe(self.Listed(names=["a", "b"], data=[object(), object(), object()]))
        self.assertFalse([key for key in facts if "sha256" in key])

    def test_arrays_of_any_name_count_and_scattered_ones_do_not(self):
        class Array:
            shape = (2,)

            def __init__(self, contiguous):
                self.contiguous = contiguous

            def is_contiguous(self):
                return self.contiguous

            def reshape(self, size):
                return _Flat([1.5, 2.5])

            def tolist(self):
                return [1.5, 2.5]

        facts = datasets.describe(self.Listed(inputs=Array(True), views=Array(False)))
        self.assertEqual(facts["content_crc32"], [zlib.crc32(b"((2,), [1.5, 2.5])")])


    def test_equal_indices_of_a_subset_do_not_show_equal_content(self):
        def subset(**attributes):
            return datasets.describe(self.Listed(indices=[0, 1], dataset=self.Listed(**attributes)))

        unknown, listed = subset(chunk="a"), subset(files=["a", "b", "c"])
        self.assertIn("indices_sha256", unknown)
        self.assertFalse(datasets.is_same_content(unknown, subset(chunk="b")))
        self.assertTrue(datasets.is_same_content(listed, subset(files=["a", "b", "c"])))
        self.assertFalse(datasets.is_same_content(listed, subset(files=["a", "b", "d"])))

    def test_each_part_of_a_concatenation_must_show_its_content(self):
        def parts(*several):
            return datasets.describe(self.Listed(datasets=list(several)))

        known, unknown = self.Listed(files=["a", "b", "c"]), self.Listed(chunk="a")
        self.assertTrue(datasets.is_same_content(parts(known, known), parts(known, known)))
        self.assertFalse(datasets.is_same_content(parts(known, unknown), parts(known, self.Listed(chunk="b"))))

    def test_checksums_of_tensors_on_a_device_do_not_show_content(self):
        facts = {"class": "Dataset", "length": 3, "content_crc32": [None, None]}
        self.assertFalse(datasets.is_same_content(facts, dict(facts)))
        facts["content_crc32"] = [None, 7]
        self.assertTrue(datasets.is_same_content(facts, dict(facts)))


class _Flat(list):
    def __getitem__(self, index):
        return _Flat(list.__getitem__(self, index)) if isinstance(index, slice) else list.__getitem__(self, index)

    def tolist(self):
        return list(self)


class Injection(unittest.TestCase):
    def run_python(self, code, folder, path, **variables):
        environment = watched.environment(dict(PYTHONPATH=path, **variables))
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, cwd=folder,
                              timeout=60)

    def test_a_hidden_sitecustomize_is_run_and_the_folder_is_not_on_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
                file.write("print('the hidden one')\n")
            done = self.run_python("import sys, sitecustomize; print(sitecustomize.__file__); print(sys.path)", folder,
                                   watched.INJECT + os.pathsep + folder, RINGSIDE_WATCH="unix:/nowhere")
            out = done.stdout.decode().splitlines()
            self.assertEqual((done.returncode, done.stderr, out[0]), (0, b"", "the hidden one"))
            self.assertEqual(out[1], os.path.join(folder, "sitecustomize.py"))
            self.assertNotIn(watched.INJECT, out[2])

    def test_an_interpreter_without_torch_is_not_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            code = "import sys, threading; print(threading.active_count(), 'torch' in sys.modules)"
            done = self.run_python(code, folder, watched.INJECT, RINGSIDE_WATCH="unix:/nowhere")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"1 False\n", b""))

    def test_import_without_an_address_explains_how_to_start_the_script(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_python("import ringside_watch; print('runs')", folder, watched.PYTHON_FOLDER)
            self.assertEqual((done.returncode, done.stdout), (0, b"runs\n"))
            self.assertIn(b"ringsidectl watch", done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_python_m_runs_a_script_with_its_arguments(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "train.py"), "w") as file:
                file.write("import sys; print(__name__, sys.argv[1:], sys.path[0]); sys.exit(5)\n")
            environment = watched.environment({"PYTHONPATH": watched.PYTHON_FOLDER, "RINGSIDE_WATCH": "unix:/nowhere"})
            done = subprocess.run([sys.executable, "-m", "ringside_watch", "train.py", "--lr", "1"], env=environment,
                                  capture_output=True, cwd=folder, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (5, b""))
            self.assertEqual(done.stdout.decode(), "__main__ ['--lr', '1'] %s\n" % os.path.realpath(folder))
            done = subprocess.run([sys.executable, "-m", "ringside_watch", "none.py"], env=environment,
                                  capture_output=True, cwd=folder, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (2, b"ringside_watch: there is no script none.py\n"))


class Fields(unittest.TestCase):
    def test_table_of_fields_holds_the_three_events_of_a_watched_script(self):
        self.assertEqual(list(_fields.FIELDS["script"]), ["rank", "about", "facts", "time_us"])
        self.assertEqual(list(_fields.FIELDS["logged"]), ["rank", "tag", "step", "value", "source", "time_us"])
        self.assertEqual(_fields.FIELDS["finding"]["evidence"], "tree")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[1:])
