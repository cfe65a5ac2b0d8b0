# SPDX-License-Identifier: Apache-2.0
"""slurm_test.py BIN: checks that ranks on a real Slurm of three nodes train like those of ringsidectl run."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from slurm_on_one_machine import Slurm, why_not

SHORT = ["--set", "training.epochs=2", "--set", "parallel.world_size=3"]


def ranks_of_srun(slurm, programs, scratch):
    """Runs one rank per node, found by Slurm's variables. The losses must equal those of a supervised run."""
    reference = scratch / "reference"
    subprocess.run([programs / "ringsidectl", "run", "--quiet", "--out", reference, *SHORT], check=True,
                   stdout=subprocess.DEVNULL)
    out = scratch / "srun"
    said = slurm.call("srun", "-N3", "--ntasks-per-node=1", str(programs / "ringside-worker"), "--out", str(out), *SHORT)
    assert (out / "summary.json").exists(), said
    assert json.loads((out / "launch.json").read_text())["launcher"] == "Slurm", said
    assert (out / "metrics.jsonl").read_bytes() == (reference / "metrics.jsonl").read_bytes(), "other losses"


def leftover_rank(slurm, programs, scratch):
    """Checks that a variable RANK that is left in the shell ends all ranks immediately, including rank 0, which it
    happens to name.
    """
    since = time.monotonic()
    said = slurm.call("srun", "-N3", "--ntasks-per-node=1", "env", "RANK=0", str(programs / "ringside-worker"), "--out",
                      str(scratch / "leftover"), *SHORT)
    assert "RANK is 0, but Slurm reports 2" in said and "cannot start: RANK is 0" in said, said
    assert time.monotonic() - since < 60 and not (scratch / "leftover").exists(), said


def batch_script_without_srun(slurm, programs, scratch):
    """Checks that a batch script without srun is refused: it would train alone on the first node."""
    script = scratch / "alone.sh"
    script.write_text(f"#!/bin/sh\n{programs / 'ringside-worker'} --out {scratch / 'alone'} --set training.epochs=1\necho code $?\n")
    slurm.call("sbatch", "-W", "-N3", "-o", str(scratch / "alone.txt"), str(script))
    said = (scratch / "alone.txt").read_text()
    assert "srun did not start this process" in said and "code 2" in said, said


def single_rank_with_all_cpus(slurm, programs, scratch):
    """Checks a single rank with all CPUs: sbatch --exclusive sets SLURM_TASKS_PER_NODE to the number of CPUs, but the
    script is a single process.
    """
    out, script = scratch / "exclusive", scratch / "exclusive.sh"
    script.write_text(f"#!/bin/sh\n{programs / 'ringside-worker'} --out {out} --set training.epochs=1\necho code $?\n")
    slurm.call("sbatch", "-W", "--exclusive", "-N1", "-o", str(scratch / "exclusive.txt"), str(script))
    assert "code 0" in (scratch / "exclusive.txt").read_text(), (scratch / "exclusive.txt").read_text()
    assert json.loads((out / "launch.json").read_text())["launcher"] == "alone"


def mpiexec_over_srun(slurm, programs, scratch):
    """Checks mpiexec over srun. Hydra starts its daemons with srun, so ranks inherit the variables of the daemons'
    step, which has one task per node.
    """
    if shutil.which("mpiexec.hydra") is None:
        print("not checked: mpiexec.hydra is not installed (mpich)")
        return
    for options in ("", "-pmi-port "):
        out, script = scratch / f"hydra{options.strip()}", scratch / "hydra.sh"
        script.write_text(f"#!/bin/sh\nmpiexec.hydra {options}-np 4 {programs / 'ringside-worker'} --out {out} --wait 30 "
                          "--set training.epochs=1\necho code $?\n")
        slurm.call("sbatch", "-W", "-N2", "--ntasks-per-node=2", "-o", str(scratch / "hydra.txt"), str(script))
        said = (scratch / "hydra.txt").read_text()
        assert "code 0" in said, said
        launch = json.loads((out / "launch.json").read_text())
        assert launch["launcher"] == "PMI" and len(launch["ranks"]) == 4, said


def metrics_of(out):
    try:
        return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines(keepends=True) if line.endswith("\n")]
    except FileNotFoundError:
        return []


def submit(slurm, programs, scratch, name, assignments):
    """Submits the unchanged exported script. Returns the job and the run directory that it will write."""
    folder = scratch / name
    folder.mkdir()
    subprocess.run([programs / "ringsidectl", "export", "--to", "slurm", "--nodes", "3", *assignments, "-o", folder / "job.sh"],
                   check=True, stdout=subprocess.DEVNULL)
    said = slurm.call("sbatch", "job.sh", cwd=folder)
    job = said.split()[-1]
    assert job.isdigit(), said
    return job, folder / "runs" / f"digits-mlp-{job}"


def exported_script(slurm, programs, scratch):
    """Checks that the script of `export --to slurm` runs unchanged and gives the losses of ringsidectl run."""
    job, out = submit(slurm, programs, scratch, "exported", SHORT)
    slurm.wait_for(lambda: not slurm.call("squeue", "-h", "-j", job, "-o", "%T").strip().isupper() or
                   (out / "summary.json").exists(), "the job", 60)
    slurm.wait_for(lambda: (out / "summary.json").exists(), "the run", 60)
    output = (out.parent.parent / f"digits-mlp-{job}.out").read_text()
    assert json.loads((out / "summary.json").read_text())["state"] == "finished", output
    assert (out / "metrics.jsonl").read_bytes() == (scratch / "reference" / "metrics.jsonl").read_bytes(), "other losses"


def requeued_script(slurm, programs, scratch):
    """Checks that a job that is warned of its time limit saves, requests to be started again, and continues in the same
    directory.
    """
    endless = ["--set", "training.epochs=1000000", "--set", "parallel.world_size=3"]
    job, out = submit(slurm, programs, scratch, "requeued", endless)
    slurm.wait_for(lambda: len(metrics_of(out)) > 100, "training", 60)
    slurm.call("scancel", "--batch", "--signal=USR1", job)  # the signal that --signal=B:USR1@120 sends
    slurm.wait_for(lambda: (out / "summary.json").exists(), "the weights to be saved", 60)
    saved = json.loads((out / "summary.json").read_text())
    assert saved["state"] == "stopped", saved
    slurm.wait_for(lambda: slurm.call("squeue", "-h", "-j", job, "-o", "%T").strip() == "PENDING", "being queued again", 60)
    # Slurm would wait two minutes before it starts the job again; within about a second, it would take the revoked old
    # credential for the new one.
    slurm.call("scontrol", "update", f"jobid={job}", "StartTime=now+5seconds")
    slurm.wait_for(lambda: metrics_of(out)[-1].get("step", 0) > saved["steps"] + 100, "going on", 120)
    slurm.call("scancel", job)
    steps = [line["step"] for line in metrics_of(out) if line["kind"] == "step"]
    assert steps == list(range(1, len(steps) + 1)), "steps are missing or double"
    output = (out.parent.parent / f"digits-mlp-{job}.out").read_text()
    assert "requesting a restart from Slurm" in output, output


def main():
    reason = why_not()
    if reason:
        print("skipped:", reason)
        return 77
    programs = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch, Slurm(3) as slurm:
        for test in (ranks_of_srun, leftover_rank, batch_script_without_srun, single_rank_with_all_cpus, mpiexec_over_srun,
                     exported_script, requeued_script):
            test(slurm, programs, pathlib.Path(scratch))
            print("ok:", test.__name__)
    return 0


sys.exit(main())
