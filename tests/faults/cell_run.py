# SPDX-License-Identifier: Apache-2.0
"""Runs one cell of the matrix of faults and judges the files and processes that it leaves."""
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

from cells import FINISHED, TIMEOUT, WORLD, settings

PATIENCE = 150.0    # timeout in seconds; the slowest cell is an endless loop while saving
FREEZE = TIMEOUT + 2.0


@dataclass
class Result:
    state: str       # green | red | skipped
    seconds: float = 0.0
    why: str = ""


class Red(Exception):
    """Raised with the reason why a cell has failed."""


class Skip(Exception):
    """Raised with the reason why a cell cannot be tested on this machine."""


def check(holds, why):
    if not holds:
        raise Red(why)


def json_lines(path):
    if not path.exists():
        return []
    whole = path.read_bytes().rpartition(b"\n")[0]
    return [json.loads(line) for line in whole.split(b"\n") if line]


def checkpoints(run):
    return sorted(manifest.parent for manifest in (run / "checkpoints").glob("step-*/manifest.json"))


def places(run):
    """Returns the directories in which a run may have saved its weights: its own, one next to it, one below the state
    directory.
    """
    state = run.parent.parent if run.parent.name == "disk" else run.parent
    return [run, *sorted(run.parent.glob(run.name + "-saved*")), *sorted(state.glob("state/ringside/saved/*"))]


def newest_place(run):
    """Returns the directory with the checkpoint of the highest step."""
    return max(places(run), key=lambda place: [found.name for found in checkpoints(place)][-1:])


def weights(run):
    last = checkpoints(run)
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in last[-1].glob("*.safetensors")} if last else {}


