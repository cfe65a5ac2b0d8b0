#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""live_lag.py [BUILD [RANKS [SECONDS]]]: measures the delay between the end of a traced step of a live run and its
arrival at a viewer. The window reads the same lines from `ringsidectl attach --lines --traces` and draws them within
40 ms.
"""
import json
import pathlib
import os
import statistics
import subprocess
import sys
import tempfile
import time


def lags(build, ranks, seconds):
    """Returns the delay in milliseconds of each trace that arrived while the run was in progress."""
    with tempfile.TemporaryDirectory() as scratch:
        out = scratch + "/run"
        command = [str(build / "bin/ringsidectl"), "run", "--quiet", "--out", out]
        for setting in (f"parallel.world_size={ranks}", "training.epochs=1000000", "training.checkpoint_every=0"):
            command += ["--set", setting]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not pathlib.Path(out, "telemetry.jsonl").exists() and run.poll() is None:
            time.sleep(0.05)
        time.sleep(2)  # waits until the traces that were recorded before have arrived, because they do not count
        viewer = subprocess.Popen([str(build / "bin/ringsidectl"), "attach", out, "--lines", "--traces"],
                                  stdout=subprocess.PIPE, stdin=subprocess.PIPE)
        began, zero, found, first = time.time(), None, [], time.time() + 1
        for line in viewer.stdout:
            now = time.time()
            event = json.loads(line)
            if event["kind"] == "run":
                zero = event["started_unix_ms"] / 1000
            if event["kind"] == "trace" and zero is not None and now > first:
                found.append(1000 * (now - zero - (event["begin_ns"] + event["length_ns"]) / 1e9))
            if now - began > seconds:
                break
        viewer.kill()
        run.terminate()
        run.wait(timeout=60)
        viewer.wait()
        return found


def main():
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[3] / "build/release"
    ranks = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    found = sorted(lags(build, ranks, seconds))
    print(f"{ranks} ranks, {len(found)} traces: lag median {statistics.median(found):.0f} ms, "
          f"p99 {found[int(0.99 * (len(found) - 1))]:.0f} ms, longest {found[-1]:.0f} ms; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
