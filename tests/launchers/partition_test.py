# SPDX-License-Identifier: Apache-2.0
"""partition_test.py BIN [SECONDS]: two hosts of two ranks (network namespaces) whose cable is unplugged for SECONDS
(60).

The run must fail by its deadline, name the other host, be started again when the cable is plugged in, and end with the
losses of an undisturbed run. Skipped (77) if namespaces cannot be made, and without RINGSIDE_LONG_TESTS=1.
"""
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import time

ADDRESSES = ["10.77.31.1", "10.77.31.2"]
TIMEOUT = 5
SETTINGS = ["training.epochs=150", "training.checkpoint_every=1", "training.keep_checkpoints=2", "pitfalls.slow_rank=0",
            "pitfalls.slow_ms=4", f"parallel.timeout_seconds={TIMEOUT}"]


class Hosts:
    def __init__(self):
        mark = secrets.token_hex(4)
        self.names = [f"ringside-{mark}-{host}" for host in (0, 1)]

    def __enter__(self):
        first, second = self.names
        for name in self.names:
            command("ip", "netns", "add", name)
        command("ip", "-n", first, "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", second)
        for name, address in zip(self.names, ADDRESSES):
            command("ip", "-n", name, "addr", "add", address + "/24", "dev", "wire")
            for device in ("lo", "wire"):
                command("ip", "-n", name, "link", "set", device, "up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)

    def cable(self, state):
        command("ip", "-n", self.names[0], "link", "set", "wire", state)

    def shell(self, scratch):
        """Returns the command that replaces ssh."""
        script = scratch / "shell"
        cases = "\n".join(f'{address}) exec ip netns exec {name} sh -c "$2";;'
                          for name, address in zip(self.names, ADDRESSES))
        script.write_text(f"case $1 in\n{cases}\nesac\n")
        return f"sh {script} {{host}} {{command}}"


def command(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def start(programs, hosts, scratch, name):
    line = [programs / "ringsidectl", "run", "--hosts", f"{ADDRESSES[0]}:2,{ADDRESSES[1]}:2", "--shell", hosts.shell(scratch),
            "--out", scratch / name, "--max-restarts", "20"]
    for setting in SETTINGS:
        line += ["--set", setting]
    with open(scratch / (name + ".txt"), "w", encoding="utf-8") as said:
        return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)


def steps(run):
    try:
        lines = (run / "metrics.jsonl").read_text().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return [entry for entry in map(json.loads, filter(lambda line: line.endswith("\n"), lines)) if entry["kind"] == "step"]


def wait_for(what, seconds, about):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, f"timed out after {seconds} s waiting for {about}"
        time.sleep(0.1)


def test(programs, hosts, scratch, seconds):
    calm = start(programs, hosts, scratch, "calm")
    assert calm.wait(300) == 0, (scratch / "calm.txt").read_text()[-2000:]
    cut = start(programs, hosts, scratch, "cut")
    try:
        wait_for(lambda: len(steps(scratch / "cut")) > 100, 60, "the first steps")
        hosts.cable("down")
        since = time.monotonic()
        output = lambda: (scratch / "cut.txt").read_text()
        verdict = lambda: re.search(r"rank [23] on \S+ hung at .*", output())
        wait_for(verdict, TIMEOUT + 20, "the verdict")
        judged = time.monotonic() - since
        time.sleep(max(0, seconds - judged))
        assert cut.poll() is None, output()[-2000:]
        hosts.cable("up")
        code = cut.wait(300)
        assert code == 0, output()[-3000:]
    finally:
        if cut.poll() is None:
            cut.terminate()
            cut.wait(60)
    summary = json.loads((scratch / "cut" / "summary.json").read_text())
    assert summary["state"] == "finished" and summary["restarts"] >= 1, summary
    undisturbed, disturbed = steps(scratch / "calm"), steps(scratch / "cut")
    assert [line["step"] for line in disturbed] == list(range(1, len(undisturbed) + 1)), "steps are missing or double"
    assert [line["loss"] for line in disturbed] == [line["loss"] for line in undisturbed], "other losses"
    print(verdict().group())
    print(f"cable out for {seconds} s: judged after {judged:.1f} s, {summary['restarts']} restarts, the same losses")


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    if os.environ.get("RINGSIDE_LONG_TESTS") != "1":
        print("skipped: it takes two minutes; set RINGSIDE_LONG_TESTS=1")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        try:
            with Hosts() as hosts:
                test(programs, hosts, pathlib.Path(folder), int(sys.argv[2]) if len(sys.argv) > 2 else 60)
        except subprocess.CalledProcessError as error:
            print("skipped: namespaces cannot be made here:", error.stderr.decode().strip())
            sys.exit(77)
        left = subprocess.run(["pgrep", "-f", folder], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        assert not [pid for pid in left if int(pid) != os.getpid()], f"left behind: {left}"


if __name__ == "__main__":
    main()
