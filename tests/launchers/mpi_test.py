# SPDX-License-Identifier: Apache-2.0
"""mpi_test.py BIN: starts ranks with every installed MPI launcher, on one host and on two hosts (network namespaces).

mpiexec.hydra and mpirun are found in PATH; RINGSIDE_MPI_LAUNCHERS lists others, such as
/opt/openmpi5/bin/mpirun:/opt/intel/bin/mpiexec.hydra. On one host the losses must equal those of ringsidectl run.
Skipped (77) if no launcher is installed.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from switched_hosts import SwitchedHosts, why_not

RANKS = 4
SHORT = ["--set", "training.epochs=2"]
# Open MPI refuses root without these.
AS_ROOT = {name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
                                  "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM")}


class Launcher:
    def __init__(self, path):
        self.path = path
        self.version = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      check=False, env=self.environment()).stdout
        self.is_open_mpi = "Open MPI" in self.version or "OpenRTE" in self.version or "PRRTE" in self.version

    def environment(self):
        return {**os.environ, **AS_ROOT, "I_MPI_ROOT": str(pathlib.Path(self.path).resolve().parents[1])}

    def here(self):
        return [self.path, "--oversubscribe"] if self.is_open_mpi else [self.path]

    def across(self, agent, hosts):
        """Returns the command line for two ranks on each of two hosts, with a replacement for ssh."""
        if self.is_open_mpi:
            new = "Open MPI) 5" in self.version or "PRRTE" in self.version
            how = ["--prtemca", "plm_ssh_agent"] if new else ["--mca", "plm_rsh_agent"]
            return [self.path, *how, agent, "--host", ",".join(f"{host}:2" for host in hosts)]
        return [self.path, "-launcher", "ssh", "-launcher-exec", agent, "-hosts", ",".join(hosts), "-ppn", "2", "-iface",
                "wire"]  # node0 cannot be resolved


def installed():
    paths = [shutil.which("mpiexec.hydra"), shutil.which("mpirun.openmpi")]
    paths += os.environ.get("RINGSIDE_MPI_LAUNCHERS", "").split(":")
    return [Launcher(path) for path in paths if path]


def finished(run, said, launchers):
    assert (run / "summary.json").exists(), said
    assert json.loads((run / "summary.json").read_text())["state"] == "finished", said
    launch = json.loads((run / "launch.json").read_text())
    assert launch["launcher"] in launchers and len(launch["ranks"]) == RANKS, launch
    return launch


def train(line, environment, seconds=100):
    done = subprocess.run(line, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=seconds, check=False)
    assert done.returncode == 0, (line, done.returncode, done.stdout[-3000:])
    return done.stdout


def on_one_host(launcher, worker, scratch, reference, options=()):
    run = scratch / "here"
    line = [*launcher.here(), *options, "-np", str(RANKS), worker, "--out", run, *SHORT]
    finished(run, train(line, launcher.environment()), ("PMI", "Open MPI"))
    assert (run / "metrics.jsonl").read_bytes() == reference, "other losses"
    shutil.rmtree(run)


def by_pmix_alone(launcher, worker, scratch, reference):
    """Runs ranks without the variables of Open MPI, as prun and other PMIx launchers start them."""
    hide = 'unset $(env | grep -o "^OMPI_[A-Za-z_0-9]*"); exec "$@"'
    run = scratch / "pmix"
    line = [*launcher.here(), "-np", str(RANKS), "sh", "-c", hide, "sh", worker, "--out", run, *SHORT]
    finished(run, train(line, launcher.environment()), ("PMIx",))
    assert (run / "metrics.jsonl").read_bytes() == reference, "other losses"
    shutil.rmtree(run)


def on_two_hosts(launcher, worker, scratch, hosts, order, options=()):
    """Rank 0 is on the first host of `order`; the launcher itself runs on host 0."""
    run = scratch / "across"
    names = [hosts.address(seat) for seat in order]
    line = [*hosts.inside(0), *launcher.across(scratch / "agent", names), "-np", str(RANKS), worker, "--out", run, *SHORT,
            *options]
    launch = finished(run, train(line, launcher.environment()), ("PMI", "Open MPI"))
    placed, expected = [rank["host"] for rank in launch["ranks"]], [f"node{seat}" for seat in order for _ in range(2)]
    if launcher.is_open_mpi:  # Open MPI may start with the host on which it runs
        placed, expected = sorted(placed), sorted(expected)
    assert placed == expected, launch
    shutil.rmtree(run)


def saves_at_sigterm(launcher, worker, scratch):
    """mpirun kills the ranks as soon as the first one has exited: the summary must name the saved weights before."""
    run = scratch / "terminated"
    line = [*launcher.here(), "-np", "2", worker, "--out", run, "--set", "training.epochs=100000", "--set",
            "training.checkpoint_seconds=0", "--set", "pitfalls.slow_rank=1", "--set", "pitfalls.slow_ms=1000"]
    with subprocess.Popen(line, env=launcher.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as job:
        wait_for_steps(run, job)
        job.terminate()
        said = job.communicate(timeout=60)[0]
    summary = json.loads((run / "summary.json").read_text())
    saved = [path.parent.name for path in run.glob("checkpoints/*/manifest.json")]
    assert summary["state"] == "stopped" and len(saved) == 1, (summary["verdict"], saved, said)
    assert f"step-{summary['steps']:08}" == saved[0] and "no checkpoint" not in summary["verdict"], (summary, saved)
    shutil.rmtree(run)


def a_killed_rank_leaves_a_summary(launcher, worker, scratch, backend):
    """mpirun kills the other ranks, and rank 0 with them, within milliseconds after a rank has died."""
    run = scratch / "killed"
    line = [*launcher.here(), "-np", "4", worker, "--out", run, "--set", "training.epochs=100000", "--set",
            f"parallel.backend={backend}"]
    with subprocess.Popen(line, env=launcher.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as job:
        wait_for_steps(run, job)
        ranks = [json.loads(text) for text in (run / "telemetry.jsonl").read_text().splitlines() if '"pid"' in text]
        os.kill(next(rank["pid"] for rank in ranks if rank.get("rank") == 2), signal.SIGKILL)
        output = job.communicate(timeout=60)[0]
    assert (run / "summary.json").exists(), (backend, output)
    summary = json.loads((run / "summary.json").read_text())
    assert summary["state"] == "failed" and "rank 2" in summary["verdict"], summary["verdict"]
    shutil.rmtree(run)


def wait_for_steps(run, job):
    telemetry, until = run / "telemetry.jsonl", time.monotonic() + 60
    while not (telemetry.exists() and '"kind":"steps"' in telemetry.read_text()):
        assert time.monotonic() < until and job.poll() is None, job.stdout.read()
        time.sleep(0.1)


def stops_at_an_interrupt(launcher, programs, scratch):
    """An interrupt of the exported script saves the weights, although mpirun alone kills its ranks then."""
    run, script = scratch / "stopped", scratch / "job.sh"
    environment = launcher.environment()
    subprocess.run([programs / "ringsidectl", "export", "--to", "mpirun", "-o", script, "--set", "training.epochs=100000",
                    "--set", "parallel.world_size=2", "--set", "pitfalls.slow_rank=1", "--set", "pitfalls.slow_ms=300"],
                   check=True, stdout=subprocess.DEVNULL)
    environment.update(OUT=str(run), MPIRUN_OPTIONS="--oversubscribe",
                       PATH=f"{pathlib.Path(launcher.path).parent}:{environment['PATH']}")
    with subprocess.Popen(["bash", script], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as job:
        wait_for_steps(run, job)
        job.send_signal(signal.SIGINT)
        said = job.communicate(timeout=60)[0]
    assert job.returncode == 20, (job.returncode, said)
    summary = json.loads((run / "summary.json").read_text())
    saved = [path.parent.name for path in run.glob("checkpoints/*/manifest.json")]
    assert summary["state"] == "stopped" and f"step-{summary['steps']:08}" in saved, (summary["verdict"], saved)
    shutil.rmtree(run)


def main():
    launchers = installed()
    if not launchers:
        print("skipped: neither mpiexec.hydra (mpich) nor mpirun (openmpi-bin) is installed")
        return 77
    programs = pathlib.Path(sys.argv[1]).resolve()
    worker = programs / "ringside-worker"
    why = why_not()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        subprocess.run([programs / "ringsidectl", "run", "--quiet", "--out", scratch / "reference", *SHORT, "--set",
                        f"parallel.world_size={RANKS}"], check=True, stdout=subprocess.DEVNULL)
        reference = (scratch / "reference" / "metrics.jsonl").read_bytes()
        for launcher in launchers:
            on_one_host(launcher, worker, scratch, reference)
            if not launcher.is_open_mpi and "-pmi-port" in subprocess.run([launcher.path, "--help"], stdout=subprocess.PIPE,
                                                                          stderr=subprocess.STDOUT, text=True, check=False,
                                                                          env=launcher.environment()).stdout:
                on_one_host(launcher, worker, scratch, reference, ["-pmi-port"])
            if launcher.is_open_mpi:
                by_pmix_alone(launcher, worker, scratch, reference)
                saves_at_sigterm(launcher, worker, scratch)
                for backend in ("mpi", "auto"):
                    if backend == "auto" or launcher.path == shutil.which("mpirun.openmpi"):
                        a_killed_rank_leaves_a_summary(launcher, worker, scratch, backend)
                stops_at_an_interrupt(launcher, programs, scratch)
            if not why:
                with SwitchedHosts(2) as hosts:
                    hosts.write_agent(scratch / "agent")
                    for order in ((0, 1), (1, 0)):
                        on_two_hosts(launcher, worker, scratch, hosts, order)
                        if launcher.path == shutil.which("mpirun.openmpi"):  # the MPI that Ringside was built with
                            on_two_hosts(launcher, worker, scratch, hosts, order, ["--set", "parallel.backend=mpi"])
            print("ok:", launcher.path, "on one host", f"only: {why}" if why else "and on two")
    return 0


sys.exit(main())
