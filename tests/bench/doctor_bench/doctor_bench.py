#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doctor_bench.py [--runs N] [--ranks N] [--milliseconds MS] [--seed N] [--program PATH] [--traceml FOLDER]

Runs scripts with a slow rank under `ringsidectl watch` and under TraceML (traceml-ai 0.5.0), and prints which rank and
phase each of them reports. One rank of tests/watch/scripts/straggler.py, chosen at random, is slower in one phase:
loader, forward, backward and optimizer in turn. TraceML gets each run twice: the unchanged script, and the script with
the two lines that TraceML's documentation requires in a user's own training loop (init() and trace_step()). TraceML is
installed once into FOLDER, by default ~/.cache/ringside/traceml-ai-0.5.0; the settings of pip decide where packages
come from.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "watch"))

import torch_python  # noqa: E402

VERSION = "0.5.0"
NEEDS = ["rich", "psutil", "nvidia-ml-py", "msgspec", "pyyaml"]
PHASES = ("loader", "forward", "backward", "optimizer")
WORDS = {"loader": ("data", "input", "loader"), "forward": ("forward",), "backward": ("backward",),
         "optimizer": ("optimizer",)}
SCRIPT = ROOT / "tests" / "watch" / "scripts" / "straggler.py"
LOOP, END = "    for x, y in loader:\n", "    dist.destroy_process_group()\n"
LIMIT = 300  # longest time of a run, in seconds


def default_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "ringside" / ("traceml-ai-" + VERSION)


def install(python, folder):
    """Installs TraceML once, into an environment with PyTorch."""
    if (folder / "traceml_ai").exists():
        return
    for words in (["--no-deps", "traceml-ai==" + VERSION], NEEDS):
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--target", str(folder), *words], check=True)


def instrumented():
    """Returns the script with the two lines that TraceML's documentation requires."""
    text = SCRIPT.read_text()
    head, rest = text.split(LOOP)
    body, end = rest.split(END, 1)
    inside = "".join("    " + line for line in body.splitlines(keepends=True))
    return "%s    import traceml_ai as traceml\n    traceml.init(mode=\"auto\")\n%s        with traceml.trace_step(model):\n%s%s%s" % (
        head, LOOP, inside, END, end)


def watched(program, python, ranks, arguments, folder):
    """Returns the straggler that `ringsidectl watch` reports, as (rank, phase)."""
    directory = os.path.join(folder, "run")
    words = [python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), str(SCRIPT)]
    done = subprocess.run([program, "watch", "--out", directory, "--", *words, *arguments], capture_output=True,
                          text=True, timeout=LIMIT, env=dict(os.environ, OMP_NUM_THREADS="1"), check=False)
    if done.returncode != 0:
        return "failed: " + done.stderr[-200:], None, ""
    with open(os.path.join(directory, "summary.json")) as file:
        found = [one for one in json.load(file)["findings"] if one["code"] == "straggler"]
    if not found:
        return "nothing", None, ""
    evidence = found[0]["evidence"]
    return found[0]["text"], evidence["rank"], evidence["phase"]


def traced(folder_of_traceml, python, ranks, script, arguments, folder):
    """Returns the straggler that TraceML's summary reports, as (rank, phase)."""
    paths = os.pathsep.join([str(folder_of_traceml), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    environment = dict(os.environ, PYTHONPATH=paths, OMP_NUM_THREADS="1",
                       PATH=os.path.dirname(python) + os.pathsep + os.environ["PATH"])
    words = [python, str(folder_of_traceml / "bin" / "traceml"), "run", "--nproc-per-node", str(ranks), "--logs-dir", folder,
             "--run-name", "run", "--master-port", str(random.randrange(20000, 40000)), str(script), "--args", *arguments]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, env=environment, check=False)
    path = os.path.join(folder, "run", "final_summary.json")
    if done.returncode != 0 or not os.path.exists(path):
        return "failed: " + (done.stderr or done.stdout)[-200:], None, ""
    with open(path) as file:
        diagnosis = json.load(file)["primary_diagnosis"]
    text = " ".join(str(diagnosis.get(key) or "") for key in ("status", "summary", "reason", "action"))
    return text.strip(), rank_in(diagnosis), text.lower()


def rank_in(diagnosis):
    """Returns the rank of a straggler in TraceML's diagnosis, or None."""
    if "STRAGGLER" not in str(diagnosis.get("kind")):
        return None
    evidence = diagnosis.get("evidence") or {}
    for source in (evidence, diagnosis):
        for key in ("worst_rank", "worst_global_rank", "rank", "global_rank"):
            if isinstance(source.get(key), int):
                return source[key]
    named = re.search(r"\b[rR](\d+)\b", str(diagnosis.get("summary") or diagnosis.get("reason")))
    return int(named.group(1)) if named else None


def main():
    parser = argparse.ArgumentParser(description="shows slow ranks to ringsidectl watch and to TraceML")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--milliseconds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/ringsidectl"))
    parser.add_argument("--traceml", type=pathlib.Path, default=default_folder())
    options = parser.parse_args()
    python = torch_python.find()
    if python is None:
        print("SKIPPED: no Python with PyTorch 2; run tests/watch/torch_python.py --make")
        return torch_python.SKIPPED
    install(python, options.traceml)
    choose = random.Random(options.seed)
    columns = ("ringsidectl watch", "TraceML, script as it is", "TraceML, two lines added")
    both, rank_only = [0] * len(columns), [0] * len(columns)
    print("| slow phase and rank | %s |\n|---|---|---|---|" % " | ".join(columns))
    with tempfile.TemporaryDirectory(prefix="ringside-doctor-") as folder:
        changed = os.path.join(folder, "straggler.py")
        with open(changed, "w") as file:
            file.write(instrumented())
        for number in range(options.runs):
            phase, rank = PHASES[number % len(PHASES)], choose.randrange(options.ranks)
            arguments = [phase, str(rank), str(options.milliseconds)]
            places = [os.path.join(folder, "%d-%d" % (number, column)) for column in range(len(columns))]
            results = [watched(options.program, python, options.ranks, arguments, places[0]),
                       traced(options.traceml, python, options.ranks, SCRIPT, arguments, places[1]),
                       traced(options.traceml, python, options.ranks, changed, arguments, places[2])]
            for column, (_, found, text) in enumerate(results):
                rank_only[column] += found == rank
                both[column] += found == rank and any(word in text for word in WORDS[phase])
            print("| %s, rank %d | %s |" % (phase, rank, " | ".join(one[0].replace("|", "/").replace("\n", " ")
                                                                     for one in results)), flush=True)
    for column, name in enumerate(columns):
        print("%s: rank and phase named in %d of %d runs, the rank in %d" % (name, both[column], options.runs,
                                                                             rank_only[column]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
