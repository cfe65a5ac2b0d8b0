# SPDX-License-Identifier: Apache-2.0
"""Tests with unchanged scripts: the output and the weights are the same with and without the watch, and the recorded
facts are true.
"""
import collections
import glob
import hashlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

import torch_python

torch_python.require()

import watched  # noqa: E402

sys.path.insert(0, os.path.join(watched.PYTHON_FOLDER, "ringside_watch"))
import _fields  # noqa: E402

# Time and process number of a line of PyTorch's log.
STAMP = re.compile(rb"^(?:\[rank\d+\]:)?[WEI]\d{4} \d\d:\d\d:\d\d\.\d+ \d+", re.MULTILINE)


def lines(data, ranks):
    """Returns the output, without times and process numbers; for several ranks see watched.mixed()."""
    text = STAMP.sub(b"", data)
    return watched.mixed(text) if ranks > 1 else text


def chunked(values, size):
    return [values[first:first + size] for first in range(0, len(values), size)]


def flat(batches):
    return [index for batch in batches for index in batch]


def sha256_of(indices):
    return hashlib.sha256(struct.pack("<%dq" % len(indices), *indices)).hexdigest()


class Scripts(unittest.TestCase):
    """Each test runs one script twice, alone and watched."""

    def both(self, script, ranks=0, shown_ranks=None, launcher=(), **switches):
        """Runs the script alone and watched. Returns the record, and the facts that the script itself has noted, by
        rank.
        """
        words = [*launcher, *watched.command(script, ranks=ranks)]
        shown_ranks = shown_ranks or max(1, ranks)
        alone = watched.run_alone(words, switches)
        with tempfile.TemporaryDirectory() as folder:
            seen = watched.run_watched(words, dict(switches, TRUTH=folder))
            truth = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name)) as file:
                    truth[int(name[5:-5])] = json.load(file)
        self.assertEqual(alone.code, 0, "alone: " + alone.end())
        self.assertEqual(seen.code, 0, "watched: " + seen.end())
        self.assertIn(b"weights", alone.out)
        self.assertEqual(lines(seen.out, shown_ranks), lines(alone.out, shown_ranks))
        self.assertEqual(lines(seen.error, shown_ranks), lines(alone.error, shown_ranks))
        self.assertEqual(seen.recorded.ranks(), sorted(truth))
        for rank in truth:
            self.assertEqual(seen.recorded.of_rank(rank, "script", "hook_failed"), [])
            self.check_frame_of_run(seen.recorded, rank)
            self.check_fields(seen.recorded, rank)
        return seen.recorded, truth

    def check_frame_of_run(self, recorded, rank):
        states = [event["state"] for event in recorded.of_rank(rank, "rank")]
        self.assertEqual(states, ["starting", "training", "finished"])
        self.assertEqual(len([one for one in recorded.connections if one["greeting"]["rank"] == rank]), 1)
        steps = recorded.column(rank, "step")
        self.assertEqual(steps, list(range(1, len(steps) + 1)))
        ends = recorded.column(rank, "end_us")
        self.assertEqual(ends, sorted(ends))
        for trace in recorded.of_rank(rank, "trace"):
            self.assertEqual(trace["at_ns"], sorted(trace["at_ns"]))
            self.assertLessEqual(trace["at_ns"][-1], trace["length_ns"])

    def check_fields(self, recorded, rank):
        """Each event has only fields of the engine's table, in its order."""
        for event in recorded.of_rank(rank):
            if event["kind"] != "time":
                fields = list(_fields.FIELDS[event["kind"]])
                places = [fields.index(key) for key in event if key != "kind"]
                self.assertEqual(places, sorted(places), event)

    def check_steps(self, recorded, truth, rank, accumulate=1, per_epoch=None):
        """Compares loss, samples and learning rate of each step with what the script noted for its backward passes."""
        noted = truth[rank]["steps"]
        groups = chunked(noted, accumulate) if per_epoch is None else per_epoch(noted)
        groups = [group for group in groups if group]
        self.assertEqual(len(recorded.column(rank, "loss")), len(groups))
        for loss, samples, group in zip(recorded.column(rank, "loss"), recorded.column(rank, "samples"), groups):
            self.assertAlmostEqual(loss, sum(one[1] for one in group) / len(group), places=5)
            self.assertIn(samples, (0, sum(one[0] for one in group)))
        rates = [event["lr"] for event in recorded.of_rank(rank, "steps") for _ in event["step"]]
        for rate, group in zip(rates, groups):
            self.assertAlmostEqual(rate, group[-1][2], places=9)

    def check_indices(self, recorded, truth, rank, loader=0):
        """Compares the trained indices of each epoch, in order, and their hash."""
        trained = recorded.trained(rank, loader)
        noted = truth[rank]["indices"]
        self.assertEqual([trained.get(epoch) for epoch in range(len(noted))], [flat(batches) for batches in noted])
        hashes = {event["epoch"]: event["sha256"] for event in recorded.of_rank(rank, "consumed")}
        for epoch, batches in enumerate(noted):
            self.assertEqual(hashes[epoch], sha256_of(flat(batches)))

    def check_replicas_equal(self, recorded, ranks):
        by_step = collections.defaultdict(set)
        for rank in ranks:
            for event in recorded.of_rank(rank, "replica"):
                by_step[event["step"]].add(event["hash"])
        self.assertGreater(len(by_step), 1)
        self.assertEqual({step: len(hashes) for step, hashes in by_step.items()}, {step: 1 for step in by_step})
        self.assertEqual(len(set.union(*by_step.values())), len(by_step), "weights change with each step")

    def counts(self, recorded, rank):
        return [{key: one[key] for key in ("backwards", "scheduler_steps", "all_reduces", "optimizers")}
                for one in recorded.of_rank(rank, "script", "step_counts")]

    def test_toy_model_with_spawn(self):
        recorded, truth = self.both("toy_spawn.py", shown_ranks=2)
        for rank in (0, 1):
            self.check_steps(recorded, truth, rank)
            self.assertEqual(self.counts(recorded, rank), [
                {"backwards": 1, "scheduler_steps": 0, "all_reduces": 1, "optimizers": [0]}])
            missing = [one["what"] for one in recorded.of_rank(rank, "script", "sees")[0]["unavailable"]]
            self.assertIn("loader", missing)
            self.assertNotIn("backward", missing)
            waits = recorded.of_rank(rank, "trace")
            self.assertEqual([event["step"] for event in waits], [1, 2, 3, 4, 5])  # DDP never logs the last step
            self.assertEqual([event["collective"] for event in waits], [[1], [2], [3], [4], [5]])
            self.assertEqual({event["bytes"][0] for event in waits}, {165 * 4})
        self.check_replicas_equal(recorded, (0, 1))

    def test_cnn_under_torchrun(self):
        recorded, truth = self.both("cnn_torchrun.py", ranks=2)
        for rank in (0, 1):
            self.check_steps(recorded, truth, rank)
            self.check_indices(recorded, truth, rank)
            held_out = [list(range(10)), list(range(10, 20))]
            self.assertEqual(recorded.untrained(rank, 1), held_out * 2)
            sampler = recorded.of_rank(rank, "script", "loader")[0]["sampler"]
            inner = sampler["inner"]
            lines = [one["created"] for one in recorded.of_rank(rank, "script", "loader")]
            self.assertEqual((lines, inner["created"]),
                             (["cnn_torchrun.py:46", "cnn_torchrun.py:48"], "cnn_torchrun.py:44"))
            self.assertEqual((inner["num_replicas"], inner["rank"], inner["seed"], inner["total_size"]),
                             (2, rank, 5, 104))
            epochs = [one["sampler_epoch"] for one in recorded.of_rank(rank, "script", "pass") if one["loader"] == 0]
            self.assertEqual(epochs, [0, 1])
            optimizer = recorded.of_rank(rank, "script", "optimizer")[0]
            tensors = optimizer["groups"][0]["tensors"]
            self.assertEqual((optimizer["with_gradient"], optimizer["sharded"]), (tensors, 0))
            self.assertEqual(recorded.of_rank(rank, "script", "gradients"),
                             [{"after_step": step, "cleared": True} for step in (1, 2, 3)])
            losses = recorded.of_rank(rank, "script", "loss")
            self.assertEqual([one["function"] for one in losses], ["DivBackward0"])
            self.assertEqual(recorded.of_rank(rank, "replica")[0]["step"], 0)
        self.check_replicas_equal(recorded, (0, 1))
        both = recorded.trained(0)[0] + recorded.trained(1)[0]
        self.assertEqual(set(both), set(range(103)))
        self.assertEqual(len(both), 104)

    def test_cnn_with_workers_accumulation_bf16_on_three_ranks(self):
        def per_epoch(noted):
            return [noted[:2], noted[2:4], noted[4:7], noted[7:9]]  # 5 batches an epoch, the fifth without a step

        recorded, truth = self.both("cnn_torchrun.py", ranks=3, WORKERS="2", PERSISTENT="1", ACCUMULATE="2", BF16="1")
        for rank in range(3):
            self.check_steps(recorded, truth, rank, per_epoch=per_epoch)
            self.check_indices(recorded, truth, rank)
            self.assertEqual([one["backwards"] for one in self.counts(recorded, rank)], [2, 3, 2])
            self.assertEqual({one["all_reduces"] for one in self.counts(recorded, rank)}, {1})
            self.assertEqual(recorded.of_rank(rank, "script", "end")[0]["unfinished_backwards"], 1)
        self.check_replicas_equal(recorded, range(3))

    def test_epoch_that_is_left_early_with_persistent_workers(self):
        recorded, truth = self.both("cnn_torchrun.py", ranks=2, WORKERS="2", PERSISTENT="1", BROKEN="1")
        for rank in (0, 1):
            self.check_indices(recorded, truth, rank)
            ends = [one for one in recorded.of_rank(rank, "script", "pass_end") if one["loader"] == 0]
            self.assertEqual([(one["why"], one["trained"]) for one in ends], [("left", 3), ("exhausted", 7)])

    def test_compiled_cnn(self):
        recorded, truth = self.both("cnn_torchrun.py", ranks=2, COMPILE="1")
        for rank in (0, 1):
            self.check_steps(recorded, truth, rank)
            self.check_indices(recorded, truth, rank)
        self.check_replicas_equal(recorded, (0, 1))

    def test_classifier_in_one_process(self):
        recorded, truth = self.both("single_csv.py")
        self.check_steps(recorded, truth, 0)
        reads = truth[0]["reads"]
        trained, held_out = recorded.trained(0), recorded.untrained(0, 1)
        self.assertEqual(trained[0] + flat(held_out[:3]) + trained[1] + flat(held_out[3:]), reads)
        self.assertEqual([one["scheduler_steps"] for one in self.counts(recorded, 0)], [0, 1, 0])

    def test_fully_shard(self):
        recorded, truth = self.both("sharded.py", ranks=2)
        for rank in (0, 1):
            self.check_steps(recorded, truth, rank)
            self.check_indices(recorded, truth, rank)
            groups = {one["name"]: one for one in recorded.of_rank(rank, "script", "shard_group")}
            self.assertEqual(sorted(groups), ["1", "2", "root"])
            self.assertEqual([one["module"] for one in recorded.of_rank(rank, "script", "data_parallel")],
                             ["TransformerEncoderLayer"] * 2 + ["Sequential"])
            for trace in recorded.of_rank(rank, "trace"):
                self.assertEqual(trace["of_kind"].count(3), 3)  # a reduce-scatter for each group

    def test_pipeline(self):
        recorded, truth = self.both("pipeline.py", ranks=2)
        losses = recorded.column(1, "loss")
        for loss, (_, noted, _) in zip(losses, truth[1]["steps"]):
            self.assertAlmostEqual(loss, noted, places=5)
        self.assertEqual(recorded.column(0, "loss"), [None] * 5)
        for rank in (0, 1):
            self.assertEqual({one["backwards"] for one in recorded.of_rank(rank, "script", "step_counts")}, {4})
            self.assertEqual(recorded.of_rank(rank, "script", "pipeline")[0]["micro_batches"], 4)

    def test_tensor_parallel(self):
        recorded, truth = self.both("tensor_parallel.py", ranks=2)
        for rank in (0, 1):
            gradients = recorded.of_rank(rank, "script", "gradients")  # of parameters that are DTensors
            self.assertEqual([(one["after_step"], one["cleared"]) for one in gradients],
                             [(1, True), (2, True), (3, True)])
            self.check_steps(recorded, truth, rank)
            self.check_indices(recorded, truth, rank)

    def test_accelerate(self):
        recorded, truth = self.both("with_accelerate.py", ranks=2)
        for rank in (0, 1):
            self.check_steps(recorded, truth, rank)
            self.check_indices(recorded, truth, rank)
            self.assertEqual([one["scheduler_steps"] for one in self.counts(recorded, rank)], [2])
        self.check_replicas_equal(recorded, (0, 1))

    def test_lightning(self):
        recorded, truth = self.both("with_lightning.py")
        self.check_steps(recorded, truth, 0)
        self.check_indices(recorded, truth, 0, loader=1)
        logged = [event["value"] for event in recorded.of_rank(0, "logged") if event["tag"] == "train_loss"]
        self.assertEqual([round(one, 5) for one in logged], [round(one[1], 5) for one in truth[0]["steps"]])

    def test_character_model(self):
        recorded, truth = self.both("characters.py")
        self.check_steps(recorded, truth, 0, accumulate=3)

    def test_adversarial_training(self):
        recorded, truth = self.both("gan.py")
        self.check_steps(recorded, truth, 0)
        self.check_indices(recorded, truth, 0)
        self.assertEqual([one["optimizers"] for one in self.counts(recorded, 0)], [[0, 1]])
        curves = collections.defaultdict(list)
        for event in recorded.of_rank(0, "logged"):
            curves[event["tag"]].append(event["value"])
        self.assertEqual(len(curves), 2)
        self.assertEqual([round(one, 5) for one in list(curves.values())[1]],
                         [round(one, 5) for one in truth[0]["second"]])


    def test_loaders_and_optimizers_that_break_simple_assumptions(self):
        recorded, truth = self.both("odd.py")
        known = truth[0]
        loaders = recorded.of_rank(0, "script", "loader")
        self.assertEqual([one["id"] for one in loaders], list(range(17)))
        again = [5, 1, 3, 0]
        seen = [[again[index] for index in one["index"]] for one in recorded.of_rank(0, "indices")
                if one.get("loader", 0) in (15, 16)]
        self.assertEqual(seen, known["data_created_again"])
        self.assertEqual([sorted(recorded.trained(0, loader)) for loader in (15, 16)], [[0, 1, 2], [0]])
        ends = {one["loader"]: one for one in recorded.of_rank(0, "script", "pass_end")}
        trained = {loader: recorded.trained(0, loader).get(0) for loader in range(12)}
        # An IterableDataset, keys that are no numbers, and batches out of order: counted, without indices.
        for loader, batches in ((0, 6), (3, 2), (11, 4)):
            self.assertIsNone(trained[loader])
            self.assertEqual((ends[loader]["trained"], ends[loader]["untrained"]), (batches, 0))
        self.assertEqual([recorded.trained(0, 12)[epoch] for epoch in range(3)], known["a_pass_for_each_batch"])
        for loader, name in ((13, "prefetched_batches"), (14, "batches_of_a_thread")):
            prefetched = recorded.trained(0, loader)
            self.assertEqual([prefetched[epoch] for epoch in range(2)], known[name])
            self.assertEqual(ends[loader]["why"], "exhausted")
        self.assertEqual(trained[1], known["no_batches"])
        self.assertEqual(trained[2], flat(known["own_sampler"]))
        self.assertEqual(trained[4], flat(known["loss_over_two_batches"]))
        self.assertEqual([trained[5], trained[6]], known["zipped_loaders"])
        self.assertEqual(trained[7], known["trained"])
        self.assertEqual(recorded.untrained(0, 7), known["skipped"])
        self.assertEqual(trained[8], known["closures"])
        counts = [one for one in recorded.of_rank(0, "script", "step_counts") if one["optimizers"] == [1]]
        self.assertEqual(counts[0]["backwards"], known["calls"] // 2)
        test, inner, train = known["subsets"]
        lists = {one["object"]: one["index"] for one in recorded.of_rank(0, "script", "subset")}
        described = {one["id"]: one["dataset"] for one in loaders}
        self.assertEqual(lists[described[9]["object"]], test)
        self.assertEqual(lists[described[10]["object"]], inner)
        self.assertEqual(lists[described[10]["inner"]["object"]], train)
        self.assertEqual(described[9]["inner"]["object"], described[10]["inner"]["inner"]["object"])

    def test_batches_that_are_fetched_several_ahead(self):
        recorded, truth = self.both("prefetches.py")
        known = truth[0]
        steps = {loader: [(one["step"], one["index"]) for one in recorded.of_rank(0, "indices")
                          if one.get("loader", 0) == loader] for loader in range(5)}
        last = 0
        for loader, name in enumerate(("two_ahead", "copies", "endless", "groups", "resumed")):
            expected = list(enumerate(known[name], start=last + 1))
            last += len(known[name])
            if name == "copies":  # known at the end of the first pass: the samples of the pass are right, not their steps
                half = len(expected) // 2
                self.assertEqual(sorted(flat(index for _, index in steps[loader][:half])), list(range(22)))
                self.assertEqual(steps[loader][half:], expected[half:])
            else:
                self.assertEqual(steps[loader], expected, name)
        self.assertEqual([len(recorded.untrained(0, loader)) for loader in range(5)], [0, 0, 0, 0, 4])

    def test_gradients_that_no_step_uses(self):
        # (backward passes, those whose gradients were cleared) of each step. Those before the first step are not observed.
        expected = {"guard": [(1, 0)] + [(2, 1), (1, 0)] * 7 + [(2, 1)],
                    "zeros": [(1, 0), (2, 0), (1, 0)] + [(2, 1), (1, 0)] * 6 + [(2, 1)],
                    "group": ([(3, 0)] * 3 + [(6, 3), (3, 0), (3, 0)] * 5),
                    "each": [(4, 0)] + [(4, 3)] * 5, "accumulates": [(4, 0)] * 6}
        for mode, counts in expected.items():
            recorded = watched.run_watched(watched.command("skips.py"), {"MODE": mode}).recorded
            steps = len(recorded.column(0, "step"))
            changes = {one["from_step"]: (one["backwards"], one["unused"])
                       for one in recorded.of_rank(0, "script", "step_counts")}
            seen = [changes[max(first for first in changes if first <= step)] for step in range(1, steps + 1)]
            self.assertEqual(seen, counts, mode)

    def test_gradients_that_the_script_changes(self):
        for mode, expected in (("divided", [{"after_step": 2}]), ("bucket_view", []), ("sharded_clipped", []),
                               ("fused_scaler_unscaled_clipped", [])):
            seen = watched.run_watched(watched.command("changed_gradients.py", ranks=2), {"MODE": mode})
            self.assertEqual(seen.code, 0, seen.end())
            for rank in (0, 1):
                self.assertEqual(seen.recorded.of_rank(rank, "script", "gradients_changed"), expected, mode)
                self.assertEqual(seen.recorded.of_rank(rank, "script", "hook_failed"), [])

    def test_features_that_are_gathered_without_a_gradient(self):
        with open(os.path.join(watched.SCRIPTS, "contrastive.py")) as file:
            line = next(number for number, text in enumerate(file, start=1) if "dist.all_gather(" in text)
        for mode, expected in (("put_back", [{"where": "contrastive.py:%d" % line, "operation": "all_gather", "ranks": 2,
                                              "with_gradient": 1}]), ("with_gradient", []), ("for_a_metric", [])):
            recorded, _ = self.both("contrastive.py", ranks=2, MODE=mode)
            for rank in (0, 1):
                self.assertEqual(recorded.of_rank(rank, "script", "gathered"), expected, mode)
                self.assertEqual(recorded.of_rank(rank, "script", "hook_failed"), [])

    def test_changes_of_a_wrapped_model_are_reported(self):
        recorded, _ = self.both("changed_after_wrapping.py")
        with open(os.path.join(watched.SCRIPTS, "changed_after_wrapping.py")) as file:
            lines_of = {text.strip(): "changed_after_wrapping.py:%d" % number for number, text in enumerate(file, start=1)}
        self.assertEqual(recorded.of_rank(0, "script", "converted"), [
            {"model": 0, "where": lines_of["model.%s()" % name], "from": "%s on cpu" % before, "to": "%s on cpu" % after,
             "after_step": 0}
            for name, before, after in (("double", "float32", "float64"), ("float", "float64", "float32"))])
        self.assertEqual(recorded.of_rank(0, "script", "unfrozen"),
                         [{"after_step": 8, "frozen_after_step": 4, "tensors": 1, "names": ["0.weight"]}])
        prefix = "optimizer 0 group 0 parameter "
        self.assertEqual(recorded.of_rank(0, "script", "optimizer")[0]["unwrapped"], [
            {"where": lines_of["loss_function = Centres(3)"], "parameter": prefix + "4"},
            {"where": lines_of["more = nn.ParameterList([nn.Parameter(torch.ones(2))])"], "parameter": prefix + "7"}])
        self.assertEqual(recorded.of_rank(0, "script", "hook_failed"), [])

    def test_lightning_with_accumulation_on_two_ranks(self):
        recorded, truth = self.both("with_lightning.py", shown_ranks=2, RANKS="2", ACCUMULATE="2")
        for rank in (0, 1):
            self.check_indices(recorded, truth, rank, loader=1)
            self.assertEqual({one["all_reduces"] for one in self.counts(recorded, rank)}, {1})
        self.check_replicas_equal(recorded, (0, 1))

    def test_accelerate_with_accumulation(self):
        recorded, truth = self.both("with_accelerate.py", ranks=2, ACCUMULATE="2")
        for rank in (0, 1):
            self.check_indices(recorded, truth, rank)
            self.assertEqual({one["all_reduces"] for one in self.counts(recorded, rank)}, {1})
        self.check_replicas_equal(recorded, (0, 1))

    def test_stateful_loader_that_resumes_in_an_epoch(self):
        for workers in ("0", "2"):
            recorded, truth = self.both("stateful.py", WORKERS=workers)
            self.check_steps(recorded, truth, 0)
            first, second = truth[0]["indices"]
            self.assertEqual(recorded.trained(0), {0: flat(first), 1: flat(second)})
            self.assertEqual(sorted(flat(first) + flat(second)), list(range(40)))

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
    def test_csv_classifier_under_mpirun(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
        recorded, truth = self.both("launched.py", shown_ranks=2, launcher=launcher, MASTER_PORT=port)
        for rank in (0, 1):
            self.check_steps(recorded, truth, rank)
            self.check_indices(recorded, truth, rank)
            self.assertEqual(recorded.of_rank(rank, "script", "process")[0]["launcher"], "mpirun")
        self.check_replicas_equal(recorded, (0, 1))

    def test_script_that_ringsidectl_exports(self):
        programs = sorted(glob.glob(os.path.join(watched.ROOT, "build", "*", "bin", "ringsidectl")))
        if not programs:
            self.skipTest("ringsidectl is not built")
        with tempfile.TemporaryDirectory() as folder:
            config, script = os.path.join(folder, "config.json"), os.path.join(folder, "train.py")
            defaults = subprocess.run([programs[0], "config", "--defaults"], capture_output=True, check=True).stdout
            with open(config, "wb") as file:
                file.write(defaults)
            subprocess.run([programs[0], "export", config, "--set", "training.epochs=1", "--set",
                            "parallel.world_size=2", "--to", "pytorch", "-o", script], check=True, capture_output=True)
            words = watched.command(script, ranks=2)
            alone = watched.run_alone(words + ["--out", os.path.join(folder, "alone")])
            seen = watched.run_watched(words + ["--out", os.path.join(folder, "seen")])
            self.assertEqual(alone.code, 0, "alone: " + alone.end())
            self.assertEqual(seen.code, 0, "watched: " + seen.end())
            with open(os.path.join(folder, "alone", "metrics.jsonl")) as one:
                with open(os.path.join(folder, "seen", "metrics.jsonl")) as other:
                    metrics = one.read()
                    self.assertEqual(metrics, other.read())
            noted = [one for one in map(json.loads, metrics.splitlines()) if one["kind"] == "step"]
            self.assertEqual(len(seen.recorded.column(0, "step")), len(noted))
            for rank in (0, 1):
                self.assertEqual(seen.recorded.of_rank(rank, "script", "hook_failed"), [])
            means = [(a + b) / 2 for a, b in zip(seen.recorded.column(0, "loss"), seen.recorded.column(1, "loss"))]
            for mean, step in zip(means[:-1], noted[:-1]):  # the last batches of the ranks can differ in length
                self.assertAlmostEqual(mean, step["loss"], places=4)


if __name__ == "__main__":
    unittest.main(argv=torch_python.chosen_tests(["Scripts.test_" + name for name in (
        "toy_model_with_spawn", "cnn_under_torchrun", "fully_shard", "accelerate", "lightning", "character_model",
        "adversarial_training", "loaders_and_optimizers_that_break_simple_assumptions",
        "batches_that_are_fetched_several_ahead")]))
