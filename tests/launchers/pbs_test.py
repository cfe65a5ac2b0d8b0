# SPDX-License-Identifier: Apache-2.0
"""pbs_test.py BIN: runs the exported PBS script with replacements for qsub and pbsdsh, because Debian has no PBS.

The replacements behave like OpenPBS in all that the script uses: a node file with a line per rank, tasks with PBS's
variables and no other variables of the script's environment, and a script that is spooled under another name. As in
OpenPBS's source (src/cmds), qsub parses the words of a #PBS line as options and refuses unknown ones. pbsdsh returns 0
independent of the exit code of its task, or passes SIGTERM on to the task and exits with 1 at once.
"""
import getopt
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 3
PBSDSH = """#!/bin/bash
[ "$1" = -n ] && [ "$2" -lt "$(wc -l < "$PBS_NODEFILE")" ] && [ "$3" = -- ] || { echo "pbsdsh: $*" >&2; exit 2; }
shift 3
env -i PATH="$PATH" HOME="$HOME" PBS_JOBID="$PBS_JOBID" PBS_NODEFILE="$PBS_NODEFILE" PBS_TASKNUM=$$ "$@" &
TASK=$!
trap 'kill -TERM $TASK; exit 1' TERM
wait $TASK
exit 0
"""
QSUB = """#!/bin/bash
[ "$1" = -v ] || exit 2
mkdir "$QUEUE" && cat > "$QUEUE/script" && printf %s "$2" > "$QUEUE/names" && printf %s "$OUT" > "$QUEUE/OUT"
printf %s "$SEED" > "$QUEUE/SEED"; printf %s "$RESTARTS" > "$QUEUE/RESTARTS"
echo 8.server
"""


