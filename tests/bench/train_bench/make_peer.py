#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make_peer.py [FOLDER] [VERSION]: makes a virtual environment with PyTorch 2.x once, and prints the path of its python.

./test --peers and tests/bench/run compare with this PyTorch. FOLDER is ~/.cache/ringside/pytorch-VERSION (XDG_CACHE_HOME is respected),
so that all clones share it. pip decides where the packages come from. PyTorch's libraries for GPUs (4 GB on x86) are installed only
if PyTorch cannot be imported without them. RINGSIDE_BENCH_PYTHON=PATH names a python3 with a PyTorch of your own instead.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import venv

VERSION = "2.15.0"
PURE_PYTHON = ["filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "setuptools", "numpy", "pillow"]
MINUTES = 15  # limit of each pip command


def default_folder(version=VERSION):
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "ringside" / f"pytorch-{version}"


def can_import(python):
    check = "import numpy, torch; torch.ones(2).sum(); import torch.distributed"
    return python.exists() and subprocess.run([python, "-c", check], capture_output=True, check=False).returncode == 0


def pip_install(python, *packages):
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60 * MINUTES, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"pip install {' '.join(packages)} failed:\n{done.stdout[-2000:]}")


def make(folder, version):
    """Returns the python of the environment. Makes the environment again if that python cannot import PyTorch."""
    python = folder / "bin/python"
    if can_import(python):
        return python
    print(f"Making {folder} with PyTorch {version} (once; several minutes)", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    pip_install(python, "--no-deps", f"torch=={version}")
    pip_install(python, *PURE_PYTHON)
    if not can_import(python):
        pip_install(python, f"torch=={version}")
    if not can_import(python):
        raise RuntimeError(f"PyTorch {version} was installed in {folder}, but cannot be imported")
    return python


def main():
    version = sys.argv[2] if len(sys.argv) > 2 else VERSION
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default_folder(version)
    named = os.environ.get("RINGSIDE_BENCH_PYTHON")
    try:
        print(named or make(folder, version))
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        sys.exit(f"make_peer.py: PyTorch {version} cannot be had: {error}")


if __name__ == "__main__":
    main()
