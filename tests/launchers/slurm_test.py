# SPDX-License-Identifier: Apache-2.0
"""slurm_test.py BIN: ranks on a real Slurm of three nodes train as those of ringsidectl run."""
import json
import pathlib
import subprocess
import sys
import tempfile

from slurm_on_one_machine import Slurm, why_not

SHORT = ["--set", "training.epochs=2", "--set", "parallel.world_size=3"]


def ranks_of_srun(slurm, programs, scratch):
    """One rank a node: found by Slurm's variables, equal to a supervised run."""
    reference = scratch / "reference"
    subprocess.run([programs / "ringsidectl", "run", "--quiet", "--out", reference, *SHORT], check=True,
                   stdout=subprocess.DEVNULL)
    out = scratch / "srun"
    said = slurm.call("srun", "-N3", "--ntasks-per-node=1", str(programs / "ringside-worker"), "--out", str(out), *SHORT)
    assert (out / "summary.json").exists(), said
    assert json.loads((out / "launch.json").read_text())["launcher"] == "Slurm", said
    assert (out / "metrics.jsonl").read_bytes() == (reference / "metrics.jsonl").read_bytes(), "other losses"


def main():
    reason = why_not()
    if reason:
        print("skipped:", reason)
        return 77
    programs = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch, Slurm(3) as slurm:
        for test in (ranks_of_srun,):
            test(slurm, programs, pathlib.Path(scratch))
            print("ok:", test.__name__)
    return 0


sys.exit(main())
