# SPDX-License-Identifier: Apache-2.0
"""A real Slurm of several nodes on this machine, as root and with Debian's packages: for the time of a `with`.

Each fake node has a name, a loopback address and a port of its own, which slurmd -N allows in the stock build.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

CONFIGURATION = """ClusterName=t
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817
SlurmdPort=16818
SlurmctldPidFile={dir}/ctld.pid
SlurmdPidFile={dir}/d.%n.pid
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool.%n
SlurmctldLogFile={dir}/ctld.log
SlurmdLogFile={dir}/d.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1
ReturnToService=2
SlurmdParameters=config_overrides
InactiveLimit=0
KillWait=5
MinJobAge=30
{nodes}
PartitionName=p Nodes=n[1-{count}] Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """Returns why Slurm cannot be started here, or None."""
    if os.geteuid() != 0:
        return "not root"
    for program in ("munged", "slurmctld", "slurmd", "srun"):
        if shutil.which(program) is None:
            return f"{program} is not installed (slurm-wlm, munge)"
    return None


def adopt_orphans():
    """Makes this process the parent of processes whose own parent ends, so that none of them is left behind."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def orphans():
    return [int(pid) for pid in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


class Slurm:
    def __init__(self, nodes=3, cpus=4):
        self.count = nodes
        self.cpus = cpus
        self.started = []

    def __enter__(self):
        adopt_orphans()
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))
        self.dir.chmod(0o755)
        key = self.dir / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        nodes = "\n".join(f"NodeName=n{i} NodeHostname=n{i} NodeAddr=127.0.0.{i} Port={17000 + i} CPUs={self.cpus} State=UNKNOWN"
                          for i in range(1, self.count + 1))
        (self.dir / "slurm.conf").write_text(
            CONFIGURATION.format(dir=self.dir, host=socket.gethostname(), nodes=nodes, count=self.count))
        self.environment = dict(os.environ, SLURM_CONF=str(self.dir / "slurm.conf"))
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        self.run("munged", "--force", "--foreground", "--key-file", f"{self.dir}/munge.key", "--socket",
                 f"{self.dir}/munge.socket", "--pid-file", f"{self.dir}/munge.pid", "--log-file",
                 f"{self.dir}/munge.log", "--seed-file", f"{self.dir}/munge.seed")
        self.wait_for(lambda: (self.dir / "munge.socket").exists(), "munged")
        self.run("slurmctld", "-D")
        for i in range(1, self.count + 1):
            self.run("slurmd", "-D", "-N", f"n{i}")
        self.wait_for(lambda: self.call("sinfo", "-h", "-o", "%T %D").strip() == f"idle {self.count}", "all nodes")

    def end_jobs(self):
        """Ends the processes that manage the steps of a job, because they do not end with slurmd."""
        jobs = self.call("squeue", "-h", "-o", "%A").split()
        if not jobs:
            return
        self.call("scancel", "--full", *jobs)
        until = time.monotonic() + 15
        while time.monotonic() < until and self.call("squeue", "-h").strip():
            time.sleep(0.2)

    def __exit__(self, *_):
        if len(self.started) > 1:  # slurmctld has been started
            self.end_jobs()
        for process in reversed(self.started):
            process.send_signal(signal.SIGTERM)
        for process in self.started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for pid in orphans():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        shutil.rmtree(self.dir, ignore_errors=True)

    def run(self, *command):
        output = open(self.dir / f"{command[0]}.out", "a")
        self.started.append(subprocess.Popen(command, env=self.environment, stdout=output, stderr=output))

    def call(self, *command, timeout=120, **more):
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout, **more).stdout

    @staticmethod
    def wait_for(holds, what, seconds=30):
        until = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > until:
                raise RuntimeError(f"{what}: not ready within {seconds} s")
            time.sleep(0.1)
