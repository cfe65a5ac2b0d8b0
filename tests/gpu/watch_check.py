# SPDX-License-Identifier: Apache-2.0
"""Watches PyTorch scripts on a GPU: python3 watch_check.py RINGSIDECTL. Prints a row for each script.

A script runs alone and under `ringsidectl watch`. Both must print the same, with the same hash of the weights and the
same exit code; the recorded losses and samples must equal those that the script records itself; there must be no
finding. The last row compares the step times of alternating runs with and without the watch.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "watched_training.py")
STEPS = 45  # more than two epochs of 20 steps
TIMED_STEPS, TURNS = 1500, 3
# Mode of the script and number of ranks, which share the GPU; 0: one process without torchrun.
ROWS = (("plain", 0), ("abrupt", 0), ("workers", 0), ("bf16", 0), ("fp16", 0), ("compile", 0), ("ddp", 1), ("fsdp", 1),
        ("gloo", 2))
TORCH_LOG = re.compile(r"^(?:\[rank\d+\]:)?[WEI]\d{4} .*$\n?", re.MULTILINE)  # with times and process numbers
failed = []


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def command(mode, ranks, steps):
    words = [SCRIPT, mode, str(steps)]
    if ranks == 0:
        return [sys.executable, *words]
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), *words]


def run(words, truth):
    kernels = os.path.join(os.path.dirname(truth), "kernels")
    own = {"TRUTH": truth, "OMP_NUM_THREADS": "1", "TORCHINDUCTOR_CACHE_DIR": kernels}
    done = subprocess.run(words, env=dict(os.environ, **own), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=240)
    return done.returncode, sorted(done.stdout.splitlines()), TORCH_LOG.sub("", done.stderr)


def events(directory, kind):
    with open(os.path.join(directory, "telemetry.jsonl")) as file:
        return [event for event in map(json.loads, file) if event["kind"] == kind]


def truth_of(prefix, rank):
    with open("%s-%d" % (prefix, rank)) as file:
        return json.load(file)


def differences(mode, ranks, directory, truth):
    """Yields a sentence for each recorded fact that differs from what the script has noted."""
    with open(os.path.join(directory, "summary.json")) as file:
        summary = json.load(file)
    if summary["state"] != "finished" or summary["steps"] != STEPS:
        yield "state %s after %s steps" % (summary["state"], summary["steps"])
    for finding in summary["findings"]:
        if finding["severity"] != "note":
            yield "finding %s: %s" % (finding["code"], finding["text"])
    for rank in range(0 if mode == "abrupt" else max(1, ranks)):
        own = truth_of(truth, rank)
        losses = [one for event in events(directory, "steps") if event["rank"] == rank for one in event["loss"]]
        apart = [k for k, (a, b) in enumerate(zip(own["losses"], losses)) if b is None or abs(a - b) > 1e-6 * abs(a)]
        if len(losses) != STEPS or apart:
            yield "rank %d: %d losses, %d differ from the script's, the first after step %s: %s" % (
                rank, len(losses), len(apart), apart[:1], losses[-3:])
        indices = [event["index"] for event in events(directory, "indices") if event["rank"] == rank]
        if indices != own["samples"]:
            yield "rank %d: %d batches of samples, not the script's %d" % (rank, len(indices), len(own["samples"]))


def check(program, mode, ranks, folder):
    truth, directory = os.path.join(folder, "truth-" + mode), os.path.join(folder, "run-" + mode)
    if mode == "compile":  # compiling prints warnings and chooses among kernels that round in different ways
        run(command(mode, ranks, STEPS), os.path.join(folder, "compiled"))
    alone = run(command(mode, ranks, STEPS), os.path.join(folder, "alone-" + mode))
    seen = run([program, "watch", "--out", directory, "--", *command(mode, ranks, STEPS)], truth)
    wrong = [name + " differs" for name, a, b in zip(("exit code", "output", "standard error"), alone, seen) if a != b]
    if alone[0] != 0:
        wrong.append("the script alone ends with %d: %s" % (alone[0], alone[2][-600:]))
    elif "standard error differs" in wrong:
        wrong.append(seen[2][-600:])
    try:
        wrong += differences(mode, ranks, directory, truth)
    except (OSError, KeyError, ValueError) as error:
        wrong.append(repr(error))
    print("%-8s %d rank(s): %s" % (mode, max(1, ranks), "; ".join(wrong) or "same output, weights, losses and samples"),
          flush=True)
    if wrong:
        failed.append(mode)


def measure(program, mode, folder):
    medians = {True: [], False: []}
    for turn in range(2 * TURNS):
        watches = turn % 2 == 1
        truth = os.path.join(folder, "time-%s-%d" % (mode, turn))
        words = command(mode, 0, TIMED_STEPS)
        if watches:
            words = [program, "watch", "--out", truth + "-run", "--", *words]
        run(words, truth)
        medians[watches].append(truth_of(truth, 0)["step_ms"])
    on, off = (statistics.median(medians[one]) for one in (True, False))
    print("%-8s | %.3f ms a step watched, %.3f ms alone: %+.1f us, %+.2f %% (medians of %d runs each: %s; %s)" % (
        mode, on, off, 1e3 * (on - off), 100 * (on / off - 1), TURNS,
        " ".join("%.3f" % one for one in medians[True]), " ".join("%.3f" % one for one in medians[False])), flush=True)


def main():
    try:
        import torch
    except ImportError:
        skip("this python3 has no PyTorch")
    if not torch.cuda.is_available():
        skip("this PyTorch sees no GPU")
    with tempfile.TemporaryDirectory(prefix="watch-check-") as folder:
        for mode, ranks in ROWS:
            check(sys.argv[1], mode, ranks, folder)
        measure(sys.argv[1], "plain", folder)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
