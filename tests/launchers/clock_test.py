# SPDX-License-Identifier: Apache-2.0
"""clock_test.py BIN: two hosts of two ranks whose clocks are 1,000 s apart. The hosts are network and time namespaces.

The offset must be measured at the start and again during the run, and reported in telemetry.jsonl, summary.json,
`attach` and `show`. The recorded traces must be corrected by it: steps of both hosts have the same times. Skipped (77)
if namespaces cannot be made.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from partition_test import ADDRESSES, Hosts

APART = 1000  # difference of the clocks, in seconds
SETTINGS = ["training.epochs=1000000", "pitfalls.slow_rank=0", "pitfalls.slow_ms=20"]
OTHER_CLOCK = f"unshare --time --fork --kill-child --monotonic {APART}"


def shell(hosts, scratch):
    """Returns the command that replaces ssh."""
    script = scratch / "shell"
    first, second = (f"exec ip netns exec {name}" for name in hosts.names)
    script.write_text(f'case $1 in\n{ADDRESSES[0]}) {first} sh -c "$2";;\n'
                      f'{ADDRESSES[1]}) {second} {OTHER_CLOCK} sh -c "$2";;\nesac\n')
    return f"sh {script} {{host}} {{command}}"


def lines(file, kind):
    if not file.exists():
        return []
    whole = [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [entry for entry in map(json.loads, whole) if entry["kind"] == kind]


def wait_for(what, seconds, about):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, f"timed out after {seconds} s waiting for {about}"
        time.sleep(0.2)


def output_of(programs, *words, on=()):
    line = [*on, programs / "ringsidectl", *words]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60).stdout


def train(programs, hosts, scratch):
    out = scratch / "run"
    line = [programs / "ringsidectl", "run", "--hosts", f"{ADDRESSES[0]}:2,{ADDRESSES[1]}:2", "--shell", shell(hosts, scratch),
            "--out", out]
    for setting in SETTINGS:
        line += ["--set", setting]
    with open(scratch / "said.txt", "w", encoding="utf-8") as said:
        run = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
    try:
        # The offset is measured when the ranks connect, and again 15 s later.
        wait_for(lambda: len(lines(out / "telemetry.jsonl", "clock")) >= 2, 60, "two comparisons of the clocks")
        attached = output_of(programs, "attach", out, "--stop", on=("ip", "netns", "exec", hosts.names[0]))
        assert run.wait(60) == 20, (scratch / "said.txt").read_text()[-2000:]
    finally:
        if run.poll() is None:
            run.terminate()
            run.wait(60)
    return out, attached


def check(programs, out, attached):
    clocks = lines(out / "telemetry.jsonl", "clock")
    for clock in clocks:
        assert clock["rank"] == 2, clock
        assert abs(clock["offset_us"] - APART * 1_000_000) <= clock["error_us"], clock
        assert abs(clock["moved_us"]) <= clocks[0]["error_us"] + clock["error_us"], clock
        assert 0 < clock["round_trip_us"] and clock["error_us"] < 20_000, clock
    summary = json.loads((out / "summary.json").read_text())
    assert [one["rank"] for one in summary["clocks"]] == [2], summary["clocks"]
    assert summary["clocks"][0]["moved_us"] == clocks[-1]["moved_us"], summary["clocks"]
    assert "clocks: " in attached and "round trip" in attached, attached
    assert "round trip" in output_of(programs, "show", out)
    return clocks[-1]


def check_traces(out):
    """Checks that the ends of a step's last collective on all ranks are as close to each other as the uncertainty of
    the clocks allows, because all ranks leave it together.
    """
    ends = {}
    for trace in lines(out / "trace.jsonl", "trace"):
        if trace.get("length_ns", -1) > 0:
            ends.setdefault(trace["step"], {})[trace["rank"]] = trace["begin_ns"] + trace["length_ns"]
    apart = sorted(max(one.values()) - min(one.values()) for one in ends.values() if len(one) == 4)
    assert len(apart) >= 10, len(apart)
    assert apart[len(apart) // 2] < 20_000_000, apart
    return apart[len(apart) // 2] / 1e6


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    if subprocess.run(OTHER_CLOCK.split() + ["true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: this process may not make time namespaces")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        try:
            with Hosts() as hosts:
                out, attached = train(programs, hosts, pathlib.Path(folder))
                clock = check(programs, out, attached)
                print(f"offset {clock['offset_us']} us, known to {clock['error_us']} us, round trip {clock['round_trip_us']} us;"
                      f" steps of both hosts end {check_traces(out):.2f} ms apart")
        except subprocess.CalledProcessError as error:
            print(f"skipped: network namespaces cannot be made ({error.stderr.decode(errors='replace').strip()})")
            sys.exit(77)


if __name__ == "__main__":
    main()
