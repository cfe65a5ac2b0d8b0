#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make_peer.py [FOLDER] [VERSION]: a virtual environment with PyTorch 2.x (several GB), the peer of tests/bench/run.

FOLDER is build/pytorch-peer unless it is named; where it exists already, nothing is done. pip decides where the packages
come from. Another python3 that has PyTorch is taken as RINGSIDE_BENCH_PYTHON=PATH instead.
"""
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "build/pytorch-peer"
VERSION = "2.15.0"


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    version = sys.argv[2] if len(sys.argv) > 2 else VERSION
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode != 0:
        subprocess.run([python, "-m", "pip", "install", f"torch=={version}", "numpy"], check=True)
    print(python)


if __name__ == "__main__":
    main()
