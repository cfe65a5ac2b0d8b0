# SPDX-License-Identifier: Apache-2.0
"""Finds the Python with PyTorch 2 that the tests of the watch run scripts with.

RINGSIDE_WATCH_PYTHON names it. Otherwise it is that of a virtual environment in the user's cache, which
`python3 torch_python.py --make` and `./test --peers` fill once. It shares PyTorch with the environment of
tests/bench/train_bench/make_peer.py (several GB, if it is not there yet) and adds the trainers.
"""
import glob
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

VERSION = "2.15.0"
SKIPPED = 77  # exit code: ctest reports the test as skipped
PACKAGES = ("accelerate", "lightning", "torchdata", "tensorboard")
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "train_bench", "make_peer.py")


def cached():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "ringside", "torch-" + VERSION)


def version_in(python):
    """Returns the version of PyTorch as (major, minor), or None."""
    code = "import torch; print(torch.__version__)"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, timeout=120, check=False)
    except OSError:
        return None
    words = done.stdout.decode().strip().split(".")
    return (int(words[0]), int(words[1])) if done.returncode == 0 and len(words) > 1 else None


def find():
    """Returns the path of a Python with PyTorch 2, or None."""
    for python in (os.environ.get("RINGSIDE_WATCH_PYTHON"), os.path.join(cached(), "bin", "python")):
        if python and os.path.exists(python):
            return python
    return None


def require():
    """Starts the running test program again under that Python, or ends it as skipped."""
    python = find()
    if python is None:
        print("SKIPPED: no Python with PyTorch 2; set RINGSIDE_WATCH_PYTHON, or run tests/watch/torch_python.py --make")
        sys.exit(SKIPPED)
    if os.environ.get("RINGSIDE_WATCH_STARTED") != "1":
        os.environ["RINGSIDE_WATCH_STARTED"] = "1"
        os.execv(python, [python] + sys.argv)


def chosen_tests(quick):
    """Returns the arguments for unittest: the command line's, or the quick tests unless RINGSIDE_LONG_TESTS=1."""
    named = [one for one in sys.argv[1:] if not one.startswith("-")]
    if not named and os.environ.get("RINGSIDE_LONG_TESTS") != "1":
        print("%s: the quick tests; all of them with RINGSIDE_LONG_TESTS=1" % os.path.basename(sys.argv[0]))
        return [sys.argv[0], "-v", *sys.argv[1:], *quick]
    return [sys.argv[0], "-v", *sys.argv[1:]]


def is_complete(python):
    code = "import torch, numpy, " + ", ".join(PACKAGES)
    return os.path.exists(python) and subprocess.run([python, "-c", code], capture_output=True).returncode == 0


def peer_python():
    """Returns the python of the environment that holds PyTorch. Installs it if it is missing."""
    spec = importlib.util.spec_from_file_location("make_peer", PEER)
    peer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peer)
    return str(peer.make(pathlib.Path(peer.default_folder(VERSION)), VERSION))


def make():
    """Fills the environment, if it is not complete, and prints the path of its python."""
    folder = cached()
    python = os.path.join(folder, "bin", "python")
    if not is_complete(python):
        base = peer_python()
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([os.path.realpath(base), "-m", "venv", folder], check=True)
        packages = glob.glob(os.path.join(os.path.dirname(base), "..", "lib", "python3*", "site-packages"))[0]
        own = glob.glob(os.path.join(folder, "lib", "python3*", "site-packages"))[0]
        with open(os.path.join(own, "shared.pth"), "w") as file:
            file.write(os.path.realpath(packages) + "\n")
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True, stdout=sys.stderr)
    print(python)


if __name__ == "__main__":
    if "--make" in sys.argv:
        make()
    else:
        print(find() or "none")