class Job:
    """A script that the simulated PBS has started. Its environment contains nothing of the test's environment but the
    paths of programs.
    """
    def __init__(self, scratch, script, number, variables=()):
        nodes = scratch / "nodes"
        nodes.write_text("localhost\n" * RANKS)
        spooled = scratch / f"{number}.server.SC"
        spooled.write_text(script)
        self.queue = scratch / f"queue-{number}"
        environment = {"PATH": f"{scratch / 'bin'}:{os.environ['PATH']}", "HOME": str(scratch), "PBS_JOBID": f"{number}.server",
                       "PBS_O_WORKDIR": str(scratch), "PBS_NODEFILE": str(nodes), "QUEUE": str(self.queue), **dict(variables)}
        self.said = scratch / f"job-{number}.txt"
        with open(self.said, "w", encoding="utf-8") as said:
            self.process = subprocess.Popen(["bash", spooled], env=environment, stdin=subprocess.DEVNULL, stdout=said,
                                            stderr=subprocess.STDOUT, start_new_session=True)

    def end(self, seconds=120):
        """Returns the exit code. No process of the script, such as the sleep of its alarm, may outlive it."""
        try:
            code = self.process.wait(seconds)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        until = time.monotonic() + 20
        while left := self.processes():
            assert time.monotonic() < until, f"left behind: {left}"
            time.sleep(0.1)
        return code

    def processes(self):
        """Returns the command lines of the processes in the script's session."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
                if int(fields[3]) == self.process.pid and fields[0] != "Z":
                    found.append((entry / "cmdline").read_text().replace("\0", " "))
            except OSError:  # the process has ended
                pass
        return found


def script_of(programs, scratch, *settings):
    file = scratch / "job.sh"
    subprocess.run([programs / "ringsidectl", "export", "--to", "pbs", "--set", f"parallel.world_size={RANKS}", *settings, "-o",
                    file], check=True, stdout=subprocess.DEVNULL)
    text = file.read_text()
    for line in text.splitlines():
        if line.startswith("#PBS"):
            left = getopt.getopt(shlex.split(line[4:]), "N:l:r:j:J:")[1]
            assert not left, f"qsub: directive error: {line}"
    return text


def steps(out):
    try:
        lines = (out / "metrics.jsonl").read_text().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return [line for line in map(json.loads, filter(lambda line: line.endswith("\n"), lines)) if line["kind"] == "step"]


def wait_for(what, job, seconds=120):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until and job.process.poll() is None, job.said.read_text()
        time.sleep(0.1)


def short_job(programs, scratch):
    reference = scratch / "reference"
    subprocess.run([programs / "ringsidectl", "run", "--quiet", "--out", reference, "--set", "training.epochs=2", "--set",
                    f"parallel.world_size={RANKS}"], check=True, stdout=subprocess.DEVNULL)
    job = Job(scratch, script_of(programs, scratch, "--set", "training.epochs=2"), 7)
    code, said = job.end(), job.said.read_text()
    out = scratch / "runs" / "digits-mlp-7"
    assert code == 0, said
    assert (out / "metrics.jsonl").read_bytes() == (reference / "metrics.jsonl").read_bytes(), "other losses"
    assert not list(scratch.glob(".ringside-*")), "the token was left"
    assert not job.queue.exists(), "a job that has finished was submitted again"


def limited_job(programs, scratch):
    """Checks that a job of an array saves near its time limit and submits itself again, and that the new job continues.
    """
    job = Job(scratch, script_of(programs, scratch, "--set", "training.epochs=1000000", "--seeds", "4"), "9[3]",
              {"PBS_ARRAY_INDEX": "3"})
    out = scratch / "runs" / "digits-mlp-9[3]"
    wait_for(lambda: len(steps(out)) > 50, job)
    job.process.send_signal(signal.SIGUSR1)  # the signal that the script's alarm sends two minutes before the limit
    code, said = job.end(), job.said.read_text()
    assert code == 20, (code, said)
    assert json.loads((out / "summary.json").read_text())["state"] == "stopped", said
    assert json.loads((out / "config.json").read_text())["training"]["seed"] == 3
    again = (job.queue / "script").read_text()
    assert (job.queue / "names").read_text() == "OUT,SEED,RESTARTS" and "\n#PBS -J" not in again and "\n#PBS -l select" in again
    before = len(steps(out))
    second = Job(scratch, again, 10, {name: (job.queue / name).read_text() for name in ("OUT", "SEED", "RESTARTS")})
    wait_for(lambda: len(steps(out)) > before + 20, second)
    second.process.send_signal(signal.SIGUSR1)
    assert second.end() == 20, second.said.read_text()
    assert "continuing from " in second.said.read_text()
    numbers = [line["step"] for line in steps(out)]
    assert numbers == list(range(1, len(numbers) + 1)), "steps are missing or double"


def failed_job(programs, scratch):
    """Checks that a killed rank ends the job with the code of the run, and that the job is submitted again
    parallel.max_restarts times.
    """
    endless = ["--set", "training.epochs=1000000", "--set", "training.checkpoint_every=1", "--set", "parallel.max_restarts=1"]
    variables = {}
    for number, restarts in ((21, 1), (22, None)):
        job = Job(scratch, script_of(programs, scratch, *endless), number, variables)
        out = scratch / "runs" / "digits-mlp-21"
        before = len(steps(out))
        wait_for(lambda: len(steps(out)) > before + 50, job)
        ranks = json.loads((out / "launch.json").read_text())["ranks"]
        os.kill(ranks[2]["process"], signal.SIGKILL)
        code, said = job.end(), job.said.read_text()
        assert code == 12, (code, said)
        assert job.queue.exists() == (restarts is not None), said
        if restarts is not None:
            assert (job.queue / "RESTARTS").read_text() == "1" and "failed (restart 1 of 1), submitting" in said, said
            variables = {name: (job.queue / name).read_text() for name in ("OUT", "RESTARTS")}


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "bin").mkdir()
        for name, text in (("pbsdsh", PBSDSH), ("qsub", QSUB)):
            (scratch / "bin" / name).write_text(text)
            (scratch / "bin" / name).chmod(0o755)
        short_job(programs, scratch)
        limited_job(programs, scratch)
        failed_job(programs, scratch)
        left = subprocess.run(["pgrep", "-f", folder], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        assert not [pid for pid in left if int(pid) != os.getpid()], f"left behind: {left}"


main()
