# SPDX-License-Identifier: Apache-2.0
"""Runs scripts with and without the watch, and compares what they print and what is recorded."""
import os
import re
import subprocess
import sys
import tempfile

import receiver

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PYTHON_FOLDER = os.path.join(ROOT, "python")
INJECT = os.path.join(PYTHON_FOLDER, "ringside_watch", "inject")
SCRIPTS = os.path.join(HERE, "scripts")
LAST_LINES = 60  # torchrun's report on a failed rank comes after the rank's own lines


def mixed(data):
    """Returns what is comparable in a pipe that several ranks write to: the hashes of weights, and all bytes but newlines,
    sorted. An unbuffered print() writes a line and its end separately, so lines of two ranks can end up joined."""
    return sorted(re.findall(rb"weights [0-9a-f]{16}", data)), sorted(data.replace(b"\n", b""))


def environment(extra=None):
    """Returns an environment with one thread per rank and without variables of another watch."""
    base = {key: value for key, value in os.environ.items() if not key.startswith("RINGSIDE_")}
    base.update({"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "TOKENIZERS_PARALLELISM": "false",
                 "CUDA_VISIBLE_DEVICES": ""})
    base.update(extra or {})
    return base


def with_watch(receiver_of_run, extra=None):
    values = dict(receiver_of_run.environment())
    values["PYTHONPATH"] = INJECT + (os.pathsep + os.environ["PYTHONPATH"] if os.environ.get("PYTHONPATH") else "")
    values.update(extra or {})
    return environment(values)


def command(script, arguments=(), ranks=0, python=sys.executable):
    """Returns the command of a script in the folder scripts, or of a text ("-c"); ranks > 0: under torchrun."""
    path = script if os.path.isabs(script) or script == "-c" else os.path.join(SCRIPTS, script)
    if ranks:
        return [python, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(ranks), path,
                *arguments]
    return [python, path, *arguments]


class Result:
    def __init__(self, done, recorded=None):
        self.code, self.out, self.error = done.returncode, done.stdout, done.stderr
        self.recorded = recorded

    def end(self):
        """Returns the exit code and the last lines on standard error, for the message of a failed test."""
        last = self.error.decode(errors="replace").splitlines()[-LAST_LINES:]
        return "\n".join(["exit code %d, standard error ends with:" % self.code, *last])


def run_alone(words, extra=None, seconds=240):
    return Result(subprocess.run(words, env=environment(extra), stdin=subprocess.DEVNULL, capture_output=True,
                                 timeout=seconds, cwd=SCRIPTS))


def run_watched(words, extra=None, seconds=240, **options):
    """Runs a command under a receiver of its own and returns its result with what was recorded."""
    with tempfile.TemporaryDirectory(prefix="ringside-watch-") as folder:
        one = receiver.Receiver(folder, **options)
        done = subprocess.run(words, env=with_watch(one, extra), stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=seconds, cwd=SCRIPTS)
        return Result(done, one.close())
