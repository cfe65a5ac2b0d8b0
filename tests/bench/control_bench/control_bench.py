#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""control_bench.py [BUILD [TRIALS]]: measures how fast a paused run reacts to a stop, over shared memory and over Gloo.

Measures two times from the signal to the supervisor, which `ringsidectl control RUN stop` and Ctrl-C also send: until
rank 0 reports that it stops, and until the weights are saved and all processes have ended.
"""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def trial(build, backend):
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "run")
        command = [str(build / "bin/ringsidectl"), "run", "--quiet", "--out", str(out)]
        for setting in ("parallel.world_size=4", "training.epochs=1000000", f"parallel.backend={backend}"):
            command += ["--set", setting]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (out / "metrics.jsonl").exists() and run.poll() is None:
            time.sleep(0.02)
        subprocess.run([str(build / "bin/ringsidectl"), "control", str(out), "pause"], check=True, capture_output=True)
        time.sleep(1)
        requested = time.time()
        run.send_signal(signal.SIGINT)
        run.wait(timeout=60)
        gone = time.time() - requested
        zero = next(one["started_unix_ms"] for one in lines_of(out / "telemetry.jsonl") if one["kind"] == "run") / 1000
        saving = [one["time_us"] / 1e6 for one in lines_of(out / "telemetry.jsonl")
                  if one["kind"] == "rank" and one["state"] in ("saving", "stopped")]
        return 1000 * (zero + min(saving) - requested), 1000 * gone


def main():
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[3] / "build/release"
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for backend in ("shm", "gloo"):
        answers, ends = zip(*[trial(build, backend) for _ in range(trials)])
        for what, times in (("answers", answers), ("is gone", ends)):
            print(f"{backend}: a paused run {what} after {statistics.median(times):.0f} ms, longest {max(times):.0f} ms, "
                  f"{trials} trials; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
