# SPDX-License-Identifier: Apache-2.0
"""Finds a python3 whose PyTorch is new enough: this one, or RINGSIDE_PEER_PYTHON, which ./test --peers sets."""
import functools
import os
import subprocess
import sys

HINT = "(./test --peers installs it)"


@functools.lru_cache(maxsize=None)
def torch_version(python):
    """Returns the version of PyTorch as numbers, (2, 15) for "2.15.0"; (0, 0) without PyTorch."""
    done = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return 0, 0
    return tuple(int(part) for part in done.stdout.split(".")[:2])


def python_with_torch(needed):
    """Returns the path of a python3 whose PyTorch has at least the version `needed`, such as (2, 6); None if there is
    none.
    """
    for python in (sys.executable, os.environ.get("RINGSIDE_PEER_PYTHON")):
        if python and torch_version(python) >= needed:
            return python
    return None