def is_gone(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(") ")[2][0] in "ZX"


def until(holds, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return holds()


class SmallDisk:
    """A small separate file system, which is quickly full."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", path], capture_output=True, check=False)
        if made.returncode != 0:
            raise Skip("mounting a small file system needs root")

    def close(self):
        subprocess.run(["umount", "-l", self.path], capture_output=True, check=False)


class CellRunner:
    def __init__(self, programs, scratch):
        self.program = programs / "ringsidectl"
        self.scratch = scratch
        self.references = {}

    def command(self, *words, env=None, timeout=PATIENCE):
        return subprocess.run([self.program, *words], env={**os.environ, **(env or {})}, capture_output=True, text=True,
                              timeout=timeout, check=False, errors="replace")

    def make_references(self, layouts):
        for transport, strategy in layouts:
            out = self.scratch / f"reference-{transport}-{strategy}"
            done = self.command("run", "--out", out, "--quiet", *self.sets(settings(transport, strategy)))
            if done.returncode != 0:
                raise SystemExit(f"the undisturbed run of {strategy} over {transport} fails: {done.stderr}")
            self.references[transport, strategy] = weights(out)

    @staticmethod
    def sets(assignments):
        return [word for one in assignments for word in ("--set", one)]

    def run(self, cell):
        folder = self.scratch / cell.name.replace(" ", "-").replace(":", "_")
        folder.mkdir()
        started = time.monotonic()
        disk = None
        try:
            if cell.fault.needs == "small disk":
                disk = SmallDisk(folder / "disk")
            self.judge(cell, folder, disk.path if disk else folder)
            return Result("green", time.monotonic() - started)
        except Skip as reason:
            return Result("skipped", time.monotonic() - started, str(reason))
        except (Red, subprocess.TimeoutExpired, OSError, ValueError, KeyError) as reason:
            return Result("red", time.monotonic() - started, f"{type(reason).__name__}: {reason}")
        finally:
            if disk:
                disk.close()
            for directory in (folder, *folder.glob("**/")):
                directory.chmod(0o755)
            shutil.rmtree(folder, ignore_errors=True)

    def judge(self, cell, folder, place):
        run = place / "run"
        code, error, workers = self.start(cell, folder, run)
        check(until(lambda: all(is_gone(pid) for pid in workers), 5), "a worker is left behind")
        codes = cell.fault.codes_for(cell.place)
        summaries = [place / "summary.json" for place in places(run) if (place / "summary.json").exists()]
        verdict = json.loads(summaries[0].read_text()) if summaries else {}
        what = f"{code}, \"{verdict.get('verdict', error.strip()[-200:])}\""
        check(code in codes, f"ended with {what}; {codes} would be right")
        if cell.fault.deed != f"supervisor={int(signal.SIGKILL)}" and run.exists():
            self.check_summary(cell, run, code, verdict, what)
        if place != folder:
            (place / "filler").unlink(missing_ok=True)  # frees space for the programs that inspect the result
        if run.exists():
            self.check_readable(run, code)
        self.check_resumes(cell, folder, run, code, what)

    def start(self, cell, folder, run):
        mark = folder / "mark"
        variables = {**os.environ, **cell.variables(), "RINGSIDE_FAULT_MARK": str(mark),
                     "XDG_STATE_HOME": str(folder / "state")}
        (folder / "state").mkdir()
        with open(folder / "output", "w+", encoding="utf-8") as output:
            process = subprocess.Popen([self.program, "run", "--out", run, "--quiet", *self.sets(cell.settings())],
                                       env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            try:
                workers = self.workers_of(process, {"hsdp": 4, "data_parallel": 1}.get(cell.strategy, WORLD))
                if cell.fault.deed == "mark":
                    self.freeze(process, mark, workers)
                code = process.wait(PATIENCE)
            finally:
                process.kill()
                process.wait()
            output.seek(0)
            return code, output.read(), workers

    @staticmethod
    def workers_of(process, workers):
        """Returns the process ids of the workers. Reads them from the supervisor's children, because the run directory
        may be deleted.
        """
        found = set()
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def all_started():
            try:
                found.update(int(pid) for pid in children.read_text().split())
            except OSError:
                return True
            return len(found) >= workers or process.poll() is not None

        until(all_started, 10)
        return found

    @staticmethod
    def freeze(process, mark, workers):
        check(until(mark.exists, 30), "the place was never reached")
        everyone = [process.pid, *workers]
        for number, pids in ((signal.SIGSTOP, everyone), (signal.SIGCONT, everyone[::-1])):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):  # the other rank may have ended already
                    os.kill(pid, number)
            if number == signal.SIGSTOP:
                time.sleep(FREEZE)

    @staticmethod
    def check_summary(cell, run, code, verdict, what):
        check(verdict, f"there is no summary after {code}")
        check(verdict["exit_code"] == code, f"the summary contains {verdict['exit_code']}, but the process exited with {code}")
        states = {FINISHED: "finished", 20: "stopped"}
        check(verdict["state"] == states.get(code, "failed"), f"state {verdict['state']} with {what}")
        if code not in (FINISHED, 20):
            if cell.fault.names_rank:
                check(verdict["first_failed_rank"] == cell.rank, f"names rank {verdict['first_failed_rank']}: {what}")
            check(cell.fault.said in verdict["verdict"], f"does not contain \"{cell.fault.said}\": {what}")
        lines = json_lines(run / "telemetry.jsonl")
        if cell.fault.name not in ("file-size limit", "disk full"):
            check(lines and lines[-1]["kind"] == "end", "telemetry.jsonl does not end with the end")

    def check_readable(self, run, code):
        for words in (("show", run), ("attach", run, "--lines")):
            looked = self.command(*words, timeout=20)
            check(looked.returncode in (0, 2), f"{words[0]} ends with {looked.returncode}: {looked.stderr[-200:]}")
        json_lines(run / "metrics.jsonl")
        if code < 0:
            attached = self.command("attach", run, timeout=20)
            check(attached.returncode == 12, f"attach ends with {attached.returncode} after the supervisor was killed")

    def check_resumes(self, cell, folder, run, code, what):
        reference = self.references[cell.transport, cell.strategy]
        own, run = run, newest_place(run)
        check(run == own or str(run) in what, f"does not report that the weights are in {run}: {what}")
        if code == FINISHED:
            check(weights(run) == reference, "finished with other bytes")
            return
        there = checkpoints(run)
        if not there:
            lost = cell.fault.name == "directory gone" and cell.place.name == "the end"
            unsaved = cell.fault.name in ("file-size limit", "disk full")
            check(not cell.place.saved or lost or unsaved, f"no checkpoint is left: {what}")
            return
        if weights(run) == reference and json.loads((there[-1] / "manifest.json").read_text())["epochs_done"] >= 3:
            return  # all steps are trained, so there is nothing to resume
        more = folder / "more"
        resumed = self.command("run", "--resume", run, "--out", more, "--quiet")
        check(resumed.returncode == 0, f"cannot be resumed: {resumed.returncode} {resumed.stderr[-300:]}")
        check(weights(more) == reference, "resumed to other bytes")
