# SPDX-License-Identifier: Apache-2.0
"""Instrumentation of the trial scripts that is independent of the watch: records what a rank really did, as one JSON
file.

The files go to the folder TRUTH, and only if that variable is set. The hash of the weights is printed in any case, so
that runs with and without the watch can be compared.
"""
import atexit
import hashlib
import json
import os
import sys


def end_process():
    """Ends the process as sys.exit() does, but without the end of the interpreter.

    Gloo's threads can outlive destroy_process_group(), because a reference cycle of DistributedDataParallel or a cache of
    DTensor still refers to the group. If such a thread then frees a tensor while the interpreter ends, the process aborts
    (PyTorch issue 190489).
    """
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


class Truth:
    def __init__(self, rank=None):
        self.rank = int(os.environ.get("RANK", "0")) if rank is None else rank
        self.steps = []  # (samples, loss, learning rate)
        self.reads = []  # indices that reached the data set in this process
        self.more = {}

    def read(self, index):
        self.reads.append(int(index))

    def trained(self, batch, loss, rate=None):
        self.steps.append([len(batch), float(loss.detach()), rate])

    def done(self, *models):
        sha = hashlib.sha256()
        for model in models:
            for name, value in sorted(model.state_dict().items()):
                value = value.full_tensor() if hasattr(value, "full_tensor") else value
                sha.update(name.encode() + value.detach().float().numpy().tobytes())
        sys.stdout.write("rank %d weights %s\n" % (self.rank, sha.hexdigest()[:24]))
        sys.stdout.flush()
        folder = os.environ.get("TRUTH")
        if folder:
            with open(os.path.join(folder, "rank-%d.json" % self.rank), "w") as file:
                json.dump({"steps": self.steps, "reads": self.reads, "weights": sha.hexdigest(), **self.more}, file)
