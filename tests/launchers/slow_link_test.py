# SPDX-License-Identifier: Apache-2.0
"""slow_link_test.py BIN: three hosts of two ranks (network namespaces). The cable of one host has a fiftieth of the
rate of the others. This host, and no other, must be named during the run and after it.

Between two hosts with fast cables and a slow rank, no link may be named: the slow rank reads and acknowledges late.
Skipped (77) if namespaces cannot be made.
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


def train(programs, hosts, scratch, seats, settings):
    """Trains with two ranks on each of the first `seats` hosts. Returns the run directory."""
    enter = lambda seat: f"{' '.join(hosts.on(seat))} unshare --uts sh -c 'hostname node{seat}; exec sh -c \"$0\"' \"$2\""
    cases = "\n".join(f"{hosts.address(seat)}) exec {enter(seat)};;" for seat in range(seats))
    (scratch / "shell").write_text(f"case $1 in\n{cases}\nesac\n")
    line = [programs / "ringsidectl", "run", "--hosts", ",".join(f"{hosts.address(seat)}:2" for seat in range(seats)), "--shell",
            f"sh {scratch / 'shell'} {{host}} {{command}}", "--out", scratch / "run"]
    for setting in settings:
        line += ["--set", setting]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=240, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    return scratch / "run"


def warnings_of(run):
    return [text for text in (run / "log.txt").read_text().splitlines() if "slow network link to" in text]


def finds_the_slow_link(programs, hosts, scratch):
    run = train(programs, hosts, scratch, 3, SETTINGS)
    name = f"node{SLOW}"
    reported = warnings_of(run)
    assert len(reported) == 1 and f"slow network link to {name}: " in reported[0], reported
    assert "times slower than the median link of the other hosts" in reported[0], reported
    links = json.loads((run / "summary.json").read_text())["links"]
    assert [link["rank"] for link in links] == [0, 2, 4] and links[2]["host"] == name, links
    assert [bool(link["slow"]) for link in links] == [False, False, True], links
    assert 3 < links[2]["mbit_per_s"] < 30, links  # the link has 20 Mbit/s, which two connections share
    shown = subprocess.run([programs / "ringsidectl", "show", run], stdout=subprocess.PIPE, text=True, check=True)
    assert f"{name}: " in shown.stdout and ", slow: " in shown.stdout, shown.stdout
    print(reported[0].strip())


def accuses_no_link_of_a_slow_rank(programs, hosts, scratch, rank):
    settings = ["training.max_steps=250", "training.epochs=40", "loader.batch_size=32", "model.hidden=[256]",
                "training.checkpoint_seconds=0", f"pitfalls.slow_rank={rank}", "pitfalls.slow_ms=10"]
    run = train(programs, hosts, scratch, 2, settings)
    assert not warnings_of(run), warnings_of(run)
    links = json.loads((run / "summary.json").read_text())["links"]
    assert len(links) == 1 and not links[0]["slow"], links


def main():
    why = why_not()
    if why:
        print("skipped:", why)
        sys.exit(77)
    programs = pathlib.Path(sys.argv[1]).resolve()
    with SwitchedHosts(3) as hosts, tempfile.TemporaryDirectory() as folder:
        for seat in range(3):
            # With a larger bucket, the slow link would deliver up to 64 KiB in one piece, unlike a real link.
            hosts.slow_down(seat, *(("20mbit", "8k") if seat == SLOW else ("1gbit", "64k")))
        finds_the_slow_link(programs, hosts, pathlib.Path(folder))
    for rank in (0, 3):
        with SwitchedHosts(2) as hosts, tempfile.TemporaryDirectory() as folder:
            accuses_no_link_of_a_slow_rank(programs, hosts, pathlib.Path(folder), rank)


main()
