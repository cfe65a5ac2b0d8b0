# SPDX-License-Identifier: Apache-2.0
"""slow_link_test.py BIN: three hosts of two ranks (network namespaces). The cable of one host has a fiftieth of the
rate of the others.

This host, and no other, must be named during the run and after it. Skipped (77) if namespaces cannot be made.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from switched_hosts import SwitchedHosts, why_not

SLOW = 2
SETTINGS = ["training.epochs=16", "loader.batch_size=64", "model.hidden=[256,256]", "training.checkpoint_seconds=0"]


def test(programs, hosts, scratch):
    enter = lambda seat: f"{' '.join(hosts.on(seat))} unshare --uts sh -c 'hostname node{seat}; exec sh -c \"$0\"' \"$2\""
    cases = "\n".join(f"{hosts.address(seat)}) exec {enter(seat)};;" for seat in range(3))
    (scratch / "shell").write_text(f"case $1 in\n{cases}\nesac\n")
    line = [programs / "ringsidectl", "run", "--hosts", ",".join(f"{hosts.address(seat)}:2" for seat in range(3)), "--shell",
            f"sh {scratch / 'shell'} {{host}} {{command}}", "--out", scratch / "run"]
    for setting in SETTINGS:
        line += ["--set", setting]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=240, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    name = f"node{SLOW}"
    reported = [text for text in (scratch / "run" / "log.txt").read_text().splitlines() if "slow link to" in text]
    assert len(reported) == 1 and f"slow link to {name}: " in reported[0] and "times slower than the other hosts" in reported[0], reported
    links = json.loads((scratch / "run" / "summary.json").read_text())["links"]
    assert [link["rank"] for link in links] == [0, 2, 4] and links[2]["host"] == name, links
    assert [bool(link["slow"]) for link in links] == [False, False, True], links
    assert 3 < links[2]["mbit_per_s"] < 30, links  # the link has 20 Mbit/s, which two connections share
    shown = subprocess.run([programs / "ringsidectl", "show", scratch / "run"], stdout=subprocess.PIPE, text=True, check=True)
    assert f"{name}: " in shown.stdout and ", slow: " in shown.stdout, shown.stdout
    print(reported[0].strip())


def main():
    why = why_not()
    if why:
        print("skipped:", why)
        sys.exit(77)
    with SwitchedHosts(3) as hosts, tempfile.TemporaryDirectory() as folder:
        for seat in range(3):
            hosts.slow_down(seat, "20mbit" if seat == SLOW else "1gbit")
        test(pathlib.Path(sys.argv[1]).resolve(), hosts, pathlib.Path(folder))


main()
